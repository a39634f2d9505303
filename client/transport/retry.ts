import { clock } from '../clock';
import { AnswerError, ApiError, ComfyError, ConnectionError, UnreadableAnswerError } from '../errors';
import { logDecision, withAttempt } from '../observer';
import { delay } from './delay';
import { outcomeOf } from './outcome';
import type { ServerContact } from './serverContact';
import { isTransientTrouble } from './trouble';

const PAUSE = { firstMs: 250, longestMs: 8_000 };
/** The v1 interface answers 429 for an inactive subscription. Waiting does not help. */
export const SUBSCRIPTION_INACTIVE = 'subscription_inactive';

export interface RetryPolicy {
	/**
	 * Time for all attempts and pauses together, in milliseconds. 0 means one attempt. If the first attempt timed out, a
	 * second one follows even without remaining time.
	 */
	budgetMs: number;
	/** For long transfers the budget starts at the first failure. Otherwise one slow attempt would use up all of it. */
	budgetStarts?: 'now' | 'at_first_failure';
	/** If set, its time limit replaces the budget while the server does not answer. */
	contact?: ServerContact;
	signal?: AbortSignal;
	isWorthRetrying?: (error: unknown) => boolean;
	/** A factor for every pause. Default: 1. */
	pauseScale?: number;
}

/**
 * Repeats the attempt until it succeeds, fails for good, or the budget is used up. The last pause is cut to the
 * remaining time.
 * @throws the error of the last attempt.
 */
export async function retry<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
	const isWorthRetrying = policy.isWorthRetrying ?? isTransient;
	const series = policy.contact?.newSeries();
	/** The latest failure other than a timeout. */
	let latestFailure: unknown;
	let startedAt = policy.budgetStarts === 'at_first_failure' ? undefined : clock.now();
	for (let failures = 1; ; failures++) {
		const outcome = await outcomeOf(withAttempt(failures, attempt));
		if (outcome.ok) return outcome.value;
		startedAt ??= clock.now();
		const { error } = outcome;
		const contactMs = series?.remainingAfter(error);
		const remainingMs = contactMs ?? policy.budgetMs - (clock.now() - startedAt);
		const fullPauseMs = pauseMs(error, failures) * (policy.pauseScale ?? 1);
		const isOver =
			contactMs === undefined
				? remainingMs <= 0 && !(policy.budgetMs > 0 && failures === 1 && isTimeout(error))
				: isContactOver(error, contactMs, fullPauseMs);
		if (!isWorthRetrying(error) || isOver)
			throw contactMs === undefined ? error : markUnanswered(chooseReason(error, latestFailure), policy.contact);
		if (!isTimeout(error)) latestFailure = error;
		const inMs = Math.max(0, Math.min(fullPauseMs, remainingMs));
		reportRetry(failures, inMs, error);
		await delay(inMs, policy.signal);
	}
}

/** A lost connection uses the whole time of its request, even if the service is healthy. */
const isTimeout = (error: unknown): boolean => error instanceof ConnectionError && error.trouble === 'timeout';

/** An attempt to reach a silent server takes its full time, so no attempt starts at the end of the limit. */
export const isContactOver = (error: unknown, remainingMs: number, nextPauseMs: number): boolean =>
	remainingMs <= (isTimeout(error) ? nextPauseMs : 0);

/** An attempt at the end of the limit has little time, so its timeout says less than an earlier failure. */
const chooseReason = (last: unknown, earlier: unknown): unknown => (isTimeout(last) && earlier instanceof ConnectionError ? earlier : last);

/**
 * Marks the error: the server did not answer during the whole limit.
 * @returns the same error.
 */
export function markUnanswered(error: unknown, contact: ServerContact | undefined): unknown {
	if (error instanceof ComfyError) error.unansweredForMs = contact?.waitMs;
	return error;
}

/** @param failures how many attempts have failed. */
export const reportRetry = (failures: number, inMs: number, error: unknown): void =>
	logDecision({ kind: 'retry', attempt: failures + 1, inMs, hasRetryAfter: retryAfterOf(error) !== undefined, error });

/**
 * The pause after a failure in milliseconds: what the service asked for, otherwise a value that grows with the number
 * of failures.
 */
export const pauseMs = (error: unknown, failures: number): number => retryAfterOf(error) ?? ownPauseMs(failures);

/** The pause in milliseconds if the service asks for none. */
export const ownPauseMs = (failures: number): number => addJitter(growingPauseMs(PAUSE, failures - 1));

export function retryAfterOf(error: unknown): number | undefined {
	return error instanceof AnswerError ? error.retryAfterMs : undefined;
}

/** Whether the same read may succeed a moment later. */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransientTrouble(error.trouble);
	if (error instanceof UnreadableAnswerError) return error.facts.reason === 'truncated' || isTransientStatus(error.status);
	return error instanceof ApiError && isTransientStatus(error.status) && error.code !== SUBSCRIPTION_INACTIVE;
}

/**
 * Whether this is a 404 that does not come from the service. Gateways answer 404 while the server behind them restarts.
 * If nothing else has come from this address, the address is more likely wrong.
 */
export const isGateway404 = (error: unknown): boolean => error instanceof UnreadableAnswerError && error.status === 404;

/** Whether it is certain that the request had no effect, and it may succeed later. Any method is then safe to repeat. */
export function hasNoEffect(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransient(error) && !error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status === 429;
	return error instanceof ApiError && error.status === 429 && error.code !== SUBSCRIPTION_INACTIVE;
}

const isTransientStatus = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);

export interface GrowingPause {
	/** After the first failure, in milliseconds; it doubles with each further one. */
	firstMs: number;
	longestMs: number;
}

/** @param failures that came before the latest one. */
export const growingPauseMs = ({ firstMs, longestMs }: GrowingPause, failures: number): number =>
	Math.min(firstMs * 2 ** failures, longestMs);

/** Spreads the requests of many clients, so that a service that restarts does not get them all at once. */
export const addJitter = (milliseconds: number): number => milliseconds * (0.75 + Math.random() / 2);
