import { decodePercent, limitDepth, onePerKey } from '../../client';
import { enteredUrls, type NamedCredential } from './credentials';
import type { Mask } from './messages/words';

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

/** Returns a pattern for hexadecimal digits in either case. */
const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const ENTITY_NAMES: Partial<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Returns a pattern for the HTML entities of the character: by number, and by name if HTML escapes it. */
function entity(char: string): string {
	const code = char.codePointAt(0) ?? 0;
	const name = ENTITY_NAMES[char];
	return `&(?:amp;)*(?:#0*${code}|#[xX]0*${anyCase(code.toString(16))}${name === undefined ? '' : `|${name}`});`;
}

/**
 * Returns a pattern for the character as it is, in JSON, as an HTML entity, and in an address, percent-encoded once or more
 * in either case.
 */
function spellings(char: string): string {
	const inJson = Array.from({ length: char.length }, (_, at) => `\\\\u${anyCase(char.charCodeAt(at).toString(16).padStart(4, '0'))}`);
	const bytes = [...Buffer.from(char)].map((byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, '0'))}`);
	const all = [escaped(char), escaped(JSON.stringify(char).slice(1, -1)), inJson.join(''), bytes.join(''), entity(char)];
	return `(?:${all.join('|')}${char === ' ' ? '|\\+' : ''})`;
}

/**
 * Returns the part of the Base64 of a longer text that depends only on the secret in it, for a secret at this offset.
 * Before and after it, one character can depend on the secret and on the text around it.
 */
function base64Core(secret: string, offset: number): { core: string; begins: boolean; ends: boolean } {
	const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
	const core = bytes.toString('base64').slice(offset === 0 ? 0 : offset + 1, Math.floor((bytes.length * 8) / 6));
	return { core, begins: offset === 0, ends: bytes.length % 3 === 0 };
}

const BASE64_CHAR = '[A-Za-z0-9+/_-]';

/** How a secret as a whole is encoded: the text to search for, and the pattern of what to mask. */
function encodings(secret: string): Array<{ text: string; pattern: string }> {
	const hex = Buffer.from(secret).toString('hex');
	const inBase64 = [0, 1, 2].flatMap((offset) => {
		const { core, begins, ends } = base64Core(secret, offset);
		return [core, core.replace(/\+/g, '-').replace(/\//g, '_')].map((text) => ({
			text,
			pattern: `${begins ? '' : BASE64_CHAR}${escaped(text)}${ends ? '' : BASE64_CHAR}={0,2}`,
		}));
	});
	return [...[hex, hex.toUpperCase()].map((text) => ({ text, pattern: text })), ...inBase64];
}

/** Returns the pairs of a `Cookie` header and their values, as they are and decoded. */
function cookieParts([name, value]: [name: string, value: string]): string[] {
	if (name.toLowerCase() !== 'cookie') return [];
	return value.split(';').flatMap((pair) => {
		const text = pair.slice(pair.indexOf('=') + 1).trim();
		return [pair.trim(), text, decodePercent(text)];
	});
}

/** Returns the secrets of a credential and the headers that carry them. */
function secretsOf(credential: NamedCredential): string[] {
	const { token, partnerKey, partnerAuthToken = '', authorization = '', headers = {}, moreServers = [] } = credential;
	const signIns = [{ authorization, headers }, ...moreServers];
	const sent = signIns.flatMap((signIn) => [signIn.authorization, ...Object.values(signIn.headers)]).flatMap(authorizationParts);
	const cookies = signIns.flatMap((signIn) => Object.entries(signIn.headers)).flatMap(cookieParts);
	return [token && `Bearer ${token}`, token, partnerKey, partnerAuthToken, ...sent, ...cookies].filter(
		({ length }) => length >= SHORTEST_SECRET,
	);
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

export type ResultMask = <T>(value: T) => T;

function maskOf(secrets: string[]): Mask {
	if (secrets.length === 0) return (text) => text;
	// The longest first, because one secret may contain another.
	const inOrder = [...new Set(secrets)].sort((one, other) => other.length - one.length);
	const encoded = inOrder.flatMap(encodings);
	const whole = inOrder.map((secret) => [...secret].map(spellings).join(''));
	const pattern = new RegExp([...whole, ...encoded.map((encoding) => encoding.pattern)].join('|'), 'g');
	// This search is much faster than the pattern, which only texts with encoded characters need.
	const searched = [...inOrder, ...encoded.map(({ text }) => text)];
	const mayHold = (text: string) => /[%\\+&]/.test(text) || searched.some((one) => text.includes(one));
	return (text) => (mayHold(text) ? text.replace(pattern, MASK) : text);
}

const maskOfCredential = onePerKey<NamedCredential, Mask>((credential) => maskOf(secretsOf(credential)));

/** Returns a function that masks the credential's secrets in a text. */
export const secretMask = (credential: NamedCredential | undefined): Mask =>
	credential === undefined ? (text) => text : maskOfCredential(credential);

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
export const resultMask = onePerKey((credential: NamedCredential): ResultMask => {
	const secrets = secretsOf(credential).filter((secret) => isUnmistakable(secret, credential));
	if (secrets.length === 0) return (value) => value;
	const mask = maskOf(secrets);
	return <T>(value: T) => maskIn(value, mask) as T;
});
