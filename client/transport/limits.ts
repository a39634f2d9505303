import { clock, type Timer } from '../clock';
import { StoppedError } from '../errors';
import { onAbort } from './abort';

/** What holds for every exchange that names nothing else: none waits without an end. */
const IDLE_MS = 60_000;
const WHOLE_MS = 60_000;

/** The least rate of a download. A server that sends less would keep the download open without an end. */
const LEAST_BYTES_PER_SECOND = 1024;

/** Why an exchange was ended from our side. */
export class TimeLimitError extends Error {}
export class TooSlowError extends Error {}

export interface LimitOptions {
	signal?: AbortSignal;
	/** The whole exchange, body included, in milliseconds. */
	totalMs?: number;
	/** Until the answer begins, in milliseconds; with it, `idleMs` counts only from then. */
	answerMs?: number;
	/** The longest silence while we wait for the other side, in milliseconds; or a function that returns it. */
	idleMs?: number | (() => number);
	/** The time over which the rate of a download is averaged, in milliseconds. Without it, no rate is required. */
	slowMs?: number;
	/**
	 * An answer that is read whole (JSON, text, what is held before it is handed on), in milliseconds from when its
	 * reading begins; or what tells them then, where they are what is left of a longer wait. Streams go on for as long as
	 * they move.
	 */
	wholeMs?: number | (() => number);
}

/** The limits of one exchange with a server: it has an idle limit and, where its answer is read whole, a total one. */
export const exchangeLimits = ({ idleMs = IDLE_MS, wholeMs = WHOLE_MS, ...options }: LimitOptions): ExchangeLimits =>
	new ExchangeLimits({ ...options, idleMs, wholeMs });

/** Ends one exchange when the caller stops it, when its time is over, or when nothing has moved for too long. */
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
	/** When something last moved, or the exchange began, by the clock. */
	silentSince = clock.now();
	readonly signal: AbortSignal = this.controller.signal;

	constructor(private readonly options: LimitOptions) {
		if (options.signal?.aborted) this.stop();
		this.stopListening = onAbort(options.signal, this.stop);
		if (options.totalMs !== undefined) this.total = clock.after(options.totalMs, this.expire);
		if (options.answerMs === undefined) this.touch();
		else this.answer = clock.after(options.answerMs, this.expire);
	}

	/** Bytes moved, or we start to wait for some. An answer may come, and end, while a body is still being sent. */
	touch(): void {
		const { idleMs } = this.options;
		this.silentSince = clock.now();
		this.waitsSince = clock.realNow();
		if (idleMs === undefined || this.isOver) return;
		clearTimeout(this.idle);
		this.idle = clock.after(typeof idleMs === 'function' ? idleMs() : idleMs, this.expire);
	}

	/** Whoever reads or writes on our side is busy: the silence is not the other side's. */
	pause(): void {
		clearTimeout(this.answer);
		clearTimeout(this.idle);
	}

	/**
	 * So many bytes came. Only the time spent waiting for the server counts towards its rate: a slow reader on our side
	 * does not make the server slow.
	 */
	received(bytes: number): void {
		this.pause();
		const { slowMs } = this.options;
		if (slowMs === undefined) return;
		this.waitedMs += clock.realNow() - this.waitsSince;
		this.receivedBytes += bytes;
		if (this.waitedMs < slowMs) return;
		if (this.receivedBytes < (LEAST_BYTES_PER_SECOND * this.waitedMs) / 1_000) this.controller.abort(new TooSlowError());
		this.waitedMs = 0;
		this.receivedBytes = 0;
	}

	/** Something is read whole from now on, until it has ended. */
	async untilWhole<T>(read: () => Promise<T>): Promise<T> {
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
