import type { NamedCredential } from './operations';

/** Shorter ones would be found in any text. */
const SHORTEST_SECRET = 6;
const MASK = '***';

/** The whole header, and what follows its scheme. */
const authorizationParts = ({ authorization = '' }: NamedCredential): string[] => [authorization, authorization.replace(/^\S+\s+/, '')];

/**
 * A copy of something made of JSON, with the credential's secrets masked wherever they stand: some servers and proxies
 * repeat in their answer what they were sent.
 */
export function withoutSecrets<T>(value: T, credential?: NamedCredential): T {
	if (credential === undefined) return value;
	const secrets = [credential.token, credential.partnerKey, ...authorizationParts(credential)].filter(({ length }) => length >= SHORTEST_SECRET);
	const masked = secrets.reduce((text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), MASK), JSON.stringify(value));
	return JSON.parse(masked) as T;
}
