import { shallow } from '../../client';
import type { NamedCredential } from './credentials';

/** Shorter ones would be found in any text. */
const SHORTEST_SECRET = 6;
const MASK = '***';

/** The whole header, what follows its scheme, and the user and password that Basic wraps. */
function authorizationParts({ authorization = '' }: NamedCredential): string[] {
	const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
	if (scheme.toLowerCase() !== 'basic') return [authorization, value];
	const login = Buffer.from(value, 'base64').toString('utf8');
	return [authorization, value, login, login.slice(login.indexOf(':') + 1)];
}

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** As it is, inside a JSON text, or as it stands in an address, encoded once or more, with digits in either case. */
function spellings(char: string): string {
	const digit = (hex: string): string => (/[a-f]/.test(hex) ? `[${hex}${hex.toUpperCase()}]` : hex);
	const bytes = [...Buffer.from(char)].map((byte) => `%(?:25)*${[...byte.toString(16).padStart(2, '0')].map(digit).join('')}`);
	return `(?:${escaped(char)}|${escaped(JSON.stringify(char).slice(1, -1))}|${bytes.join('')}${char === ' ' ? '|\\+' : ''})`;
}

function secretsIn(credential: NamedCredential): RegExp | undefined {
	const secrets = [credential.token, credential.partnerKey, ...authorizationParts(credential)].filter(
		({ length }) => length >= SHORTEST_SECRET,
	);
	// The longest first: one may be a part of another.
	const patterns = secrets.sort((one, other) => other.length - one.length).map((secret) => [...secret].map(spellings).join(''));
	return patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
}

/** Masks the credential's secrets in a text. */
export function secretMask(credential: NamedCredential | undefined): (text: string) => string {
	const secrets = credential && secretsIn(credential);
	return (text) => (secrets === undefined ? text : text.replace(secrets, MASK));
}

function copied(value: unknown, mask: (text: string) => string): unknown {
	if (typeof value === 'string') return mask(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((one) => copied(one, mask));
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [mask(name), copied(one, mask)]));
}

/**
 * A copy of something made of JSON, with the credential's secrets masked wherever they stand: some servers and proxies
 * repeat in their answer what they were sent. What nests without measure is cut.
 */
export function withoutSecrets<T>(value: T, credential?: NamedCredential): T {
	return copied(shallow(value), secretMask(credential)) as T;
}
