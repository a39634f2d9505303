import { clock, type Timer } from '../async/clock';
import { StoppedError } from '../errors/errors';
import { onAnyAbort } from '../async/abort';

/** The limits of a request that sets none. */
const DEFAULT_IDLE_MS = 60_000;
const DEFAULT_WHOLE_MS = 60_000;

/** The lowest accepted download rate. Without it, a slow server could keep a download open forever. */
const MIN_BYTES_PER_SECOND = 1024;

/** The reasons why this side ended a request. */
export class TimeLimitError extends Error {}
export class TooSlowError extends Error {}

export interface LimitOptions {
	signal?: AbortSignal;
	/** The whole exchange, body included, in milliseconds. */
	totalMs?: number;
	/** Until the response begins, in milliseconds. If it is set, `idleMs` counts only from then. */
	answerMs?: number;
	/** The longest silence while we wait for the other side, in milliseconds; or a function that returns it. */
	idleMs?: number | (() => number);
	/** The time over which the rate of a download is averaged, in milliseconds. Without it, no rate is required. */
	slowMs?: number;
	/**
	 * For a response that is read in full (JSON, text, small files): milliseconds from the start of the reading, or a
	 * function that returns them at that moment. Streams have no such limit.
	 */
	wholeMs?: number | (() => number);
}

/** Returns the limits of one request, with a default for the idle limit and for bodies that are read in full. */
export const exchangeLimits = (
	{ idleMs = DEFAULT_IDLE_MS, wholeMs = DEFAULT_WHOLE_MS, ...options }: LimitOptions,
	closed: AbortSignal,
): ExchangeLimits => new ExchangeLimits({ ...options, idleMs, wholeMs }, closed);

/**
 * Ends one request when the caller stops it, when its connection is closed, when its time is over, or when nothing has moved for too
 * long.
 */
export class ExchangeLimits {
	private readonly controller = new AbortController();
	private readonly total?: Timer;
	private answer?: Timer;
	private idle?: Timer;
	private whole?: Timer;
	private readonly stopListening: () => void;
	private isOver = false;
	private waitsSince = clock.realNow();
	private waitedMs = 0;
	private receivedBytes = 0;
	/** When a byte last moved, or the request began, by `clock.now`. */
	silentSince = clock.now();
	readonly signal: AbortSignal = this.controller.signal;

	/** @param closed fires when the connection is closed. */
	constructor(
		private readonly options: LimitOptions,
		closed?: AbortSignal,
	) {
		const signals = [options.signal, closed];
		if (signals.some((signal) => signal?.aborted)) this.stop();
		this.stopListening = onAnyAbort(signals, this.stop);
		if (options.totalMs !== undefined) this.total = clock.after(options.totalMs, this.expire);
		if (options.answerMs === undefined) this.touch();
		else this.answer = clock.after(options.answerMs, this.expire);
	}

	/**
	 * Call this when bytes have moved, or when waiting starts. A response may begin, and end, while the body of the
	 * request is still being sent.
	 */
	touch(): void {
		const { idleMs } = this.options;
		this.silentSince = clock.now();
		this.waitsSince = clock.realNow();
		if (idleMs === undefined || this.isOver) return;
		clearTimeout(this.idle);
		this.idle = clock.after(typeof idleMs === 'function' ? idleMs() : idleMs, this.expire);
	}

	/** Call this while our own side is busy: the silence does not count against the server. */
	pause(): void {
		clearTimeout(this.answer);
		clearTimeout(this.idle);
	}

	/**
	 * Records received bytes. Only the time spent waiting for the server counts towards its rate, so a slow reader on our
	 * side does not make the server slow.
	 */
	noteBytes(bytes: number): void {
		this.pause();
		const { slowMs } = this.options;
		if (slowMs === undefined) return;
		this.waitedMs += clock.realNow() - this.waitsSince;
		this.receivedBytes += bytes;
		if (this.waitedMs < slowMs) return;
		if (this.receivedBytes < (MIN_BYTES_PER_SECOND * this.waitedMs) / 1_000) this.controller.abort(new TooSlowError());
		this.waitedMs = 0;
		this.receivedBytes = 0;
	}

	/** Applies the limit for bodies that are read in full until `read` has finished. */
	async limitWhole<T>(read: () => Promise<T>): Promise<T> {
		const { wholeMs } = this.options;
		const milliseconds = typeof wholeMs === 'function' ? wholeMs() : wholeMs;
		if (milliseconds !== undefined && !this.isOver) this.whole = clock.after(milliseconds, this.expire);
		try {
			return await read();
		} finally {
			clearTimeout(this.whole);
		}
	}

	release(): void {
		this.isOver = true;
		for (const timer of [this.total, this.answer, this.idle, this.whole]) clearTimeout(timer);
		this.stopListening();
	}

	private readonly stop = (): void => this.controller.abort(new StoppedError());
	private readonly expire = (): void => this.controller.abort(new TimeLimitError());
}
