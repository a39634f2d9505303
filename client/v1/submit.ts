import { decodePromptAnswer, hasEntries, type PromptAnswer, type RejectedPrompt } from '../comfyui/rejections';
import { isRecord } from '../decode';
import { ApiError, UnknownOutcomeError } from '../errors';
import type { Submission, SubmitOptions } from '../ports';
import { mayHaveMadeJob, submissionBody, SUBMIT_BUDGET_MS } from '../submission';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isUnheard, retry } from '../transport/retry';
import type { V1Api } from './api';

const INVALID_WORKFLOW = 'invalid_workflow';

/**
 * Sends a prompt once. v1 has no keys, so nothing is sent again once any byte may have left; a refused connection is
 * tried again.
 * @returns the answer, which may be a refusal with HTTP 200.
 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist.
 */
export async function sendPrompt(
	api: V1Api,
	submission: Submission,
	{ signal, retryBudgetMs = SUBMIT_BUDGET_MS, onSend, onNothingMade }: SubmitOptions,
): Promise<PromptAnswer> {
	const url = api.url('/prompt');
	const body = submissionBody('prompt', submission);
	const send = async () =>
		await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onSend?.();
			return await api.call({ method: 'POST', url, ...body, signal: later }, decodePromptAnswer);
		});
	const tried = async () => {
		const outcome = await outcomeOf(send());
		if (outcome.ok) return outcome.value;
		if (isUnheard(outcome.error)) onNothingMade?.();
		throw outcome.error;
	};
	const sent = await outcomeOf(retry(tried, { budgetMs: retryBudgetMs, contact: api.http.contact, signal, isWorthRetrying: isUnheard }));
	if (!sent.ok) throw meaningOf(sent.error);
	if (sent.value === undefined) throw new UnknownOutcomeError(undefined);
	return sent.value;
}

/** A refusal that came with HTTP 200. */
export function refusedAnswer({ rejection }: RejectedPrompt): ApiError {
	return new ApiError({
		interface: 'v1',
		code: INVALID_WORKFLOW,
		status: 200,
		message: rejection.message ?? INVALID_WORKFLOW,
		details: rejection.details,
	});
}

function meaningOf(error: unknown): unknown {
	if (mayHaveMadeJob(error) && !isOfGraph(error)) return new UnknownOutcomeError(undefined, { cause: error });
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'v1', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}

/** The graph did not pass the check that comes before the queue. */
const isOfGraph = (error: unknown): boolean =>
	error instanceof ApiError && isRecord(error.details) && hasEntries(error.details.node_errors);
