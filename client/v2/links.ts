import { connectionError } from '../transport/trouble';

const INTERFACE_PATH = /^(.*?)\/api\/v2(\/|$)/;

/** Where the service is: an origin, and the prefix it is mounted under (usually none). */
export interface ServiceAddress {
	origin: string;
	prefix: string;
}

/**
 * Reads a base URL as people paste it: with a slash at the end, or with `/api/v2`.
 * @throws ConnectionError `invalid_address`.
 */
export function parseBaseUrl(text: string): ServiceAddress {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	const isUsable = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
	if (!isUsable) throw connectionError('invalid_address', { origin: '' });
	return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '').replace(/\/api(\/v2)?$/, '') };
}

/**
 * Makes a link absolute. A host-relative one already holds any prefix, so it is resolved against the origin.
 * @param keepOnBase the origin to put links of the service itself on: a proxy behind a TLS front writes its own. Links
 *   to storage stay as they are.
 */
export function resolveLink(link: string, answeredBy: URL, keepOnBase?: ServiceAddress): string {
	if (!URL.canParse(link, answeredBy.origin)) return link;
	const url = new URL(link, answeredBy.origin);
	const mountedAt = INTERFACE_PATH.exec(url.pathname)?.[1];
	if (!keepOnBase || mountedAt === undefined || url.origin === keepOnBase.origin) return url.href;
	// The proxy knows nothing of a prefix that its front adds.
	const path = mountedAt === '' ? keepOnBase.prefix + url.pathname : url.pathname;
	return keepOnBase.origin + path + url.search;
}
