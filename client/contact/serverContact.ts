import { clock } from '../async/clock';
import { AnswerError, ApiError, type ComfyError, type Silence, UnreadableAnswerError } from '../errors/errors';
import { isTimeout, isUnanswered } from './failures';

/** A gateway answers these statuses if the server behind it does not answer. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
/** An older failure says nothing about the current state of the server. */
const RECENT_FAILURE_MS = 10_000;

/** How long a server that has our job may give no answer, in milliseconds, if the user sets no limit. */
export const DEFAULT_LOST_AFTER_MS = 5 * 60_000;

export interface ContactOptions {
	/** How long requests are repeated when the server has our work, in milliseconds. Infinity: it is never given up. Default: `waitMs`. */
	lostAfterMs?: number;
	/**
	 * The server may be busy for minutes, for example while it loads a model. Then a server that accepts connections without an
	 * answer gets `lostAfterMs` before it has our work, too.
	 */
	mayBeBusy?: boolean;
}

/**
 * Records when the server of a connection last gave an answer. All requests to it share one time limit for a server that does
 * not answer, so that several requests in a row do not each wait for the whole limit.
 */
export class ServerContact {
	private answeredAt = -Infinity;
	/** Undefined while the server answers. */
	private unansweredSince?: number;
	private latest?: { error: ComfyError; at: number };
	private hasWork = false;
	/** The origins of its connections. */
	readonly origins = new Set<string>();

	/**
	 * @param waitMs how long requests are repeated while the server does not answer, before it has our work, in milliseconds.
	 *   0: one attempt.
	 */
	constructor(
		readonly waitMs: number,
		private readonly options: ContactOptions = {},
	) {}

	get hasAnswered(): boolean {
		return this.answeredAt > -Infinity;
	}

	/** Whether the latest answer is at most this many milliseconds old. */
	hasAnsweredWithin(milliseconds: number): boolean {
		return clock.now() - this.answeredAt < milliseconds;
	}

	/** The limit in milliseconds for a server that has our work. */
	get lostLimitMs(): number {
		return this.options.lostAfterMs ?? DEFAULT_LOST_AFTER_MS;
	}

	/** The limit in milliseconds that applies now. Infinity: the budget of each request applies. */
	get limitMs(): number {
		const { lostAfterMs = this.waitMs } = this.options;
		if (this.hasWork && this.hasAnswered) return lostAfterMs;
		if (this.waitMs === 0 || !this.isBusy) return this.waitMs;
		return Math.max(this.waitMs, lostAfterMs === Infinity ? DEFAULT_LOST_AFTER_MS : lostAfterMs);
	}

	/** The server accepts connections, but does not answer. */
	private get isBusy(): boolean {
		const error = this.latest?.error;
		return this.options.mayBeBusy === true && isTimeout(error) && error.mayHaveArrived;
	}

	/** The remaining time of the limit in milliseconds; undefined while the server answers. */
	get remainingMs(): number | undefined {
		return this.unansweredSince === undefined ? undefined : Math.max(0, this.unansweredSince + this.limitMs - clock.now());
	}

	/** Since when the server has not answered, by `clock.now`; undefined while it answers. */
	get silentSince(): number | undefined {
		return this.unansweredSince;
	}

	/** Why the latest request got no answer; undefined while the server answers. */
	get failure(): ComfyError | undefined {
		return this.unansweredSince === undefined ? undefined : this.latest?.error;
	}

	/** One of the addresses of its connections: scheme, host and port. */
	get address(): string | undefined {
		const [first] = this.origins;
		return first;
	}

	/** How long the server has given no answer, for the error of a request that is given up. */
	describeSilence(): Silence {
		const forMs = clock.now() - (this.unansweredSince ?? clock.now());
		return { limitMs: this.limitMs, since: clock.wallNow() - forMs, hadWork: this.hasWork && this.hasAnswered };
	}

	/** Call this when the server may have a job of ours, or sends a result: from now on, giving up costs more than waiting. */
	noteWork(): void {
		this.hasWork = true;
	}

	/**
	 * @returns the latest failure if the limit is over and the failure is recent. The caller throws it instead of sending
	 *   another request.
	 */
	takeFailure(): ComfyError | undefined {
		const { latest } = this;
		if (this.remainingMs !== 0 || latest === undefined || clock.now() - latest.at >= RECENT_FAILURE_MS) return undefined;
		latest.error.silence = this.describeSilence();
		return latest.error;
	}

	/** @param response what arrived. A web page comes from a gateway, also with a status of success. */
	noteAnswer({ status, isHtml }: { status: number; isHtml: boolean }): void {
		if (GATEWAY_STATUSES.has(status) || isHtml) return;
		this.answeredAt = clock.now();
		this.unansweredSince = undefined;
	}

	/** @param silentSince when the last byte was sent or received, by `clock.now`. */
	noteFailure(error: unknown, silentSince: number): void {
		if (!isUnanswered(error) && !this.isGatewayPage(error)) return;
		const now = clock.now();
		this.latest = { error, at: now };
		this.unansweredSince ??= isTimeout(error) ? Math.max(silentSince, this.answeredAt) : now;
	}

	/** Whether the error is a gateway's own text or page, which is not an answer of the server behind it. */
	isGatewayPage(error: unknown): error is ComfyError {
		if (!(error instanceof AnswerError) || !GATEWAY_STATUSES.has(error.status)) return false;
		if (error instanceof UnreadableAnswerError) return this.origins.has(new URL(error.facts.address).origin);
		return error instanceof ApiError && (error.interface === 'engine' || error.interface === 'v1');
	}
}

/** The consecutive failures of one loop. They end with the limit even if the server answers other requests in between. */
export class SilentSeries {
	private since?: number;

	constructor(private readonly contact: ServerContact) {}

	/** @returns how long to repeat the failed request, in milliseconds; undefined if the server has answered. */
	remainingAfter(error: unknown): number | undefined {
		const { contact } = this;
		const isGatewayPage = contact.isGatewayPage(error);
		if (isGatewayPage) contact.noteFailure(error, clock.now());
		if (!isGatewayPage && !isUnanswered(error)) this.since = undefined;
		const { remainingMs } = contact;
		if (remainingMs === undefined || remainingMs === Infinity || !(isGatewayPage || isUnanswered(error))) return undefined;
		this.since ??= clock.now();
		return Math.max(0, Math.min(remainingMs, this.since + contact.limitMs - clock.now()));
	}
}
