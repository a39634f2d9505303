import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

import { connectionError, toLookupError } from './trouble';

/** How requests leave this machine, and which addresses they may reach. */
export interface OutboundNetwork {
	/** Sends HTTP requests in place of our own connections. */
	dispatcher?: HttpDispatcher;
	lookup?: LookupFunction;
	/** Rejects addresses that must not be reached. Called before every hop. */
	validateUrl?: (url: URL) => Promise<void>;
}

/**
 * Checks an address before a request or a redirect.
 * @param enteredHost the host that the user entered. Only this host may be link-local.
 * @throws ConnectionError `not_web`, `blocked` or `link_local`.
 */
export async function checkAddress(url: URL, { validateUrl }: OutboundNetwork, enteredHost?: string): Promise<void> {
	if (url.protocol !== 'http:' && url.protocol !== 'https:') throw connectionError('not_web', { origin: url.protocol });
	try {
		// The query is left out: it may contain a signature or a key, which would appear in the filter's error.
		await validateUrl?.(new URL(url.origin + url.pathname));
	} catch (cause) {
		throw connectionError('blocked', { origin: url.origin, cause });
	}
	if (url.hostname !== enteredHost && isLinkLocal(url.hostname)) throw connectionError('link_local', { origin: url.origin });
}

/**
 * Returns the DNS lookup for every connection. Errors of the given lookup that are not DNS errors are reported as
 * `blocked`.
 */
export function createLookup({ lookup }: OutboundNetwork, enteredHost: string | undefined): LookupFunction {
	if (!lookup) return excludeLinkLocal(undefined, enteredHost);
	const reported: LookupFunction = (hostname, options, callback) =>
		lookup(hostname, options, (error, ...found) => callback(error && toLookupError(error, hostname), ...found));
	return excludeLinkLocal(reported, enteredHost);
}

/** Sends one HTTP request and returns the response. The default is UndiciDispatcher. */
export interface HttpDispatcher {
	/**
	 * Sends one request, once, and does not follow redirects.
	 * @param onSending called right before the request is written. Until then the service has certainly received nothing.
	 */
	dispatch(request: DispatchRequest, onSending: () => void): Promise<DispatchResponse>;
	/** Closes every connection. Running requests end with an error. */
	close(): Promise<void>;
}

export interface DispatchRequest {
	method: string;
	url: URL;
	/** All headers, names in lower case. */
	headers: Record<string, string>;
	body?: string | AsyncIterable<Uint8Array>;
	signal: AbortSignal;
	/** Accepts any certificate, for this request only. */
	anyCertificate?: true;
}

export interface DispatchResponse {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Destroying it closes the connection, unless the body has arrived in full. */
	body: ResponseBody;
}

/** Node's readable streams implement this. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
	readonly closed: boolean;
	destroy(): void;
	on(event: 'error', listener: () => void): this;
	once(event: 'close', listener: () => void): this;
}

/** Discards the rest of a body. If the body has arrived in full, its connection can serve the next request. */
export async function discardBody(body: ResponseBody): Promise<void> {
	if (body.closed) return;
	const closed = new Promise<void>((resolve) => body.on('error', () => undefined).once('close', resolve));
	body.destroy();
	await closed;
}

/** Link-local and cloud metadata addresses. Clouds return secrets there to any request from the machine itself. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
/** The same IPv4 addresses, as networks without IPv4 translate them (NAT64). */
LINK_LOCAL.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
/** Metadata services elsewhere: AWS, Google, Alibaba, Azure, Oracle. */
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6');
LINK_LOCAL.addAddress('fd20:ce::254', 'ipv6');
LINK_LOCAL.addAddress('100.100.100.200', 'ipv4');
LINK_LOCAL.addAddress('168.63.129.16', 'ipv4');
LINK_LOCAL.addAddress('192.0.0.192', 'ipv4');

/** @param host the host of a URL. URL normalizes every spelling of an IPv4 address, and writes IPv6 in brackets. */
function isLinkLocal(host: string): boolean {
	const address = host.replace(/^\[(.*)\]$/, '$1').split('%', 1)[0] ?? '';
	const version = isIP(address);
	return version !== 0 && LINK_LOCAL.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns a lookup that leaves out link-local addresses. It checks the address that the connection will use, because a
 * name may resolve to a different one each time.
 * @param enteredHost the host that the user entered, which may be link-local.
 */
const excludeLinkLocal =
	(resolve: LookupFunction = lookup as LookupFunction, enteredHost: string | undefined): LookupFunction =>
	(hostname, options, callback) =>
		resolve(hostname, options, (error, found, family) => {
			if (error !== null || hostname === enteredHost) return callback(error, found, family);
			const refusal = () => connectionError('link_local', { origin: hostname });
			if (!Array.isArray(found)) return isLinkLocal(found) ? callback(refusal(), '', 4) : callback(null, found, family);
			const allowed = found.filter(({ address }) => !isLinkLocal(address));
			return allowed.length === 0 && found.length > 0 ? callback(refusal(), []) : callback(null, allowed);
		});
