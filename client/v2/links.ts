import type { ServiceAddress } from '../address';

const INTERFACE_PATH = /^(.*?)\/api\/v2(\/|$)/;

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
