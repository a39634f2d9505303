import { inspect } from 'node:util';

/** Base64 of a text depends on how many bytes stand before it: what of it is the same in each case. */
function wrapped(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes])
			.toString('base64')
			.replace(/=+$/, '');
		// The first and the last digit hold bits of the bytes beside it.
		return encoded.slice(before === 0 ? 0 : before + 1, -1);
	});
}

/** A secret as it may stand in a text: as it is, in a JSON text, in an address, or inside Basic and the like. */
const spellings = (secret: string): string[] => [
	...new Set([
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		encodeURIComponent(encodeURIComponent(secret)),
		...wrapped(secret),
		...wrapped(secret).map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
		Buffer.from(secret).toString('hex'),
	]),
];

/** All there is to see of it: messages, causes, facts that are no part of its JSON, and texts as long as they are. */
const allOf = (told: unknown): string =>
	typeof told === 'string' ? told : `${inspect(told, { depth: 20, maxStringLength: null, maxArrayLength: null })}\n${asJson(told)}`;

/** What is no JSON has been looked at already. */
function asJson(told: unknown): string {
	try {
		return JSON.stringify(told) ?? '';
	} catch {
		return '';
	}
}

/** The beginnings of all secrets in a text, in any encoding. */
export function secretsIn(told: unknown, secrets: readonly string[]): string[] {
	const text = allOf(told);
	return secrets.filter((secret) => spellings(secret).some((spelled) => text.includes(spelled))).map((secret) => `${secret.slice(0, 16)}…`);
}
