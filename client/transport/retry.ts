import { clock } from '../clock';
import { AnswerError, ApiError, ComfyError, ConnectionError, UnreadableAnswerError } from '../errors';
import { asAttempt, decided } from '../observer';
import { delay } from './delay';
import { outcomeOf } from './outcome';
import { growingPauseMs, jittered } from './pauses';
import type { ServerContact } from './serverContact';
import { isTransientTrouble } from './trouble';

const PAUSE = { firstMs: 250, longestMs: 8_000 };
/** What a 429 of the v1 interface means: waiting does not help. */
export const SUBSCRIPTION_INACTIVE = 'subscription_inactive';

export interface RetryPolicy {
	/** Time for all attempts and pauses together, in milliseconds; after a first one that met silence there is a second all the same. 0: one attempt. */
	budgetMs: number;
	/** Long transfers count from their first failure, else one slow attempt would use up the whole budget. */
	budgetStarts?: 'now' | 'at_first_failure';
	/** A server that does not answer has a time limit of its own, in place of the budget. */
	contact?: ServerContact;
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
	const series = policy.contact?.newSeries();
	/** The latest failure that was no silence. */
	let latestTold: unknown;
	let startedAt = policy.budgetStarts === 'at_first_failure' ? undefined : clock.now();
	for (let failures = 1; ; failures++) {
		const outcome = await outcomeOf(asAttempt(failures, attempt));
		if (outcome.ok) return outcome.value;
		startedAt ??= clock.now();
		const { error } = outcome;
		const contactMs = series?.remainingAfter(error);
		const remainingMs = contactMs ?? policy.budgetMs - (clock.now() - startedAt);
		const fullPauseMs = pauseMs(error, failures) * (policy.pauseScale ?? 1);
		const isOver =
			contactMs === undefined
				? remainingMs <= 0 && !(policy.budgetMs > 0 && failures === 1 && isSilence(error))
				: isContactOver(error, contactMs, fullPauseMs);
		if (!isWorthRetrying(error) || isOver)
			throw contactMs === undefined ? error : markUnanswered(reasonOf(error, latestTold), policy.contact);
		if (!isSilence(error)) latestTold = error;
		const inMs = Math.max(0, Math.min(fullPauseMs, remainingMs));
		tellRetry(failures, inMs, error);
		await delay(inMs, policy.signal);
	}
}

/** A connection that died unseen takes up the whole time of its request, however well the service is. */
const isSilence = (error: unknown): boolean => error instanceof ConnectionError && error.trouble === 'timeout';

/** An attempt at a silent server takes its whole time, so none begins at the end of the limit. */
export const isContactOver = (error: unknown, remainingMs: number, nextPauseMs: number): boolean =>
	remainingMs <= (isSilence(error) ? nextPauseMs : 0);

/** An attempt at the end of the limit has little time, so its silence says less than an earlier failure. */
const reasonOf = (last: unknown, earlier: unknown): unknown => (isSilence(last) && earlier instanceof ConnectionError ? earlier : last);

/** @returns the same error, which now says that the server did not answer for the whole limit. */
export function markUnanswered(error: unknown, contact: ServerContact | undefined): unknown {
	if (error instanceof ComfyError) error.unansweredForMs = contact?.waitMs;
	return error;
}

/** @param failures how many attempts have failed. */
export const tellRetry = (failures: number, inMs: number, error: unknown): void =>
	decided({ kind: 'retry', attempt: failures + 1, inMs, isAsked: retryAfterOf(error) !== undefined, error });

/** How long to pause after a failure: what the service asked for, else growing with the number of failures. */
export const pauseMs = (error: unknown, failures: number): number => retryAfterOf(error) ?? ownPauseMs(failures);

/** Where the service asks for none. */
export const ownPauseMs = (failures: number): number => jittered(growingPauseMs(PAUSE, failures - 1));

export function retryAfterOf(error: unknown): number | undefined {
	return error instanceof AnswerError ? error.retryAfterMs : undefined;
}

/** Whether the same read may well succeed a moment later. */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransientTrouble(error.trouble);
	if (error instanceof UnreadableAnswerError) return error.facts.reason === 'truncated' || isTransientStatus(error.status);
	return error instanceof ApiError && isTransientStatus(error.status) && error.code !== SUBSCRIPTION_INACTIVE;
}

/**
 * A 404 that is not in the service's own words: gateways say it while what stands behind them is started again. Where nothing
 * else has come from this address, it is more likely a wrong one.
 */
export const isForeign404 = (error: unknown): boolean => error instanceof UnreadableAnswerError && error.status === 404;

/** Whether the request certainly had no effect and may succeed later: safe to repeat for any method. */
export function isUnheard(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransient(error) && !error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status === 429;
	return error instanceof ApiError && error.status === 429 && error.code !== SUBSCRIPTION_INACTIVE;
}

const isTransientStatus = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);
