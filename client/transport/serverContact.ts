import { clock } from '../clock';
import { AnswerError, ApiError, type ComfyError, ConnectionError, UnreadableAnswerError } from '../errors';
import { isTransientTrouble } from './trouble';

/** A gateway answers these when the server behind it does not. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
/** A failure that is older says nothing about the server now. */
const FRESH_MS = 10_000;

/**
 * Whether the server behind one or more connections answers. All requests share one time limit for a server that does not
 * answer, so that several requests in a row do not wait for the whole limit each.
 */
export class ServerContact {
	private answeredAt = -Infinity;
	/** Undefined while the server answers. */
	private unansweredSince?: number;
	private latest?: { error: ComfyError; at: number };
	/** Of the connections. */
	readonly origins = new Set<string>();

	/** @param waitMs how long requests are repeated while the server does not answer, in milliseconds. 0: one attempt. */
	constructor(readonly waitMs: number) {}

	get hasAnswered(): boolean {
		return this.answeredAt > -Infinity;
	}

	/** What is left of the limit, in milliseconds; undefined while the server answers. */
	get remainingMs(): number | undefined {
		return this.unansweredSince === undefined ? undefined : Math.max(0, this.unansweredSince + this.waitMs - clock.now());
	}

	/** @returns the latest failure, to be thrown in place of another request, if the limit is over and the failure is recent. */
	takeFailure(): ComfyError | undefined {
		const { latest } = this;
		if (this.remainingMs !== 0 || latest === undefined || clock.now() - latest.at >= FRESH_MS) return undefined;
		latest.error.unansweredForMs = this.waitMs;
		return latest.error;
	}

	/** @param status of HTTP. */
	noteAnswer(status: number): void {
		if (GATEWAY_STATUSES.has(status)) return;
		this.answeredAt = clock.now();
		this.unansweredSince = undefined;
	}

	/** @param silentSince when the other side was last heard or sent to, by the clock. */
	noteFailure(error: unknown, silentSince: number): void {
		if (!isUnanswered(error) && !this.isGatewayPage(error)) return;
		const now = clock.now();
		this.latest = { error, at: now };
		this.unansweredSince ??= isSilence(error) ? Math.max(silentSince, this.answeredAt) : now;
	}

	/** What a gateway says in words of its own is no answer of the server behind it. */
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

/** Failures in a row of one loop. They end with the limit even if the server answers other requests in between. */
export class FailureSeries {
	private since?: number;

	constructor(private readonly contact: ServerContact) {}

	/** @returns for how long to repeat what failed like this, in milliseconds; undefined if the server has answered. */
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

const isSilence = (error: ComfyError): boolean => error instanceof ConnectionError && error.trouble === 'timeout';
