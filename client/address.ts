import { withoutTrailing } from './text';
import { connectionError } from './transport/trouble';

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
