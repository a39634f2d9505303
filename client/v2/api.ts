import type { CallOptions } from '../services';
import type { HttpClient, HttpRequest } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import { retry, type RetryPolicy } from '../transport/retry';
import { connectionError } from '../transport/trouble';
import type { LinkResolver } from './decode';
import { ShapeError } from './fields';
import { resolveLink, type ServiceAddress } from './links';
import { refusalOf } from './refusal';

export interface ApiLimits {
	/** One JSON call, in milliseconds. */
	requestMs: number;
	/** All attempts of one read together. */
	readBudgetMs: number;
	/** The service sends keep-alives every 15 s; three misses mean the stream is dead. */
	streamIdleMs: number;
	/** Silence while bytes are downloaded. */
	downloadIdleMs: number;
	/** Silence while a file is uploaded, and while the service stores what it got. */
	uploadIdleMs: number;
}

export const DEFAULT_LIMITS: Readonly<ApiLimits> = {
	requestMs: 30_000,
	readBudgetMs: 30_000,
	streamIdleMs: 45_000,
	downloadIdleMs: 60_000,
	uploadIdleMs: 300_000,
};

export type Decoder<T> = (json: unknown, resolve: LinkResolver) => T;

/** What every v2 call shares: addresses, links, limits, and turning answers into values or errors. */
export class V2Api {
	constructor(
		readonly http: HttpClient,
		readonly address: ServiceAddress,
		readonly limits: ApiLimits,
		private readonly keepLinksOnBaseOrigin: boolean,
	) {}

	/** @param path below `/api/v2`, already encoded. */
	url(path: string): URL {
		return new URL(`${this.address.origin}${this.address.prefix}/api/v2${path}`);
	}

	/** @throws ConnectionError `invalid_address` for a link that is none. */
	link(link: string): URL {
		if (!URL.canParse(link)) throw connectionError('invalid_address', { origin: '' });
		return new URL(link);
	}

	/** Sends once. @throws ApiError, UnreadableAnswerError, ConnectionError, StoppedError. */
	async send(request: HttpRequest): Promise<HttpResponse> {
		const response = await this.http.request(request);
		if (response.ok) return response;
		throw await refusalOf(response);
	}

	/** Sends once and decodes the answer, within the time of one JSON call. */
	async call<T>(request: HttpRequest, decode: Decoder<T>): Promise<T> {
		const response = await this.send({ totalMs: this.limits.requestMs, ...request });
		return await this.decoded(response, decode);
	}

	/** Sends until it succeeds, within the read budget: only for what may be repeated. */
	async repeat<T>(attempt: () => Promise<T>, { signal }: CallOptions = {}, policy: Partial<RetryPolicy> = {}): Promise<T> {
		return await retry(attempt, { budgetMs: this.limits.readBudgetMs, signal, ...policy });
	}

	async read<T>(url: URL, decode: Decoder<T>, options: CallOptions = {}): Promise<T> {
		return await this.repeat(() => this.call({ method: 'GET', url, signal: options.signal }, decode), options);
	}

	async decoded<T>(response: HttpResponse, decode: Decoder<T>): Promise<T> {
		const json = await response.json();
		try {
			return decode(json, (link) => this.resolve(link, response));
		} catch (error) {
			throw error instanceof ShapeError ? response.unreadable('unexpected', { cause: error }) : error;
		}
	}

	/** A link as it stands in an answer, made absolute. */
	resolve(link: string, { url }: HttpResponse): string {
		return resolveLink(link, url, this.keepLinksOnBaseOrigin ? this.address : undefined);
	}
}

export const jsonBody = (value: unknown): Pick<HttpRequest, 'headers' | 'body'> => ({
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify(value),
});
