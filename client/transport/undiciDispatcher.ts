import type { Readable } from 'node:stream';

import { Agent, type Dispatcher, ProxyAgent } from 'undici';

import { createLookup, type DispatchRequest, type DispatchResponse, type HttpDispatcher, type OutboundNetwork } from './outboundNetwork';
import { systemProxyFor } from './systemProxy';

const CONNECT_TIMEOUT_MS = 10_000;

/** Of one response. A reader that waits for the disk then gets what has arrived meanwhile in one piece. */
const READ_AHEAD_BYTES = 1024 * 1024;

export interface UndiciDispatcherSettings extends OutboundNetwork {
	rejectUnauthorized?: boolean;
	/** The host that the user entered. Only this host may be link-local. */
	enteredHost?: string;
}

/** Sends requests with undici over keep-alive connections, through the system's proxy if there is one. */
export class UndiciDispatcher implements HttpDispatcher {
	/** One for each pair of proxy and certificate check. */
	private readonly dispatchers = new Map<string, Dispatcher>();

	constructor(private readonly settings: UndiciDispatcherSettings) {}

	async dispatch(
		{ method, url, headers, body, signal, anyCertificate }: DispatchRequest,
		onSending: () => void,
	): Promise<DispatchResponse> {
		const answer = await this.dispatcherFor(url, anyCertificate !== true)
			.compose(notifyBeforeSending(onSending))
			.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method: method as Dispatcher.HttpMethod,
				headers,
				// undici accepts async iterables, although its types do not say so.
				body: body as string | Readable | undefined,
				signal,
				highWaterMark: READ_AHEAD_BYTES,
			});
		return { status: answer.statusCode, headers: answer.headers, body: answer.body };
	}

	async close(): Promise<void> {
		await Promise.all([...this.dispatchers.values()].map(async (dispatcher) => await dispatcher.destroy()));
	}

	private dispatcherFor(url: URL, checksCertificates: boolean): Dispatcher {
		const proxy = systemProxyFor(url);
		const rejectUnauthorized = checksCertificates && (this.settings.rejectUnauthorized ?? true);
		const id = `${rejectUnauthorized} ${proxy ?? ''}`;
		const dispatcher = this.dispatchers.get(id) ?? createDispatcher(this.settings, rejectUnauthorized, proxy);
		this.dispatchers.set(id, dispatcher);
		return dispatcher;
	}
}

function createDispatcher(settings: UndiciDispatcherSettings, rejectUnauthorized: boolean, proxy: string | undefined): Dispatcher {
	const tls = { rejectUnauthorized };
	const options = {
		connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, lookup: createLookup(settings, settings.enteredHost) },
		// Each request has its own limits. Those of undici would cut slow uploads and quiet streams.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	if (proxy === undefined) return new Agent(options);
	// Plain http goes to a proxy with the absolute URL, because many proxies open tunnels to port 443 only.
	return new ProxyAgent({ ...options, uri: proxy, requestTls: tls, proxyTunnel: false });
}

function notifyBeforeSending(notify: () => void): Dispatcher.DispatcherComposeInterceptor {
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
