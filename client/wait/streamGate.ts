import { clock, type Timer } from '../clock';
import { ApiError } from '../errors';
import { growingPauseMs, isTransient, retryAfterOf } from '../transport/retry';
import { SHARED_TIMES, type SharedTimes } from './times';

const PAUSE = { firstMs: 100, longestMs: 5_000 };
/** How many streams must be open for one more to be asked for at the same time. */
const OPEN_FOR_EACH_ATTEMPT = 16;

export interface StreamSeeker {
	/** It may ask for a stream now, and closes the permit when it needs it no more. */
	begin(permit: Permit): void;
}

export interface Permit {
	/** The service has granted the stream. */
	granted(): void;
	/** @param error why the stream ended, or was not granted; undefined for its own good end. */
	close(error?: unknown): void;
}

/**
 * As many streams as the service grants to all waits of one connection. They are asked for one after another, more at a
 * time the more are open; after a refusal only when one is free again, or when the service's *Retry-After* is over.
 */
export class StreamGate {
	/** First come, first served. */
	private readonly seekers = new Set<StreamSeeker>();
	private opening = 0;
	private open = 0;
	/** How many were open when one more was refused. */
	private limit = Infinity;
	/** When one more than that is asked for, by the clock. */
	private tryMoreAt = -Infinity;
	/** Attempts that failed one after another, for other reasons. */
	private failures = 0;
	private pausedUntil = -Infinity;
	private timer?: Timer;

	constructor(private readonly times: SharedTimes = SHARED_TIMES) {}

	get isInUse(): boolean {
		return this.opening + this.open > 0;
	}

	get openStreams(): number {
		return this.open;
	}

	/** One more has been refused. */
	get isFull(): boolean {
		return this.open + this.opening >= this.limit;
	}

	seek(seeker: StreamSeeker): void {
		this.seekers.add(seeker);
		this.admit();
	}

	leave(seeker: StreamSeeker): void {
		this.seekers.delete(seeker);
		if (this.seekers.size === 0) clearTimeout(this.timer);
	}

	private admit(): void {
		clearTimeout(this.timer);
		for (const seeker of this.seekers) {
			const inMs = this.nextAttemptInMs();
			if (inMs > 0) {
				if (inMs < Infinity) this.timer = clock.after(inMs, () => this.admit());
				return;
			}
			this.seekers.delete(seeker);
			seeker.begin(this.permit());
		}
	}

	/** Infinity: not before an attempt or a stream has ended. */
	private nextAttemptInMs(): number {
		const now = clock.now();
		if (now < this.pausedUntil) return this.pausedUntil - now;
		const atOnce = this.failures > 0 ? 1 : 1 + Math.floor(this.open / OPEN_FOR_EACH_ATTEMPT);
		if (this.opening >= atOnce) return Infinity;
		if (this.open + this.opening < this.limit) return 0;
		return this.opening > 0 ? Infinity : Math.max(0, this.tryMoreAt - now);
	}

	private permit(): Permit {
		let state: 'opening' | 'open' | 'closed' = 'opening';
		this.opening += 1;
		return {
			granted: () => {
				if (state !== 'opening') return;
				state = 'open';
				this.granted();
			},
			close: (error) => {
				const was = state;
				state = 'closed';
				if (was === 'opening') this.opening -= 1;
				if (was !== 'closed') this.closed(was === 'open', error);
			},
		};
	}

	private granted(): void {
		this.opening -= 1;
		this.open += 1;
		this.failures = 0;
		if (this.open > this.limit) this.limit = Infinity;
		// By itself: who is admitted may be granted a stream at once, and so on for a thousand.
		queueMicrotask(() => this.admit());
	}

	private closed(wasOpen: boolean, error: unknown): void {
		const isFreedLater = wasOpen && this.limit < Infinity && !isRefusal(error);
		if (isFreedLater) clock.after(this.times.freeingMs, () => this.freed());
		else if (wasOpen) this.open -= 1;
		if (isRefusal(error)) this.refused(error);
		else if (!wasOpen && isTransient(error)) this.failed();
		this.admit();
	}

	private freed(): void {
		this.open -= 1;
		this.admit();
	}

	private refused(error: unknown): void {
		const pauseMs = isUnoffered(error) ? this.times.noStreamsMs : this.times.refusedMs;
		this.limit = this.open;
		this.tryMoreAt = clock.now() + Math.max(pauseMs, retryAfterOf(error) ?? 0);
	}

	private failed(): void {
		this.pausedUntil = clock.now() + growingPauseMs(PAUSE, this.failures);
		this.failures += 1;
	}
}

const isUnoffered = (error: unknown): boolean => error instanceof ApiError && error.status === 501;

/** Of this stream for being one too many, or of any: another wait's would be refused as well. */
const isRefusal = (error: unknown): boolean => isUnoffered(error) || (error instanceof ApiError && error.status === 429);

/** Whether a stream that could not be had, or was lost, may be had later. */
export const mayBeGranted = (error: unknown): boolean => isRefusal(error) || isTransient(error);
