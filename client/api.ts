import type { ServiceAddress } from './address';
import { clock } from './clock';
import { type ApiError, ShapeError } from './errors';
import { exactText } from './json/exactJson';
import type { CallOptions } from './ports';
import { type HttpClient, type HttpRequest, requireSameOrigin } from './transport/http';
import type { NumberOptions } from './transport/parseJson';
import type { HttpResponse } from './transport/response';
import { retry, type RetryPolicy } from './transport/retry';
import { connectionError } from './transport/trouble';

export interface ApiLimits {
	/** One JSON call, in milliseconds. */
	requestMs: number;
	/** All attempts of one read together. */
	readBudgetMs: number;
	/** Live events: the service sends keep-alives every 15 s; three misses mean the connection is dead. */
	streamIdleMs: number;
	/** Silence while bytes are downloaded. */
	downloadIdleMs: number;
	/** The time over which a download has to average 1 KiB per second. */
	downloadSlowMs: number;
	/** Silence while a file is uploaded, and while the service stores what it got. */
	uploadIdleMs: number;
}

export const DEFAULT_LIMITS: Readonly<ApiLimits> = {
	requestMs: 30_000,
	readBudgetMs: 30_000,
	streamIdleMs: 45_000,
	downloadIdleMs: 60_000,
	downloadSlowMs: 60_000,
	uploadIdleMs: 300_000,
};

/** Makes a link of an answer absolute. */
export type LinkResolver = (link: string) => string;

export type Decoder<T> = (json: unknown, resolve: LinkResolver) => T;

/** By less than this, clocks agree: answers tell whole seconds, and take a while. */
const CLOCKS_AGREE_MS = 30_000;

/** What every call of one interface shares: its address, its limits, and turning answers into values or errors. */
export abstract class ServiceApi {
	/** How late the service's clock is by ours, as its latest answer tells. */
	private clockIsLateMs = 0;

	constructor(
		readonly http: HttpClient,
		readonly address: ServiceAddress,
		readonly limits: ApiLimits,
		/** Where its routes begin, e.g. `/api/v2`. */
		private readonly root: string,
	) {}

	/**
	 * What a failed answer says. No words of another origin, to which a read was sent on, are this service's: nor is it its
	 * key that is wrong, or its job that is not there.
	 * @throws UnreadableAnswerError for what this interface does not answer.
	 */
	async refusalOf(response: HttpResponse): Promise<ApiError> {
		await requireSameOrigin(response, response.url.origin);
		if (this.isOwn(response)) return await this.ownRefusal(response);
		await response.discard();
		throw response.unreadable('unexpected');
	}

	/** Whether it comes from the origin that was asked. */
	isOwn({ url }: HttpResponse): boolean {
		return url.origin === this.address.origin;
	}

	/** @throws UnreadableAnswerError for what this interface does not answer. */
	protected abstract ownRefusal(response: HttpResponse): Promise<ApiError>;

	/** A link as it stands in an answer, made absolute. */
	abstract resolve(link: string, response: HttpResponse): string;

	/** The service has shown in another way that it is there. */
	hasAnswered(): void {}

	/** @param path below the interface's root, already encoded. */
	url(path: string): URL {
		return new URL(`${this.address.origin}${this.address.prefix}${this.root}${path}`);
	}

	/** @throws ConnectionError `invalid_address` for a link that is none. */
	link(link: string): URL {
		if (!URL.canParse(link)) throw connectionError('invalid_address', { origin: '' });
		return new URL(link);
	}

	/** Sends once. @throws ApiError, UnreadableAnswerError, ConnectionError, StoppedError. */
	async send(request: HttpRequest): Promise<HttpResponse> {
		const response = await this.http.request({ wholeMs: this.limits.requestMs, ...request });
		if (this.isOwn(response)) this.noteClock(response);
		if (response.ok) return response;
		throw await this.refusalOf(response);
	}

	/** When something happened by our clock, as the service's tells it: never too late, where that is early. */
	serviceTime(moment: number): number {
		return moment - this.clockIsLateMs;
	}

	private noteClock(response: HttpResponse): void {
		const told = Date.parse(response.header('date') ?? '');
		// What a cache has kept tells the time of then.
		if (Number.isNaN(told) || response.header('age') !== undefined) return;
		const lateMs = clock.wallNow() - told;
		this.clockIsLateMs = lateMs > CLOCKS_AGREE_MS ? lateMs : 0;
	}

	/** Sends once and decodes the answer, within the time of one JSON call. */
	async call<T>(request: HttpRequest, decode: Decoder<T>, options?: NumberOptions): Promise<T> {
		const response = await this.send({ totalMs: this.limits.requestMs, ...request });
		return await this.decoded(response, decode, options);
	}

	/** Sends until it succeeds, within the read budget: only for what may be repeated. */
	async repeat<T>(attempt: () => Promise<T>, { signal }: CallOptions = {}, policy: Partial<RetryPolicy> = {}): Promise<T> {
		return await retry(attempt, { budgetMs: this.limits.readBudgetMs, contact: this.http.contact, signal, ...policy });
	}

	async read<T>(url: URL, decode: Decoder<T>, options: CallOptions & NumberOptions = {}): Promise<T> {
		return await this.repeat(() => this.call({ method: 'GET', url, signal: options.signal }, decode, options), options);
	}

	async decoded<T>(response: HttpResponse, decode: Decoder<T>, options?: NumberOptions): Promise<T> {
		return this.decodedJson(response, await response.json(options), decode);
	}

	/** The same for an answer that has been read. */
	decodedJson<T>(response: HttpResponse, json: unknown, decode: Decoder<T>): T {
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
