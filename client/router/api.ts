import type { ServiceAddress } from '../address';
import { type ApiLimits, ServiceApi } from '../api';
import type { ApiError } from '../errors';
import type { CallOptions } from '../ports';
import type { HttpClient, HttpRequest } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import { isTransient, type RetryPolicy } from '../transport/retry';
import type { RouterAccess } from './access';
import { decodePage } from './decode';
import { PrefixFinder, type RouterPrefix } from './prefix';
import { routerRefusal } from './refusal';

export interface RouterLimits extends ApiLimits {
	/** How long one run may hold its connection, in milliseconds: the router itself lets go after 10 minutes. */
	holdMs: number;
	/** For how long failures of a run that name no time are tried again, in milliseconds. */
	failuresMs: number;
	/** Multiplies every pause between attempts. */
	pauseScale: number;
}

/** The model router. Routes are built under the prefix that it answers under. */
export class RouterApi extends ServiceApi {
	readonly prefix: PrefixFinder;
	private readonly ending = new AbortController();

	constructor(
		http: HttpClient,
		address: ServiceAddress,
		override readonly limits: RouterLimits,
		setting: 'automatic' | RouterPrefix,
		private readonly access: RouterAccess,
	) {
		super(http, address, limits, '');
		this.prefix = new PrefixFinder(setting, {
			ask: async (prefix) => await this.exchange({ method: 'GET', url: this.url(`${prefix}/models?limit=1`), totalMs: limits.requestMs }),
			checkCatalog: async (response) => void (await this.decoded(response, (json) => decodePage(json, response))),
			refusalOf: async (response) => await this.refusalOf(response),
		});
	}

	protected override async ownRefusal(response: HttpResponse): Promise<ApiError> {
		return await routerRefusal(response);
	}

	override resolve(link: string): string {
		return link;
	}

	/** @param path below the prefix, already encoded. */
	async route(path: string, { signal }: CallOptions = {}): Promise<URL> {
		return this.url(`${await this.prefix.get(signal)}${path}`);
	}

	/** Sends once, whatever the answer. @throws ApiError `token_expired` before anything is sent; ConnectionError; StoppedError. */
	async exchange(request: HttpRequest): Promise<HttpResponse> {
		this.access.check();
		return await this.http.request(request);
	}

	override async send(request: HttpRequest): Promise<HttpResponse> {
		const response = await this.exchange(request);
		if (response.ok) return response;
		throw await this.refusalOf(response);
	}

	/** Nothing is tried again after this. */
	end(): void {
		this.ending.abort();
	}

	override async repeat<T>(attempt: () => Promise<T>, { signal }: CallOptions = {}, policy: Partial<RetryPolicy> = {}): Promise<T> {
		const either = signal === undefined ? this.ending.signal : AbortSignal.any([signal, this.ending.signal]);
		return await super.repeat(attempt, { signal: either }, { pauseScale: this.limits.pauseScale, isWorthRetrying: isTransient, ...policy });
	}
}
