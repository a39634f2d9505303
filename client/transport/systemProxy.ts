import { getProxyForUrl } from 'proxy-from-env';

import { connectionError } from './trouble';

/**
 * The system's proxy for an address, for every kind of connection, where the environment names one (`HTTPS_PROXY`,
 * `HTTP_PROXY`, `ALL_PROXY`; not where `NO_PROXY` names the host). A proxy for http serves https too where no other is named.
 * @param url http or https.
 * @throws ConnectionError `invalid_address` for a proxy's address that is none.
 */
export function systemProxyFor(url: URL): string | undefined {
	const proxy = getProxyForUrl(url.origin) || getProxyForUrl(plainOrigin(url));
	if (proxy === '') return undefined;
	// The parser's own error quotes the address, and that may hold a password.
	if (!URL.canParse(proxy) || !['http:', 'https:'].includes(new URL(proxy).protocol))
		throw connectionError('invalid_address', { origin: '' });
	return proxy;
}

/** The same host and port under http, as `NO_PROXY` may name the port. */
const plainOrigin = ({ protocol, hostname, port }: URL): string => `http://${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
