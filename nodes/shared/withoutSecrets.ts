import { limitDepth } from '../../client';
import { enteredUrls, type NamedCredential } from './credentials';

/** Shorter texts occur by chance in any text. */
const SHORTEST_SECRET = 6;
/** In results, a secret is masked only if it is at least this long, or shorter with letters and digits. */
const LONG_SECRET = 20;
const SECRET_WITH_DIGITS = 8;
const MASK = '***';

/** Returns the whole header, the part after its scheme, and the user and password of Basic. */
function authorizationParts(authorization: string): string[] {
	const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
	if (scheme.toLowerCase() !== 'basic') return [authorization, value];
	const login = Buffer.from(value, 'base64').toString('utf8');
	return [authorization, value, login, login.slice(login.indexOf(':') + 1)];
}

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns a pattern for the character as it is, in JSON, and in an address, percent-encoded once or more in either case. */
function spellings(char: string): string {
	const digit = (hex: string): string => (/[a-f]/.test(hex) ? `[${hex}${hex.toUpperCase()}]` : hex);
	const bytes = [...Buffer.from(char)].map((byte) => `%(?:25)*${[...byte.toString(16).padStart(2, '0')].map(digit).join('')}`);
	return `(?:${escaped(char)}|${escaped(JSON.stringify(char).slice(1, -1))}|${bytes.join('')}${char === ' ' ? '|\\+' : ''})`;
}

/** Returns the secrets of a credential and the headers that carry them. */
function secretsOf(credential: NamedCredential): string[] {
	const { token, partnerKey, partnerAuthToken = '', authorization = '', headers = {}, moreServers = [] } = credential;
	const signIns = [{ authorization, headers }, ...moreServers];
	const sent = signIns.flatMap((signIn) => [signIn.authorization, ...Object.values(signIn.headers)]).flatMap(authorizationParts);
	return [token && `Bearer ${token}`, token, partnerKey, partnerAuthToken, ...sent].filter(({ length }) => length >= SHORTEST_SECRET);
}

/**
 * Whether a text in the data of a result can only be the secret. A password may be an ordinary word, which also occurs in a
 * prompt, a file name or a model name. Masking that word would change the result.
 */
function isUnmistakable(secret: string, credential: NamedCredential): boolean {
	if (/^(Bearer|Basic) /i.test(secret)) return true;
	if (enteredUrls(credential).some((url) => url.includes(secret))) return false;
	return secret.length >= LONG_SECRET || (secret.length >= SECRET_WITH_DIGITS && /\d/.test(secret) && /[a-z]/i.test(secret));
}

type Mask = (text: string) => string;
export type ResultMask = <T>(value: T) => T;

function maskOf(secrets: string[]): Mask {
	if (secrets.length === 0) return (text) => text;
	// The longest first, because one secret may contain another.
	const inOrder = [...new Set(secrets)].sort((one, other) => other.length - one.length);
	const pattern = new RegExp(inOrder.map((secret) => [...secret].map(spellings).join('')).join('|'), 'g');
	// This search is much faster than the pattern, which only texts with encoded characters need.
	const mayHold = (text: string) => /[%\\+]/.test(text) || inOrder.some((secret) => text.includes(secret));
	return (text) => (mayHold(text) ? text.replace(pattern, MASK) : text);
}

/** Returns a function that masks the credential's secrets in a text. */
export const secretMask = (credential: NamedCredential | undefined): Mask =>
	credential === undefined ? (text) => text : maskOf(secretsOf(credential));

/** Returns the same value if nothing was masked, else a copy. */
function maskIn(value: unknown, mask: Mask): unknown {
	if (typeof value === 'string') return mask(value);
	if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
	if (Array.isArray(value)) {
		let copy: unknown[] | undefined;
		for (let index = 0; index < value.length; index++) {
			const one = maskIn(value[index], mask);
			if (one !== value[index]) (copy ??= [...(value as unknown[])])[index] = one;
		}
		return copy ?? value;
	}
	const entries = Object.entries(value);
	const copy = entries.map(([name, one]) => [mask(name), maskIn(one, mask)] as const);
	return copy.every(([name, one], index) => name === entries[index]?.[0] && one === entries[index]?.[1]) ? value : Object.fromEntries(copy);
}

/**
 * Returns a copy of JSON data with the credential's secrets masked, because some servers and proxies repeat in their answer
 * what was sent to them. Very deep data is cut.
 */
export function withoutSecrets<T>(value: T, credential?: NamedCredential): T {
	return maskIn(limitDepth(value), secretMask(credential)) as T;
}

/** Returns a mask for the data of results. It keeps secrets that may be ordinary words, and cuts nothing. */
export function resultMask(credential: NamedCredential): ResultMask {
	const secrets = secretsOf(credential).filter((secret) => isUnmistakable(secret, credential));
	if (secrets.length === 0) return (value) => value;
	const mask = maskOf(secrets);
	return <T>(value: T) => maskIn(value, mask) as T;
}
