import { HttpsProxyAgent } from 'https-proxy-agent';

import type { ConnectionError } from '../errors';
import { systemProxyFor } from './systemProxy';
import { connectionError } from './trouble';

const TUNNEL_OPENED = 200;

export interface ProxyAgentOptions {
	/** Ends a tunnel that is still being opened. */
	signal: AbortSignal;
	onRefusal(error: ConnectionError): void;
}

/**
 * Tunnels one connection through the system's proxy, if there is one for this address.
 * @param url http or https.
 * @throws ConnectionError `invalid_address` for a proxy's address that is none.
 */
export function proxyAgentFor(url: URL, { signal, onRefusal }: ProxyAgentOptions): HttpsProxyAgent<string> | undefined {
	const proxy = systemProxyFor(url);
	if (proxy === undefined) return undefined;
	const agent = new HttpsProxyAgent(proxy, { signal });
	agent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
		if (statusCode !== TUNNEL_OPENED) onRefusal(connectionError('refused', { origin: url.origin, code: `PROXY_${statusCode}` }));
	});
	return agent;
}
