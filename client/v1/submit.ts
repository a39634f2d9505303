import { ApiError, ConnectionError, UnknownOutcomeError, UnreadableAnswerError } from '../errors';
import { isRecord } from '../records';
import type { Submission, SubmitOptions } from '../services';
import { STOP_GRACE_MS, SUBMIT_BUDGET_MS, submissionBody } from '../submission';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isUnheard, retry } from '../transport/retry';
import type { V1Api } from './api';
import { decodePromptAnswer, type PromptAnswer, type RefusedPrompt } from './promptAnswer';
import { hasEntries } from './refusalWords';

const INVALID_WORKFLOW = 'invalid_workflow';

/**
 * Sends a prompt once. v1 has no keys, so nothing is sent again once any byte may have left; a refused connection is
 * tried again.
 * @returns the answer, which may be a refusal with HTTP 200.
 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist.
 */
export async function submitPrompt(api: V1Api, submission: Submission, { signal, retryBudgetMs = SUBMIT_BUDGET_MS, onSend }: SubmitOptions): Promise<PromptAnswer> {
	const url = api.url('/prompt');
	const body = submissionBody('prompt', submission);
	const send = async () =>
		await withGrace(signal, STOP_GRACE_MS, async (later) => {
			onSend?.();
			return await api.call({ method: 'POST', url, ...body, signal: later }, decodePromptAnswer);
		});
	const sent = await outcomeOf(retry(send, { budgetMs: retryBudgetMs, signal, isWorthRetrying: isUnheard }));
	if (!sent.ok) throw meaningOf(sent.error);
	if (sent.value === undefined) throw new UnknownOutcomeError(undefined);
	return sent.value;
}

/** A refusal that came with HTTP 200. */
export function refusedAnswer({ refused }: RefusedPrompt): ApiError {
	return new ApiError({ interface: 'v1', code: INVALID_WORKFLOW, status: 200, message: refused.message ?? INVALID_WORKFLOW, details: refused.details });
}

function meaningOf(error: unknown): unknown {
	if (mayHaveMadeJob(error)) return new UnknownOutcomeError(undefined, { cause: error });
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'v1', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}

/** No answer, half an answer, or a failure on the way back: the service may have accepted all the same. */
function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status < 300 || error.facts.status >= 500;
	return error instanceof ApiError && error.status >= 500 && !provesThereIsNone(error);
}

/** The route is not there, or the graph did not pass the check that comes before the queue. */
const provesThereIsNone = ({ status, details }: ApiError): boolean =>
	status === 501 || (isRecord(details) && hasEntries(details.node_errors));
