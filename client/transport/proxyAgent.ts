import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

import type { ConnectionError } from '../errors';
import { connectionError } from './trouble';

const TUNNEL_OPENED = 200;

export interface ProxyAgentOptions {
	/** Ends a tunnel that is still being opened. */
	signal: AbortSignal;
	onRefusal(error: ConnectionError): void;
}

/**
 * Tunnels one connection through the system's proxy, if the environment names one for this address. As with plain
 * requests, a proxy for http serves https too where no other is named.
 * @param url http or https.
 * @throws ConnectionError `invalid_address` for a proxy's address that is none.
 */
export function proxyAgentFor(url: URL, { signal, onRefusal }: ProxyAgentOptions): HttpsProxyAgent<string> | undefined {
	const proxy = getProxyForUrl(url.origin) || getProxyForUrl(plainOrigin(url));
	if (proxy === '') return undefined;
	// The parser's own error quotes the address, and that may hold a password.
	if (!URL.canParse(proxy)) throw connectionError('invalid_address', { origin: '' });
	const agent = new HttpsProxyAgent(proxy, { signal });
	agent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
		if (statusCode !== TUNNEL_OPENED) onRefusal(connectionError('refused', { origin: url.origin, code: `PROXY_${statusCode}` }));
	});
	return agent;
}

/** The same host and port under http, as `NO_PROXY` may name the port. */
const plainOrigin = ({ protocol, hostname, port }: URL): string => `http://${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
