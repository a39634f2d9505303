import { connectionError } from './transport/trouble';
import { withoutTrailing } from './withoutTrailing';

/** Where the service is: an origin, and the prefix it is mounted under (usually none). */
export interface ServiceAddress {
	origin: string;
	prefix: string;
}

/** Routes of ComfyUI, as people copy them from logs and examples. */
const OWN_ROUTE = /\/(prompt|queue|history|interrupt|object_info|system_stats|view|ws|upload\/(image|mask))$/;
/** Where the routes of every interface begin; a mount may have an `/api` of its own. */
const API_ROOT = /\/api(\/v2(\/.*)?)?$/;

/** `127.0.0.1:8188`, `comfyui:8188/path`, `localhost`, `cloud.comfy.org`: whatever is certainly meant as a host. */
const BARE_HOST = /^(localhost|\[[\da-f:]+\]|[\w-]+(\.[\w-]+)+|[\w-]+(?=:\d))(:\d+)?(\/|$)/i;

/** An address as people enter it, with this scheme where it has none. */
export function withScheme(text: string, scheme: 'http' | 'https'): string {
	const address = text.trim();
	return BARE_HOST.test(address) ? `${scheme}://${address}` : address;
}

/**
 * Reads a base URL as people paste it: with a slash at the end, with `/api` or `/api/v2`, or with one of the service's
 * own routes behind it.
 * @throws ConnectionError `invalid_address`.
 */
export function parseBaseUrl(text: string): ServiceAddress {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	const isUsable = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
	if (!isUsable) throw connectionError('invalid_address', { origin: '' });
	return { origin: url.origin, prefix: withoutTrailing('/', url.pathname).replace(OWN_ROUTE, '').replace(API_ROOT, '') };
}
