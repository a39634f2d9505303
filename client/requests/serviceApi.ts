import { type LinkBase, resolveLink, type ServiceAddress } from './address';
import { clock } from '../async/clock';
import { POLICIES, type RetryPolicy } from '../contact/policy';
import { retry, type RetryOptions } from '../contact/retry';
import { type ApiError, ShapeError } from '../errors/errors';
import { exactText } from '../json/exactJson';
import type { CallOptions } from '../ports/jobService';
import { delay } from '../async/delay';
import { type HttpClient, type HttpRequest, requireSameOrigin } from '../transport/http';
import type { NumberOptions } from '../transport/parseJson';
import type { HttpResponse } from '../transport/response';
import { connectionError } from '../transport/trouble';

export interface ApiLimits {
	/** Time for one JSON call, in milliseconds. */
	requestMs: number;
	/** Time for all attempts of one read together, in milliseconds. */
	readBudgetMs: number;
	/** Silence in live events, in milliseconds. The service sends keep-alives every 15 s, so three are missing. */
	streamIdleMs: number;
	/** Silence during a download, in milliseconds. */
	downloadIdleMs: number;
	/** The period in milliseconds over which a download must average 1 KiB per second. */
	downloadSlowMs: number;
	/** Silence during an upload and while the service stores the file, in milliseconds. */
	uploadIdleMs: number;
}

export const DEFAULT_LIMITS: Readonly<ApiLimits> = {
	requestMs: 30_000,
	readBudgetMs: POLICIES.read.budgetMs,
	streamIdleMs: 45_000,
	downloadIdleMs: 60_000,
	downloadSlowMs: 60_000,
	uploadIdleMs: 300_000,
};

export interface RepeatOptions extends Partial<Omit<RetryOptions, 'policy'>> {
	/** Replaces `readBudgetMs`. */
	budgetMs?: number;
}

interface PostOptions extends Pick<RepeatOptions, 'isWorthRetrying'> {
	check?: (response: HttpResponse) => Promise<void>;
}

/** Makes a link of a response absolute. */
export type LinkResolver = (link: string) => string;

export type Decoder<T> = (json: unknown, resolve: LinkResolver) => T;

/** Smaller differences between two clocks are ignored: the `Date` header has whole seconds, and a response takes time. */
const CLOCK_TOLERANCE_MS = 30_000;

/** The base of every interface: its address and limits, and the decoding of responses and errors. */
export abstract class ServiceApi implements LinkBase {
	/** How far the service's clock is behind ours, by its latest response. */
	private clockBehindMs: number | undefined;
	/** The start of its routes, for example `/api/v2`. */
	abstract readonly root: string;
	/** @throws UnreadableAnswerError for a response that this interface does not give. */
	protected abstract readonly readOwnError: (response: HttpResponse) => Promise<ApiError>;

	constructor(
		readonly http: HttpClient,
		readonly address: ServiceAddress,
		readonly limits: ApiLimits,
		/** Whether every link to this interface leads to its address. */
		readonly keepsLinks = false,
	) {}

	/**
	 * Reads a failed response as an error. A response of another origin (a read may be redirected) says nothing about
	 * this service, its key or its jobs.
	 * @throws UnreadableAnswerError for a response that this interface does not give.
	 */
	async readError(response: HttpResponse): Promise<ApiError> {
		await requireSameOrigin(response, response.url.origin);
		if (this.isOwnResponse(response)) return await this.readOwnError(response);
		await response.discard();
		throw response.unreadable('unexpected');
	}

	/** Whether the response comes from the service's own origin. */
	isOwnResponse({ url }: HttpResponse): boolean {
		return url.origin === this.address.origin;
	}

	/** Makes a link of this response absolute. */
	resolve(link: string, { url }: HttpResponse): string {
		return resolveLink(link, url.origin, this)?.href ?? link;
	}

	/** @param path below the root, already encoded. @param root Default: the root of the interface. */
	url(path: string, root = this.root): URL {
		return new URL(`${this.address.origin}${this.address.prefix}${root}${path}`);
	}

