import { AnswerError, ApiError, ConnectionError, StoppedError, UnreadableAnswerError } from '../errors';
import { isTransient } from '../transport/retry';

/** What a failed attempt means for the next one, which carries the same key in any case. */
export interface Verdict {
	again: boolean;
	/** A run exists, or may exist: it may be billed. */
	mayHaveRun: boolean;
	/** The router or the provider failed without saying when to ask again: this is not tried for as long as one waits. */
	isBounded: boolean;
}

const FINAL: Verdict = { again: false, mayHaveRun: false, isBounded: false };
/** Certainly no run: busy, or no connection. */
const NOT_YET: Verdict = { again: true, mayHaveRun: false, isBounded: false };
/** A run goes on, or its answer was lost on the way: the next attempt collects it. */
const COLLECT: Verdict = { again: true, mayHaveRun: true, isBounded: false };
const FAILED: Verdict = { again: true, mayHaveRun: true, isBounded: true };

/** Refusals that the same call would only get again, whatever their status. */
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

/** The router holds another connection for a call with the same key. */
export const isStillRunning = (error: unknown): boolean =>
	error instanceof ApiError && error.status === 409 && error.code === 'concurrency_limit_exceeded';

/** The retry table of the interface. */
export function verdictOn(error: unknown): Verdict {
	if (error instanceof ConnectionError) return !isTransient(error) ? FINAL : error.mayHaveArrived ? COLLECT : NOT_YET;
	if (error instanceof UnreadableAnswerError && error.status < 300) return error.facts.reason === 'truncated' ? COLLECT : FAILED;
	if (error instanceof ApiError && FINAL_CODES.has(error.code)) return FINAL;
	if (error instanceof AnswerError) return ofStatus(error);
	return FINAL;
}

function ofStatus(error: AnswerError): Verdict {
	const { status } = error;
	const saysWhen = error.retryAfterMs !== undefined;
	if (status === 429) return NOT_YET;
	if (status === 409) return isStillRunning(error) ? COLLECT : FINAL;
	// With a time it is a refusal for want of capacity: nothing was charged.
	if (status === 503) return saysWhen ? NOT_YET : COLLECT;
	if (status < 500) return FINAL;
	// A gateway's page names no time either, but the router behind it comes back.
	return saysWhen || error instanceof UnreadableAnswerError ? COLLECT : FAILED;
}

/** Refusals that are about the run itself. */
const OF_THE_RUN: ReadonlySet<string> = new Set([
	'invalid_input',
	'content_policy_violation',
	'cancelled',
	'provider_error',
	'provider_timeout',
	'queue_timeout',
	'deadline_exceeded',
	'client_disconnected',
]);

/** How a run ended, or that it is no longer kept. Who is not let in, or asks at the wrong door, learns nothing of it. */
export const tellsOfTheRun = (error: ApiError): boolean => OF_THE_RUN.has(error.code) || error.status === 410;

/** Whether what is known of a run that may exist is the same after this. */
export const leavesItOpen = (error: unknown): boolean =>
	!(error instanceof StoppedError) && !(error instanceof ApiError && tellsOfTheRun(error));
