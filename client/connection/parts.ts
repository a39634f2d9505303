import { createHmac, randomBytes, randomUUID } from 'node:crypto';

import { parseBaseUrl, type ServiceAddress } from '../requests/address';
import { type ApiLimits, DEFAULT_LIMITS } from '../requests/serviceApi';
import type { ConnectSettings } from './connection';
import { ApiError, type ServiceName } from '../errors/errors';
import { HttpClient } from '../transport/http';
import { systemProxyFor } from '../transport/systemProxy';

/** The parts that connections over all interfaces have in common. */
export interface ConnectionParts {
	address: ServiceAddress;
	http: HttpClient;
	limits: ApiLimits;
	/** Trimmed. Empty if there is none. */
	key: string;
	identity: string;
}

/**
 * Creates the parts from the settings. Sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for a key that cannot be
 *   sent.
 */
export function createConnectionParts(settings: ConnectSettings): ConnectionParts {
	const { rejectUnauthorized, readBudgetMs = DEFAULT_LIMITS.readBudgetMs, limits, outboundNetwork, contact } = settings;
	const address = parseBaseUrl(settings.baseUrl);
	const key = parseKey(settings.interface, settings.token);
	const http = new HttpClient({
		origin: address.origin,
		credential: toCredentialHeaders(settings, key),
		rejectUnauthorized,
		contact,
		...outboundNetwork,
	});
	return { address, http, limits: { ...DEFAULT_LIMITS, ...limits, readBudgetMs }, key, identity: hashIdentity(settings, address, key) };
}

/**
 * Trims a key.
 * @throws ApiError `unauthorized` for a key that cannot be sent.
 */
export function parseKey(name: ServiceName, token: string | undefined): string {
	const key = token?.trim() ?? '';
	if (/^[\x21-\x7e]*$/.test(key)) return key;
	const message = 'The key holds characters that cannot be sent; paste it again';
	throw new ApiError({ interface: name, code: 'unauthorized', status: 401, message });
}

/** Returns the headers for the origin of the base URL, names in lower case. */
export function toCredentialHeaders({ interface: name, authorization, headers }: ConnectSettings, key: string): Record<string, string> {
	if (name === 'engine') return { ...headers, ...(authorization !== undefined && { authorization }) };
	if (key === '') return { ...headers };
	return { ...headers, ...(name === 'v1' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }) };
}

/** Random for each process and stored nowhere, so that an identity reveals nothing about the key in it. */
const SECRET = randomBytes(32);

/**
 * Returns the same text for connections that see the same jobs in the same way: same interface, address, credential,
 * proxy, certificate check and address rules. A connection with its own HTTP dispatcher is equal to no other.
 */
export function hashIdentity(settings: ConnectSettings, { origin, prefix }: ServiceAddress, key: string): string {
	const { interface: name, authorization = '', keepLinksOnBaseOrigin = false, rejectUnauthorized = true, outboundNetwork = {} } = settings;
	const headers = Object.entries(settings.headers ?? {}).sort();
	if (outboundNetwork.dispatcher !== undefined) return randomUUID();
	const isGuarded = outboundNetwork.lookup !== undefined || outboundNetwork.validateUrl !== undefined;
	const facts = [
		name,
		origin,
		prefix,
		key,
		authorization,
		headers,
		keepLinksOnBaseOrigin,
		rejectUnauthorized,
		isGuarded,
		proxyText(origin),
	];
	return createHmac('sha256', SECRET).update(JSON.stringify(facts)).digest('base64');
}

/** The first request reports an unusable proxy. */
function proxyText(origin: string): string {
	try {
		return systemProxyFor(new URL(origin)) ?? '';
	} catch {
		return 'unusable';
	}
}
