import { ConnectionError } from '../errors';
import { type GrowingPause, growingPauseMs, jittered } from './pauses';
import { isTransient, retryAfterOf } from './retry';

export interface BackoffTimes extends GrowingPause {
	/** The pause where trying again soon cannot help: a wrong key, an address that is no socket. */
	refusedMs: number;
	/** A connection that lasted this long was a good one: its loss starts anew. */
	goodMs: number;
}

export const BACKOFF_TIMES: Readonly<BackoffTimes> = { firstMs: 1_000, longestMs: 60_000, refusedMs: 300_000, goodMs: 10_000 };

/** How long to pause before connecting again. */
export class Backoff {
	private failures = 0;

	constructor(private readonly times: BackoffTimes) {}

	/** @param lastedMs how long the connection was open; undefined when it never was. */
	pauseMs(error: unknown, lastedMs: number | undefined): number {
		const { firstMs, refusedMs, goodMs } = this.times;
		if (!mayPass(error)) return jittered(refusedMs);
		if (lastedMs !== undefined && lastedMs >= goodMs) {
			this.failures = 0;
			return firstMs * Math.random();
		}
		const pause = jittered(growingPauseMs(this.times, this.failures));
		this.failures += 1;
		return Math.max(pause, retryAfterOf(error) ?? 0);
	}
}

/** A certificate may be renewed at any moment. */
const mayPass = (error: unknown): boolean => isTransient(error) || (error instanceof ConnectionError && error.trouble === 'tls');
