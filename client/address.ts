import { connectionError } from './transport/trouble';

/** Where the service is: an origin, and the prefix it is mounted under (usually none). */
export interface ServiceAddress {
	origin: string;
	prefix: string;
}

/**
 * Reads a base URL as people paste it: with a slash at the end, or with `/api` or `/api/v2`.
 * @throws ConnectionError `invalid_address`.
 */
export function parseBaseUrl(text: string): ServiceAddress {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	const isUsable = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
	if (!isUsable) throw connectionError('invalid_address', { origin: '' });
	return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '').replace(/\/api(\/v2)?$/, '') };
}
