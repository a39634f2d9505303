import { growingPauseMs, ownPauseMs } from '../transport/retry';

/** Submissions that may be on their way at once before the service has shown what it takes; each that it takes adds a part of one. */
const FIRST_WINDOW = 5;
const WINDOW_GROWTH = 1 / 5;
const PROBE_PAUSE = { firstMs: 1_000, longestMs: 10_000 };

/** `full`: too many jobs are in flight. `busy`: nothing is taken for now, however few there are. */
export type RefusalKind = 'full' | 'busy';

/** A submission on its way. */
export interface Attempt {
	/** Jobs in flight when it left. */
	readonly inFlight: number;
	/** It tries whether the service takes more than it was seen to. */
	readonly isProbe: boolean;
}

/**
 * How many jobs a service takes at once, learned from what it refuses. After a refusal with n jobs in flight no more than
 * n are tried, until one has ended or the pause is over; then one is tried beyond, and the next as soon as that was taken.
 * Times are milliseconds by one clock.
 */
export class Pace {
	private readonly jobIds = new Set<string>();
	private attempts = 0;
	private window = FIRST_WINDOW;
	/** Jobs in flight beyond which it refused. */
	private limit = Infinity;
	private nextProbeAt = 0;
	private refusedProbes = 0;
	private busyUntil = 0;
	private busyAnswers = 0;

	/** Jobs that were taken and, as far as is known, have not ended. */
	get inFlight(): number {
		return this.jobIds.size;
	}

	/** When the next may be tried, if nothing happens before: now or earlier if at once. */
	get nextAt(): number {
		if (this.attempts + 1 > this.window) return Infinity;
		if (this.inFlight + this.attempts < this.limit) return this.busyUntil;
		return this.attempts > 0 ? Infinity : Math.max(this.busyUntil, this.nextProbeAt);
	}

	begin(): Attempt {
		const { inFlight } = this;
		const isProbe = this.limit !== Infinity && inFlight + this.attempts >= this.limit;
		this.attempts++;
		return { inFlight, isProbe };
	}

	accepted(jobId: string): void {
		this.attempts--;
		this.window += WINDOW_GROWTH;
		this.busyAnswers = 0;
		this.jobIds.add(jobId);
		if (this.inFlight <= this.limit) return;
		this.limit = this.inFlight;
		this.refusedProbes = 0;
	}

	/** @param retryAfterMs what the service asked for. */
	refused(attempt: Attempt, kind: RefusalKind, now: number, retryAfterMs?: number): void {
		this.attempts--;
		if (kind === 'busy') this.holdBack(now, retryAfterMs);
		else this.learnLimit(attempt, now, retryAfterMs);
	}

	/** It came to nothing, for another reason. */
	failed(): void {
		this.attempts--;
	}

	ended(jobId: string): void {
		this.jobIds.delete(jobId);
	}

	private holdBack(now: number, retryAfterMs?: number): void {
		this.window = 1;
		this.busyUntil = Math.max(this.busyUntil, now + (retryAfterMs ?? ownPauseMs(++this.busyAnswers)));
	}

	private learnLimit(attempt: Attempt, now: number, retryAfterMs?: number): void {
		// One that ended while the answer was on its way was still counted.
		this.limit = Math.max(attempt.inFlight, this.inFlight);
		this.refusedProbes = attempt.isProbe ? this.refusedProbes + 1 : 0;
		const pauseMs = retryAfterMs ?? ownPauseMs(this.refusedProbes + 1);
		this.nextProbeAt = now + Math.max(pauseMs, this.limit === 0 ? 0 : growingPauseMs(PROBE_PAUSE, this.refusedProbes));
	}
}
