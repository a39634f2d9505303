import { clock } from '../clock';
import { AnswerError, ApiError, type ComfyError, ConnectionError, UnreadableAnswerError } from '../errors';
import { isTransientTrouble } from './trouble';

/** A gateway answers these statuses if the server behind it does not answer. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
/** An older failure says nothing about the current state of the server. */
const RECENT_FAILURE_MS = 10_000;

/**
 * Records whether a server answers. All requests to it share one time limit for a server that does not answer, so that
 * several requests in a row do not each wait for the whole limit.
 */
export class ServerContact {
	private answeredAt = -Infinity;
	/** Undefined while the server answers. */
	private unansweredSince?: number;
	private latest?: { error: ComfyError; at: number };
	/** The origins of its connections. */
	readonly origins = new Set<string>();

	/** @param waitMs how long requests are repeated while the server does not answer, in milliseconds. 0: one attempt. */
	constructor(readonly waitMs: number) {}

	get hasAnswered(): boolean {
		return this.answeredAt > -Infinity;
	}

	/** The remaining time of the limit in milliseconds; undefined while the server answers. */
	get remainingMs(): number | undefined {
		return this.unansweredSince === undefined ? undefined : Math.max(0, this.unansweredSince + this.waitMs - clock.now());
	}

	/**
	 * @returns the latest failure if the limit is over and the failure is recent. The caller throws it instead of sending
	 *   another request.
	 */
	takeFailure(): ComfyError | undefined {
		const { latest } = this;
		if (this.remainingMs !== 0 || latest === undefined || clock.now() - latest.at >= RECENT_FAILURE_MS) return undefined;
		latest.error.unansweredForMs = this.waitMs;
		return latest.error;
	}

	/** @param status of HTTP. */
	noteAnswer(status: number): void {
		if (GATEWAY_STATUSES.has(status)) return;
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

	/** For one loop that repeats a request. */
	newSeries(): FailureSeries {
		return new FailureSeries(this);
	}
}

/** The consecutive failures of one loop. They end with the limit even if the server answers other requests in between. */
export class FailureSeries {
	private since?: number;

	constructor(private readonly contact: ServerContact) {}

	/** @returns how long to repeat the failed request, in milliseconds; undefined if the server has answered. */
	remainingAfter(error: unknown): number | undefined {
		const isGatewayPage = this.contact.isGatewayPage(error);
		if (isGatewayPage) this.contact.noteFailure(error, clock.now());
		if (!isGatewayPage && !isUnanswered(error)) this.since = undefined;
		const { remainingMs, waitMs } = this.contact;
		if (remainingMs === undefined || !(isGatewayPage || isUnanswered(error))) return undefined;
		this.since ??= clock.now();
		return Math.max(0, Math.min(remainingMs, this.since + waitMs - clock.now()));
	}
}

const isUnanswered = (error: unknown): error is ConnectionError => error instanceof ConnectionError && isTransientTrouble(error.trouble);

const isTimeout = (error: ComfyError): boolean => error instanceof ConnectionError && error.trouble === 'timeout';
