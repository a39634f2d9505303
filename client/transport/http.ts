import type { Readable } from 'node:stream';

import { EnvHttpProxyAgent, type Dispatcher } from 'undici';

import { checkAddress, type Egress, guardedLookup } from './egress';
import { type ExchangeLimits, exchangeLimits, type LimitOptions } from './limits';
import { HttpResponse } from './response';
import { toComfyError } from './trouble';

const CONNECT_TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface HttpSettings extends Egress {
	/** The one origin that gets the credential. */
	origin: string;
	/** Headers that carry it, names in lower case. */
	credential?: Record<string, string>;
	rejectUnauthorized?: boolean;
}

export interface HttpRequest extends LimitOptions {
	method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
	url: URL;
	/** Names in lower case. Only `range` follows to another origin. */
	headers?: Record<string, string>;
	body?: string | AsyncIterable<Uint8Array>;
}

/** Keep-alive connections to one service and the storage it links to, through the system's proxy where one is set. */
export class HttpClient {
	private readonly dispatcher: Dispatcher;

	constructor(private readonly settings: HttpSettings) {
		const tls = { rejectUnauthorized: settings.rejectUnauthorized ?? true };
		this.dispatcher = new EnvHttpProxyAgent({
			connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, ...guardedLookup(settings) },
			requestTls: tls,
			// Plain http goes through a proxy in the usual absolute form: many proxies tunnel to port 443 only.
			proxyTunnel: false,
			// The limits of each request are ours: undici's own would cut slow uploads and quiet streams.
			headersTimeout: 0,
			bodyTimeout: 0,
		});
	}

	/**
	 * Sends one request, once. Redirects of GET and HEAD are followed by hand; any other redirect is the answer.
	 * @throws ConnectionError when no answer came; StoppedError when the signal fires.
	 */
	async request(request: HttpRequest): Promise<HttpResponse> {
		const follows = request.method === 'GET' || request.method === 'HEAD';
		let url = request.url;
		for (let hops = 0; ; hops++) {
			const response = await this.exchange({ ...request, url });
			const location = response.header('location');
			if (!follows || !REDIRECTS.has(response.status) || location === undefined) return response;
			await response.discard();
			if (hops === MOST_REDIRECTS || !URL.canParse(location, url.href)) throw response.unreadable('unexpected');
			url = new URL(location, url);
		}
	}

	/** Closes every connection; running requests end with an error. */
	async close(): Promise<void> {
		await this.dispatcher.destroy();
	}

	private async exchange(request: HttpRequest): Promise<HttpResponse> {
		const { url } = request;
		const limits = exchangeLimits(request);
		let sent = false;
		let sourceFailure: { error: unknown } | undefined;
		try {
			limits.signal.throwIfAborted();
			await checkAddress(url, this.settings);
			limits.signal.throwIfAborted();
			const dispatcher = this.dispatcher.compose(onSending(() => (sent = true)));
			const answer = dispatcher.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method: request.method,
				headers: this.headersFor(request),
				body: bodyOf(request, limits, (error) => {
					sourceFailure = { error };
					return error;
				}),
				signal: limits.signal,
			});
			const { statusCode: status, headers, body } = await Promise.race([answer, aborted(limits.signal)]);
			limits.pause();
			return new HttpResponse({ url, status, headers, body, limits, drop: async () => await dropped(body) });
		} catch (error) {
			limits.release();
			if (sourceFailure) throw sourceFailure.error;
			throw toComfyError(limits.signal.aborted ? limits.signal.reason : error, { origin: url.origin, sent });
		}
	}

	/** A signed link refuses anything added, and no other origin may see the credential: only `range` goes everywhere. */
	private headersFor({ url, headers = {} }: HttpRequest): Record<string, string> {
		const { origin, credential } = this.settings;
		if (url.origin !== origin) return headers.range === undefined ? {} : { range: headers.range };
		return { 'user-agent': 'n8n-nodes-comfy', ...headers, ...credential };
	}
}

/** undici takes async iterables; its types do not say so. */
function bodyOf({ body }: HttpRequest, limits: ExchangeLimits, onFailure: (error: unknown) => unknown): string | Readable | undefined {
	if (body === undefined || typeof body === 'string') return body;
	return watched(body, limits, onFailure) as unknown as Readable;
}

async function* watched(chunks: AsyncIterable<Uint8Array>, limits: ExchangeLimits, onFailure: (error: unknown) => unknown) {
	try {
		for await (const chunk of chunks) {
			limits.touch();
			yield chunk;
		}
		limits.touch();
	} catch (error) {
		throw onFailure(error);
	}
}

/** A connection whose answer has come whole serves the next request all the same. */
async function dropped(body: Readable): Promise<void> {
	if (body.closed) return;
	const closed = new Promise((resolve) => body.on('error', () => undefined).once('close', resolve));
	body.destroy();
	await closed;
}

/** undici notices a signal only once it is connected. */
const aborted = (signal: AbortSignal): Promise<never> =>
	new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** Tells when a request is about to be written: before that, the service has certainly received nothing. */
function onSending(notify: () => void): Dispatcher.DispatcherComposeInterceptor {
	return (dispatch) => (options, handler) =>
		dispatch(options, {
			onRequestStart: (controller, context) => {
				notify();
				handler.onRequestStart?.(controller, context);
			},
			onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
			onResponseStart: (...args) => handler.onResponseStart?.(...args),
			onResponseData: (...args) => handler.onResponseData?.(...args),
			onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
			onResponseError: (...args) => handler.onResponseError?.(...args),
		});
}
