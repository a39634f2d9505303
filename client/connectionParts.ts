import { parseBaseUrl, type ServiceAddress } from './address';
import { type ApiLimits, DEFAULT_LIMITS } from './api';
import type { ConnectSettings } from './connection';
import { ApiError, type ServiceName } from './errors';
import { identityOf } from './identity';
import { HttpClient } from './transport/http';

/** What a connection over every interface is made of. */
export interface ConnectionParts {
	address: ServiceAddress;
	http: HttpClient;
	limits: ApiLimits;
	/** Without the spaces around it; empty for none. */
	key: string;
	identity: string;
}

/**
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for a key that cannot be sent.
 */
export function connectionParts(settings: ConnectSettings): ConnectionParts {
	const { rejectUnauthorized, readBudgetMs = DEFAULT_LIMITS.readBudgetMs, limits, egress, contact } = settings;
	const address = parseBaseUrl(settings.baseUrl);
	const key = usableKey(settings.interface, settings.token);
	const http = new HttpClient({ origin: address.origin, credential: credentialOf(settings, key), rejectUnauthorized, contact, ...egress });
	return { address, http, limits: { ...DEFAULT_LIMITS, ...limits, readBudgetMs }, key, identity: identityOf(settings, address, key) };
}

/** Without the spaces around it. @throws ApiError `unauthorized` for a key that cannot be sent. */
export function usableKey(name: ServiceName, token: string | undefined): string {
	const key = token?.trim() ?? '';
	if (/^[\x21-\x7e]*$/.test(key)) return key;
	const message = 'The key holds characters that cannot be sent; paste it again';
	throw new ApiError({ interface: name, code: 'unauthorized', status: 401, message });
}

function credentialOf({ interface: name, authorization }: ConnectSettings, key: string): Record<string, string> {
	if (name === 'engine') return authorization === undefined ? {} : { authorization };
	if (key === '') return {};
	return name === 'v1' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
}
