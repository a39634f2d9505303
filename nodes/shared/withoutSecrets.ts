import { limitDepth } from '../../client';
import type { NamedCredential } from './credentials';

/** Shorter ones would be found in any text. */
const SHORTEST_SECRET = 6;
/** In results, a secret is masked only if it is at least so long, or somewhat shorter with letters and digits. */
const LONG_SECRET = 20;
const SECRET_WITH_DIGITS = 8;
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

/** The secrets of a credential, and the headers that carry them. */
function secretsOf(credential: NamedCredential): string[] {
	const { token, partnerKey, authorization = '' } = credential;
	const headers = [authorization, token && `Bearer ${token}`];
	return [...headers, token, partnerKey, ...authorizationParts(credential)].filter(({ length }) => length >= SHORTEST_SECRET);
}

/**
 * Whether a secret in the data of a result can be nothing else. A password may be an ordinary word, of a prompt, a file
 * name or a model; to mask that would change the result.
 */
function isUnmistakable(secret: string, { baseUrl, engineUrl = '', hostedUrl = '' }: NamedCredential): boolean {
	if (/^(Bearer|Basic) /i.test(secret)) return true;
	if (`${baseUrl} ${engineUrl} ${hostedUrl}`.includes(secret)) return false;
	return secret.length >= LONG_SECRET || (secret.length >= SECRET_WITH_DIGITS && /\d/.test(secret) && /[a-z]/i.test(secret));
}

type Mask = (text: string) => string;
export type ResultMask = <T>(value: T) => T;

function maskOf(secrets: string[]): Mask {
	if (secrets.length === 0) return (text) => text;
	// The longest first: one may be a part of another.
	const inOrder = [...new Set(secrets)].sort((one, other) => other.length - one.length);
	const pattern = new RegExp(inOrder.map((secret) => [...secret].map(spellings).join('')).join('|'), 'g');
	// Searching for the secrets as they are is much faster than the pattern, which only texts with encoded characters need.
	const mayHold = (text: string) => /[%\\+]/.test(text) || inOrder.some((secret) => text.includes(secret));
	return (text) => (mayHold(text) ? text.replace(pattern, MASK) : text);
}

/** Masks the credential's secrets in a text. */
export const secretMask = (credential: NamedCredential | undefined): Mask =>
	credential === undefined ? (text) => text : maskOf(secretsOf(credential));

/** The same value where nothing was masked, else a copy. */
function masked(value: unknown, mask: Mask): unknown {
	if (typeof value === 'string') return mask(value);
	if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
	if (Array.isArray(value)) {
		let copy: unknown[] | undefined;
		for (let index = 0; index < value.length; index++) {
			const one = masked(value[index], mask);
			if (one !== value[index]) (copy ??= [...(value as unknown[])])[index] = one;
		}
		return copy ?? value;
	}
	const entries = Object.entries(value);
	const copy = entries.map(([name, one]) => [mask(name), masked(one, mask)] as const);
	return copy.every(([name, one], index) => name === entries[index]?.[0] && one === entries[index]?.[1]) ? value : Object.fromEntries(copy);
}

/**
 * A copy of something made of JSON, with the credential's secrets masked wherever they stand: some servers and proxies
 * repeat in their answer what they were sent. What nests without measure is cut.
 */
export function withoutSecrets<T>(value: T, credential?: NamedCredential): T {
	return masked(limitDepth(value), secretMask(credential)) as T;
}

/** The same for the data of results: what may be an ordinary word stays, and nothing is cut. */
export function resultMask(credential: NamedCredential): ResultMask {
	const secrets = secretsOf(credential).filter((secret) => isUnmistakable(secret, credential));
	if (secrets.length === 0) return (value) => value;
	const mask = maskOf(secrets);
	return <T>(value: T) => masked(value, mask) as T;
}
