import { AnswerError, ApiError, ConnectionError, StoppedError, UnreadableAnswerError } from '../errors/errors';
import { isTransient } from '../contact/failures';

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
const NO_RUN: Verdict = { canRetry: true, mayHaveRun: false, hasFailureLimit: false };
/** A run continues, or its response was lost. The next attempt gets its result. */
const RUN_CONTINUES: Verdict = { canRetry: true, mayHaveRun: true, hasFailureLimit: false };
const RUN_FAILED: Verdict = { canRetry: true, mayHaveRun: true, hasFailureLimit: true };

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
	if (error instanceof ConnectionError) return judgeConnection(error);
	if (error instanceof UnreadableAnswerError && error.status < 300) return error.facts.reason === 'truncated' ? RUN_CONTINUES : RUN_FAILED;
	if (error instanceof ApiError && FINAL_CODES.has(error.code)) return FINAL;
	if (error instanceof AnswerError) return judgeStatus(error);
	return FINAL;
}

function judgeConnection(error: ConnectionError): Verdict {
	if (!isTransient(error)) return FINAL;
	return error.mayHaveArrived ? RUN_CONTINUES : NO_RUN;
}

function judgeStatus(error: AnswerError): Verdict {
	const { status } = error;
	const hasRetryAfter = error.retryAfterMs !== undefined;
	if (status === 429) return NO_RUN;
	if (status === 409) return isStillRunning(error) ? RUN_CONTINUES : FINAL;
	// With Retry-After it is a rejection for lack of capacity, and nothing was charged.
	if (status === 503) return hasRetryAfter ? NO_RUN : RUN_CONTINUES;
	if (status < 500) return FINAL;
	// A gateway's page has no Retry-After either, but the router behind it comes back.
	return hasRetryAfter || error instanceof UnreadableAnswerError ? RUN_CONTINUES : RUN_FAILED;
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
export const leavesRunUnconfirmed = (error: unknown): boolean =>
	!(error instanceof StoppedError) && !(error instanceof ApiError && isRunError(error));
