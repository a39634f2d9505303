import { StoppedError } from '../errors';
import { onAbort } from './abort';

/** Why an exchange was ended from our side. */
export class TimeLimitError extends Error {}

export interface LimitOptions {
	signal?: AbortSignal;
	/** The whole exchange, body included, in milliseconds. */
	totalMs?: number;
	/** Until the answer begins, in milliseconds; with it, `idleMs` counts only from then. */
	answerMs?: number;
	/** The longest silence while we wait for the other side, in milliseconds. */
	idleMs?: number;
}

/** Ends one exchange when the caller stops it, when its time is over, or when nothing has moved for too long. */
export class ExchangeLimits {
	private readonly controller = new AbortController();
	private readonly total?: NodeJS.Timeout;
	private answer?: NodeJS.Timeout;
	private idle?: NodeJS.Timeout;
	private readonly stopListening: () => void;
	private isOver = false;
	readonly signal: AbortSignal = this.controller.signal;

	constructor(private readonly options: LimitOptions) {
		if (options.signal?.aborted) this.stop();
		this.stopListening = onAbort(options.signal, this.stop);
		if (options.totalMs !== undefined) this.total = setTimeout(this.expire, options.totalMs);
		if (options.answerMs === undefined) this.touch();
		else this.answer = setTimeout(this.expire, options.answerMs);
	}

	/** Bytes moved, or we start to wait for some. An answer may come, and end, while a body is still being sent. */
	touch(): void {
		if (this.options.idleMs === undefined || this.isOver) return;
		clearTimeout(this.idle);
		this.idle = setTimeout(this.expire, this.options.idleMs);
	}

	/** Whoever reads or writes on our side is busy: the silence is not the other side's. */
	pause(): void {
		clearTimeout(this.answer);
		clearTimeout(this.idle);
	}

	release(): void {
		this.isOver = true;
		clearTimeout(this.total);
		clearTimeout(this.answer);
		clearTimeout(this.idle);
		this.stopListening();
	}

	private readonly stop = (): void => this.controller.abort(new StoppedError());
	private readonly expire = (): void => this.controller.abort(new TimeLimitError());
}
