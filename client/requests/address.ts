import { withoutTrailing } from '../text/text';
import { connectionError } from '../transport/trouble';

/** The address of a service: an origin, and the path prefix of a reverse proxy (usually empty). */
export interface ServiceAddress {
	origin: string;
	prefix: string;
}

/** Routes of ComfyUI that users copy from logs and examples. */
const OWN_ROUTE = /\/(prompt|queue|history|interrupt|object_info|system_stats|view|ws|upload\/(image|mask))$/;
/** The start of every interface's routes. A reverse proxy may add an `/api` of its own before it. */
const API_ROOT = /\/api(\/v2(\/.*)?)?$/;

/** An address without a scheme: `127.0.0.1:8188`, `comfyui:8188/path`, `localhost`, `cloud.comfy.org`. */
const BARE_HOST = /^(localhost|\[[\da-f:]+\]|[\w-]+(\.[\w-]+)+|[\w-]+(?=:\d))(:\d+)?(\/|$)/i;

/** Adds the scheme to an address that has none. */
export function withScheme(text: string, scheme: 'http' | 'https'): string {
	const address = text.trim();
	return BARE_HOST.test(address) ? `${scheme}://${address}` : address;
}

/**
 * Parses a base URL as users paste it: with a slash at the end, with `/api` or `/api/v2`, or with one of ComfyUI's
 * routes.
 * @throws ConnectionError `invalid_address`.
 */
export function parseBaseUrl(text: string): ServiceAddress {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	const isUsable = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
	if (!isUsable) throw connectionError('invalid_address', { origin: '' });
	return { origin: url.origin, prefix: withoutTrailing('/', url.pathname).replace(OWN_ROUTE, '').replace(API_ROOT, '') };
}

/** The part of an interface that decides where its links lead. */
export interface LinkBase {
	address: ServiceAddress;
	/** The start of the interface's routes below the address, for example `/api/v2`. */
	root: string;
	/** Whether all links to the interface lead to the address. */
	keepsLinks?: boolean;
}

/**
 * Returns the URL of a link in a response. A link without a host is resolved against the origin of the response.
 *
 * A reverse proxy may remove the prefix of the address, or the start of it. The service behind it then writes links
 * without that part. On the address's origin, a link that has an end of the prefix (or nothing) before the root gets the
 * whole prefix, because the interface is known to respond there. With `keepsLinks`, every link to the interface is moved
 * to the address. Other links may lead to storage or to a different server. They stay as they are, because a changed
 * signed link is invalid.
 * @param answeredBy the origin of the response.
 * @returns undefined if the text is not a link.
 */
export function resolveLink(link: string, answeredBy: string, { address, root, keepsLinks = false }: LinkBase): URL | undefined {
	if (!URL.canParse(link, answeredBy)) return undefined;
	const url = new URL(link, answeredBy);
	const { origin, prefix } = address;
	const { pathname } = url;
	const rootAt = pathname.startsWith(`${prefix}${root}/`) ? prefix.length : pathname.indexOf(`${root}/`);
	const isAtAddress = url.origin === origin && prefix.endsWith(pathname.slice(0, rootAt));
	if (rootAt === -1 || !(isAtAddress || keepsLinks)) return url;
	return new URL(origin + prefix + pathname.slice(rootAt) + url.search);
}
