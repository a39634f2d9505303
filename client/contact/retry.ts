/** Carries out what the retry policy decides: repeats, pauses and logs. */
import { throwIfStopped } from '../async/stoppableWait';
import { clock } from '../async/clock';
import { ComfyError, ConnectionError } from '../errors/errors';
import { logDecision, withAttempt } from '../log/observer';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { isTimeout, isTransient, retryAfterOf } from './failures';
import { decideRetry, type FailedAttempt, growingPauseMs, type RetryDecision, type RetryPolicy } from './policy';
import { type ServerContact, SilentSeries } from './serverContact';

export interface RetryOptions {
	policy: RetryPolicy;
	/** For long transfers the budget starts at the first failure. Otherwise one slow attempt would use up all of it. */
	budgetStarts?: 'now' | 'at_first_failure';
	/** If set, its time limit replaces the budget while the server does not answer. */
	contact?: ServerContact;
	signal?: AbortSignal;
	/** Fires when the connection is closed. It ends a pause as `signal` does. */
	closed?: AbortSignal;
	/** The budget also limits the time without an answer. */
	isBudgetHard?: boolean;
	isWorthRetrying?: (error: unknown) => boolean;
	/** Called before each pause, instead of the log line. */
	onFailure?: (error: unknown, retryInMs: number) => void;
}

/**
 * Repeats the attempt until it succeeds, fails for good, or the time is over.
 * @throws the error of the last attempt.
 */
export async function retry<T>(attempt: () => Promise<T>, { isWorthRetrying, ...options }: RetryOptions): Promise<T> {
	const series = new RetrySeries(options);
	for (;;) {
		const outcome = await outcomeOf(withAttempt(series.attempt, attempt));
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		const decision = series.decide(error, { mayHelp: isWorthRetrying?.(error) });
		if (decision.kind === 'giveUp') throw series.toFinalError(error);
		await series.pause(error, decision.inMs);
	}
}

export interface AttemptFacts extends Pick<FailedAttempt, 'mayHelp'> {
	/** The rest of the budget, in milliseconds. Default: that of the policy. */
	leftMs?: number;
	/** How long a connection was open before this failure, in milliseconds. Absent or negative if it never opened. */
	lastedMs?: number;
	isBudgetHard?: boolean;
}

/** The attempts of one piece of work. */
export class RetrySeries {
	private failures = 0;
	private startedAt?: number;
	private readonly silence?: SilentSeries;
	/** The latest failure other than a timeout. */
	private latestFailure: unknown;
	private isSilent = false;

	constructor(private readonly options: Omit<RetryOptions, 'isWorthRetrying'>) {
		const { contact, budgetStarts } = options;
		this.silence = contact && new SilentSeries(contact);
		if (budgetStarts !== 'at_first_failure') this.startedAt = clock.now();
	}

	/** The number of the next attempt; 1 for the first. */
	get attempt(): number {
		return this.failures + 1;
	}

	/** Call this once for each failed attempt. */
	decide(error: unknown, facts: AttemptFacts = {}): RetryDecision {
		const { mayHelp = isTransient(error), lastedMs = -Infinity, leftMs, isBudgetHard = this.options.isBudgetHard } = facts;
		const { policy } = this.options;
		const random = Math.random();
		if (mayHelp && lastedMs >= (policy.stableMs ?? Infinity)) {
			this.failures = 0;
			return { kind: 'retry', inMs: policy.firstMs * random };
		}
		if (mayHelp) this.failures += 1;
		this.startedAt ??= clock.now();
		const budgetMs = leftMs ?? policy.budgetMs - (clock.now() - this.startedAt);
		const silentMs = this.silence?.remainingAfter(error);
		this.isSilent = silentMs !== undefined;
		const silentLeftMs = silentMs !== undefined && isBudgetHard ? Math.min(silentMs, budgetMs) : silentMs;
		const { failures } = this;
		const decision = decideRetry(policy, { error, failures, leftMs: budgetMs, silentLeftMs, mayHelp, random });
		if (decision.kind === 'retry' && !isTimeout(error)) this.latestFailure = error;
		return decision;
	}

	/** For a loop without an end, which no error ends. @returns the pause in milliseconds before the next attempt. */
	pauseMsAfter(error: unknown, facts?: AttemptFacts): number {
		const decision = this.decide(error, facts);
		return decision.kind === 'retry' ? decision.inMs : Infinity;
	}

	/** Call this after an attempt that succeeded, if more of them follow. */
	reset(): void {
		this.failures = 0;
	}

	/** Reports the next attempt, and waits for it. @throws StoppedError. */
	async pause(error: unknown, inMs: number): Promise<void> {
		const { signal, closed, onFailure } = this.options;
		throwIfStopped(signal, closed);
		if (onFailure !== undefined) onFailure(error, inMs);
		else logDecision({ kind: 'retry', attempt: this.attempt, inMs, hasRetryAfter: retryAfterOf(error) !== undefined, error });
		await delay(inMs, signal, closed);
	}

	/**
	 * Returns the error to report after giving up, marked if the server gave no answer. An attempt at the end of the limit has
	 * little time, so its timeout says less than an earlier failure.
	 */
	toFinalError(error: unknown): unknown {
		if (!this.isSilent) return error;
		const reason = isTimeout(error) && this.latestFailure instanceof ConnectionError ? this.latestFailure : error;
		if (reason instanceof ComfyError) reason.silence = this.options.contact?.describeSilence();
		return reason;
	}
}

/**
 * Reads, and reads again after each of these pauses until the result is final.
 * @param signals end a pause with a StoppedError.
 * @returns the latest result. @throws the error of a read.
 */
export async function readUntilFinal<T>(
	pausesMs: readonly number[],
	read: () => Promise<T>,
	isFinal: (result: T) => boolean,
	...signals: Array<AbortSignal | undefined>
): Promise<T> {
	let latest = await read();
	for (const pauseMs of pausesMs) {
		if (isFinal(latest)) break;
		await delay(pauseMs, ...signals);
		latest = await read();
	}
	return latest;
}

/** Returns the pause in milliseconds between two reads of what has not changed yet. @param reads that were made. */
export const pauseBetweenReads = (policy: RetryPolicy, reads: number): number => growingPauseMs(policy, reads, Math.random());
