import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

import type { ConnectionError } from '../errors/errors';
import { connectionError } from './trouble';

/**
 * Returns the proxy that the environment names for this address (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, unless
 * `NO_PROXY` names the host). If there is no proxy for https, the one for http is used.
 * @param url http or https.
 * @throws ConnectionError `invalid_address` if the proxy's own address is unusable.
 */
export function systemProxyFor(url: URL): string | undefined {
	const proxy = getProxyForUrl(url.origin) || getProxyForUrl(plainOrigin(url));
	if (proxy === '') return undefined;
	// The parser's error quotes the address, which may contain a password.
	if (!URL.canParse(proxy) || !['http:', 'https:'].includes(new URL(proxy).protocol))
		throw connectionError('invalid_address', { origin: '' });
	return proxy;
}

/** `NO_PROXY` may name the port, so the port is explicit here. */
const plainOrigin = ({ protocol, hostname, port }: URL): string => `http://${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;

const TUNNEL_OPENED = 200;

export interface ProxyAgentOptions {
	/** Closes a tunnel that is not open yet. */
	signal: AbortSignal;
	onRejection(error: ConnectionError): void;
}

/**
 * Returns an agent that tunnels one connection through the system's proxy; undefined if there is no proxy for this
 * address.
 * @param url http or https.
 * @throws ConnectionError `invalid_address` if the proxy's own address is unusable.
 */
export function proxyAgentFor(url: URL, { signal, onRejection: onRefusal }: ProxyAgentOptions): HttpsProxyAgent<string> | undefined {
	const proxy = systemProxyFor(url);
	if (proxy === undefined) return undefined;
	const agent = new HttpsProxyAgent(proxy, { signal });
	agent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
		if (statusCode !== TUNNEL_OPENED) onRefusal(connectionError('refused', { origin: url.origin, code: `PROXY_${statusCode}` }));
	});
	return agent;
}
