import type { Readable } from 'node:stream';

import { EnvHttpProxyAgent, type Dispatcher } from 'undici';

import type { CarriedAnswer, CarriedRequest, Carrier } from './carrier';
import { type Egress, guardedLookup } from './egress';

const CONNECT_TIMEOUT_MS = 10_000;

export interface OwnConnectionSettings extends Egress {
	rejectUnauthorized?: boolean;
}

/** Keep-alive connections, through the system's proxy where one is set. */
export class OwnConnections implements Carrier {
	private readonly dispatcher: Dispatcher;
	private careless?: Dispatcher;

	constructor(private readonly settings: OwnConnectionSettings) {
		this.dispatcher = open(settings);
	}

	async carry({ method, url, headers, body, signal, anyCertificate }: CarriedRequest, onSending: () => void): Promise<CarriedAnswer> {
		const dispatcher = anyCertificate === true ? (this.careless ??= open({ ...this.settings, rejectUnauthorized: false })) : this.dispatcher;
		const answer = await dispatcher.compose(beforeSending(onSending)).request({
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
		await Promise.all([this.dispatcher.destroy(), this.careless?.destroy()]);
	}
}

function open(settings: OwnConnectionSettings): Dispatcher {
	const tls = { rejectUnauthorized: settings.rejectUnauthorized ?? true };
	return new EnvHttpProxyAgent({
		connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, ...guardedLookup(settings) },
		requestTls: tls,
		// Plain http goes through a proxy in the usual absolute form: many proxies tunnel to port 443 only.
		proxyTunnel: false,
		// The limits of each request are ours: undici's own would cut slow uploads and quiet streams.
		headersTimeout: 0,
		bodyTimeout: 0,
	});
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
