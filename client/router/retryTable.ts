import { AnswerError, ApiError, ConnectionError, StoppedError, UnreadableAnswerError } from '../errors';
import { isTransient } from '../transport/retry';

/** What a failed attempt means for the next one, which sends the same key. */
export interface Verdict {
	canRetry: boolean;
	/** A run exists or may exist, and may be billed. */
	mayHaveRun: boolean;
	/** The router or the provider failed without Retry-After. Such failures have a time limit of their own. */
	hasFailureLimit: boolean;
}

const FINAL: Verdict = { canRetry: false, mayHaveRun: false, hasFailureLimit: false };
/** There is certainly no run: the router is busy or was not reached. */
const NOT_YET: Verdict = { canRetry: true, mayHaveRun: false, hasFailureLimit: false };
/** A run continues, or its response was lost. The next attempt gets its result. */
const COLLECT: Verdict = { canRetry: true, mayHaveRun: true, hasFailureLimit: false };
const FAILED: Verdict = { canRetry: true, mayHaveRun: true, hasFailureLimit: true };

/** Errors that the same call would get again, with any status. */
const FINAL_CODES: ReadonlySet<string> = new Set([
	'invalid_input',
	'content_policy_violation',
	'insufficient_credits',
	'model_not_found',
	'unauthorized',
	'forbidden',
	'not_enabled',
	'cancelled',
	'request_not_found',
]);

/** Whether the router is still running an earlier call with the same key. */
export const isStillRunning = (error: unknown): boolean =>
	error instanceof ApiError && error.status === 409 && error.code === 'concurrency_limit_exceeded';

/** The retry table of the interface. */
export function judgeFailure(error: unknown): Verdict {
	if (error instanceof ConnectionError) return !isTransient(error) ? FINAL : error.mayHaveArrived ? COLLECT : NOT_YET;
	if (error instanceof UnreadableAnswerError && error.status < 300) return error.facts.reason === 'truncated' ? COLLECT : FAILED;
	if (error instanceof ApiError && FINAL_CODES.has(error.code)) return FINAL;
	if (error instanceof AnswerError) return judgeStatus(error);
	return FINAL;
}

function judgeStatus(error: AnswerError): Verdict {
	const { status } = error;
	const saysWhen = error.retryAfterMs !== undefined;
	if (status === 429) return NOT_YET;
	if (status === 409) return isStillRunning(error) ? COLLECT : FINAL;
	// With Retry-After it is a rejection for lack of capacity, and nothing was charged.
	if (status === 503) return saysWhen ? NOT_YET : COLLECT;
	if (status < 500) return FINAL;
	// A gateway's page has no Retry-After either, but the router behind it comes back.
	return saysWhen || error instanceof UnreadableAnswerError ? COLLECT : FAILED;
}

/** Errors about the run itself. */
const RUN_CODES: ReadonlySet<string> = new Set([
	'invalid_input',
	'content_policy_violation',
	'cancelled',
	'provider_error',
	'provider_timeout',
	'queue_timeout',
	'deadline_exceeded',
	'client_disconnected',
]);

/** Whether the error says how a run ended, or that it is no longer stored. Errors of access say nothing about the run. */
export const isRunError = (error: ApiError): boolean => RUN_CODES.has(error.code) || error.status === 410;

/** Whether a run that may exist is still unconfirmed after this error. */
export const leavesRunOpen = (error: unknown): boolean =>
	!(error instanceof StoppedError) && !(error instanceof ApiError && isRunError(error));
