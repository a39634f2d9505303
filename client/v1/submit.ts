import { decodePromptAnswer, hasEntries, type PromptAnswer, type RejectedPrompt } from '../comfyui/rejections';
import { hasNoEffect, mayHaveMadeJob } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { retry } from '../contact/retry';
import { isRecord } from '../decode';
import { ApiError, UnknownOutcomeError } from '../errors';
import type { Submission, SubmitOptions } from '../ports';
import { toSubmissionBody } from '../submission';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import type { V1Api } from './api';

const INVALID_WORKFLOW = 'invalid_workflow';

/**
 * Sends a prompt once. v1 has no idempotency keys, so nothing is sent again if any byte may have left. A refused
 * connection is retried.
 * @returns the answer, which may be a rejection with HTTP 200.
 * @throws ApiError if the service rejects it; UnknownOutcomeError if a job may exist.
 */
export async function sendPrompt(
	api: V1Api,
	submission: Submission,
	{ signal, retryBudgetMs = POLICIES.submit.budgetMs, onEvent }: SubmitOptions,
): Promise<PromptAnswer> {
	const url = api.url('/prompt');
	const body = toSubmissionBody('prompt', submission);
	const send = async () =>
		await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onEvent?.({ type: 'sending' });
			return await api.call({ method: 'POST', url, ...body, signal: later }, decodePromptAnswer);
		});
	const tried = async () => {
		const outcome = await outcomeOf(send());
		if (outcome.ok) return outcome.value;
		if (hasNoEffect(outcome.error)) onEvent?.({ type: 'nothingMade' });
		throw outcome.error;
	};
	const policy = { ...POLICIES.submit, budgetMs: retryBudgetMs };
	const sent = await outcomeOf(
		retry(tried, { policy, contact: api.http.contact, signal, closed: api.http.closed, isWorthRetrying: hasNoEffect }),
	);
	if (!sent.ok) throw toSubmitError(sent.error);
	if (sent.value === undefined) throw new UnknownOutcomeError(undefined);
	return sent.value;
}

/** Returns the error for a rejection with HTTP 200. */
export function toRejection({ rejection }: RejectedPrompt): ApiError {
	return new ApiError({
		interface: 'v1',
		code: INVALID_WORKFLOW,
		status: 200,
		message: rejection.message ?? INVALID_WORKFLOW,
		details: rejection.details,
	});
}

function toSubmitError(error: unknown): unknown {
	if (mayHaveMadeJob(error) && !isGraphRejection(error)) return new UnknownOutcomeError(undefined, { cause: error });
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'v1', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}

/** The service rejected the graph before it reached the queue, so no job exists. */
const isGraphRejection = (error: unknown): boolean =>
	error instanceof ApiError && isRecord(error.details) && hasEntries(error.details.node_errors);
