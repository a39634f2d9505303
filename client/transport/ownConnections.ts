import type { Readable } from 'node:stream';

import { Agent, type Dispatcher, ProxyAgent } from 'undici';

import type { CarriedAnswer, CarriedRequest, Carrier } from './carrier';
import { type Egress, guardedLookup } from './egress';
import { systemProxyFor } from './systemProxy';

const CONNECT_TIMEOUT_MS = 10_000;

export interface OwnConnectionSettings extends Egress {
	rejectUnauthorized?: boolean;
	/** The host that the user entered: only this one may be link-local. */
	enteredHost?: string;
}

/** Keep-alive connections, through the system's proxy where there is one. */
export class OwnConnections implements Carrier {
	/** By proxy, and by whether certificates are checked. */
	private readonly dispatchers = new Map<string, Dispatcher>();

	constructor(private readonly settings: OwnConnectionSettings) {}

	async carry({ method, url, headers, body, signal, anyCertificate }: CarriedRequest, onSending: () => void): Promise<CarriedAnswer> {
		const answer = await this.dispatcherFor(url, anyCertificate !== true)
			.compose(beforeSending(onSending))
			.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method: method as Dispatcher.HttpMethod,
				headers,
				// undici takes async iterables; its types do not say so.
				body: body as string | Readable | undefined,
				signal,
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
		const dispatcher = this.dispatchers.get(id) ?? open(this.settings, rejectUnauthorized, proxy);
		this.dispatchers.set(id, dispatcher);
		return dispatcher;
	}
}

function open(settings: OwnConnectionSettings, rejectUnauthorized: boolean, proxy: string | undefined): Dispatcher {
	const tls = { rejectUnauthorized };
	const options = {
		connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(settings, settings.enteredHost) },
		// The limits of each request are ours: undici's own would cut slow uploads and quiet streams.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	if (proxy === undefined) return new Agent(options);
	// Plain http goes through a proxy in the usual absolute form: many proxies tunnel to port 443 only.
	return new ProxyAgent({ ...options, uri: proxy, requestTls: tls, proxyTunnel: false });
}

function beforeSending(notify: () => void): Dispatcher.DispatcherComposeInterceptor {
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
