import { ApiError, ConnectionError, UnreadableAnswerError } from '../errors';
import { delay } from './delay';
import { outcomeOf } from './outcome';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** What a 429 of the v1 interface means: waiting does not help. */
export const SUBSCRIPTION_INACTIVE = 'subscription_inactive';

export interface RetryPolicy {
	/** Time for all attempts and pauses together, in milliseconds. 0: one attempt. */
	budgetMs: number;
	/** Long transfers count from their first failure, else one slow attempt would use up the whole budget. */
	budgetStarts?: 'now' | 'at_first_failure';
	signal?: AbortSignal;
	isWorthRetrying?: (error: unknown) => boolean;
	/** Multiplies every pause (1). */
	pauseScale?: number;
}

/**
 * Calls until it succeeds, its failure is final, or the budget is used up; the last pause is cut to what remains.
 * @throws the last attempt's error.
 */
export async function retry<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
	const isWorthRetrying = policy.isWorthRetrying ?? isTransient;
	let startedAt = policy.budgetStarts === 'at_first_failure' ? undefined : performance.now();
	for (let failures = 1; ; failures++) {
		const outcome = await outcomeOf(attempt());
		if (outcome.ok) return outcome.value;
		startedAt ??= performance.now();
		const remainingMs = policy.budgetMs - (performance.now() - startedAt);
		if (!isWorthRetrying(outcome.error) || remainingMs <= 0) throw outcome.error;
		await delay(Math.min(pauseMs(outcome.error, failures) * (policy.pauseScale ?? 1), remainingMs), policy.signal);
	}
}

/** How long to pause after a failure: what the service asked for, else growing with the number of failures. */
export const pauseMs = (error: unknown, failures: number): number => retryAfterOf(error) ?? growingPauseMs(failures);

export function growingPauseMs(failures: number): number {
	const jitter = 0.75 + Math.random() / 2;
	return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * jitter;
}

export function retryAfterOf(error: unknown): number | undefined {
	if (error instanceof ApiError) return error.retryAfterMs;
	if (error instanceof UnreadableAnswerError) return error.facts.retryAfterMs;
	return undefined;
}

/** Whether the same read may well succeed a moment later. */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return ['refused', 'dns', 'timeout', 'lost'].includes(error.trouble);
	if (error instanceof UnreadableAnswerError) return error.facts.reason === 'truncated' || isTransientStatus(error.facts.status);
	return error instanceof ApiError && isTransientStatus(error.status) && error.code !== SUBSCRIPTION_INACTIVE;
}

/** Whether the request certainly had no effect and may succeed later: safe to repeat for any method. */
export function isUnheard(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransient(error) && !error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status === 429;
	return error instanceof ApiError && error.status === 429 && error.code !== SUBSCRIPTION_INACTIVE;
}

const isTransientStatus = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);
