import { decodePromptAnswer, hasEntries, type PromptAnswer, toSubmitError } from '../comfyui/rejections';
import { hasNoEffect, mayHaveMadeJob } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { retry } from '../contact/retry';
import { isRecord } from '../json/decode';
import { ApiError, UnknownOutcomeError } from '../errors/errors';
import type { NewJob, SubmitOptions } from '../ports/jobService';
import { toSubmissionBody } from '../requests/submissionSeries';
import { STOP_LIMIT_MS, withGrace } from '../async/grace';
import { outcomeOf } from '../async/outcome';
import type { V1Api } from './api';

/**
 * Sends a prompt once. v1 has no idempotency keys, so nothing is sent again if any byte may have left. A refused
 * connection is retried.
 * @returns the answer, which may be a rejection with HTTP 200.
 * @throws ApiError if the service rejects it; UnknownOutcomeError if a job may exist.
 */
export async function sendPrompt(
	api: V1Api,
	newJob: NewJob,
	{ signal, retryBudgetMs = POLICIES.submit.budgetMs, onEvent }: SubmitOptions,
): Promise<PromptAnswer> {
	const url = api.url('/prompt');
	const body = toSubmissionBody('prompt', newJob);
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
	if (!sent.ok) throw toFinalError(sent.error);
	if (sent.value === undefined) throw new UnknownOutcomeError(undefined);
	return sent.value;
}

function toFinalError(error: unknown): unknown {
	if (mayHaveMadeJob(error) && !isGraphRejection(error)) return new UnknownOutcomeError(undefined, { cause: error });
	return toSubmitError('v1', error);
}

/** The service rejected the graph before it reached the queue, so no job exists. */
const isGraphRejection = (error: unknown): boolean =>
	error instanceof ApiError && isRecord(error.details) && hasEntries(error.details.node_errors);