	/**
	 * Parses a link.
	 * @throws ConnectionError `not_web`.
	 */
	link(link: string): URL {
		if (!URL.canParse(link)) throw connectionError('not_web', { origin: '' });
		return new URL(link);
	}

	/** Sends once. @throws ApiError, UnreadableAnswerError, ConnectionError, StoppedError. */
	async send(request: HttpRequest): Promise<HttpResponse> {
		const response = await this.http.request({ wholeMs: this.limits.requestMs, ...request });
		if (this.isOwnResponse(response)) this.noteClock(response);
		if (response.ok) return response;
		throw await this.readError(response);
	}

	/**
	 * Converts a time of the service to our clock (both in epoch milliseconds). If the service's clock is ahead, the time
	 * stays as it is.
	 */
	serviceTime(moment: number): number {
		return moment - (this.clockBehindMs ?? 0);
	}

	/** Whether a response has contained the time of the service. */
	get isClockKnown(): boolean {
		return this.clockBehindMs !== undefined;
	}

	private noteClock(response: HttpResponse): void {
		const serverDate = Date.parse(response.header('date') ?? '');
		// The `Date` of a cached response is the time at which it was stored.
		if (Number.isNaN(serverDate) || response.header('age') !== undefined) return;
		const behindMs = clock.wallNow() - serverDate;
		this.clockBehindMs = behindMs > CLOCK_TOLERANCE_MS ? behindMs : 0;
	}

	/** Sends once and decodes the response, within the time of one JSON call. */
	async call<T>(request: HttpRequest, decode: Decoder<T>, options?: NumberOptions): Promise<T> {
		const response = await this.send({ totalMs: this.limits.requestMs, ...request });
		return await this.decodeResponse(response, decode, options);
	}

	/** Repeats an attempt within the read budget. Use it only for requests that are safe to repeat. */
	async repeat<T>(attempt: () => Promise<T>, { signal }: CallOptions = {}, { budgetMs, ...options }: RepeatOptions = {}): Promise<T> {
		const policy = { ...this.readPolicy, ...(budgetMs !== undefined && { budgetMs }) };
		return await retry(attempt, { policy, contact: this.http.contact, signal, closed: this.http.closed, ...options });
	}

	/** Pauses between two requests. @throws StoppedError when the signal fires, or the connection is closed. */
	async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
		await delay(milliseconds, signal, this.http.closed);
	}

	protected get readPolicy(): RetryPolicy {
		return { ...POLICIES.read, budgetMs: Math.min(this.limits.readBudgetMs, this.http.contact?.lostLimitMs ?? Infinity) };
	}

	async read<T>(url: URL, decode: Decoder<T>, options: CallOptions & NumberOptions = {}): Promise<T> {
		return await this.repeat(() => this.call({ method: 'GET', url, signal: options.signal }, decode, options), options);
	}

	/** Sends JSON, if any, within the read budget, as `repeat` does. @param check reads the answer. Default: its content does not matter. */
	async post(
		path: string,
		body: object | undefined,
		{ signal }: CallOptions = {},
		{ check = async (response) => await response.discard(), ...options }: PostOptions = {},
	): Promise<void> {
		const request = { method: 'POST' as const, url: this.url(path), ...(body && jsonBody(body)), signal, totalMs: this.limits.requestMs };
		await this.repeat(async () => await check(await this.send(request)), { signal }, options);
	}

	async decodeResponse<T>(response: HttpResponse, decode: Decoder<T>, options?: NumberOptions): Promise<T> {
		return this.decodeJson(response, await response.json(options), decode);
	}

	/**
	 * Decodes JSON that has been read already.
	 * @throws UnreadableAnswerError if it has the wrong shape.
	 */
	decodeJson<T>(response: HttpResponse, json: unknown, decode: Decoder<T>): T {
		try {
			return decode(json, (link) => this.resolve(link, response));
		} catch (error) {
			throw error instanceof ShapeError ? response.unreadable('unexpected', { cause: error }) : error;
		}
	}
}

export const jsonBody = (value: unknown): Pick<HttpRequest, 'headers' | 'body'> => ({
	headers: { 'content-type': 'application/json' },
	body: exactText(value),
});
