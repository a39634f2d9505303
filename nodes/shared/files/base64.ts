import { formatMegabytes, UNKNOWN_TYPE } from '../../../client';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import type { InputFile } from './inputFile';

/** About 1 MiB of the file. */
const PIECE_CHARACTERS = 1_400_000;

/** The start of a data URL is at most this long. */
const LONGEST_HEAD = 1_000;
const DATA_URL = /^\s*data:([^,]*),/i;

/** Both alphabets of RFC 4648, and line breaks. */
const NOT_BASE64 = /[^A-Za-z0-9+/_\-=\s]/g;
const AFTER_PADDING = /[^=\s]/g;

/** Where the Base64 characters are in the text. */
interface Base64Range {
	/** Index of the first character. */
	from: number;
	/** Index after the last character, without its padding. */
	to: number;
	contentType: string;
}

/** Skips the head of a data URL. @throws ItemFault if the data URL has another encoding. */
function readHead(text: string): Omit<Base64Range, 'to'> {
	const [head, parameters] = DATA_URL.exec(text.slice(0, LONGEST_HEAD)) ?? [];
	if (head === undefined || parameters === undefined) return { from: 0, contentType: UNKNOWN_TYPE };
	const [contentType = '', ...others] = parameters.split(';').map((part) => part.trim());
	if (others.at(-1)?.toLowerCase() !== 'base64') throw new ItemFault(messages.DATA_URL_NOT_BASE64());
	return { from: head.length, contentType: contentType === '' ? UNKNOWN_TYPE : contentType };
}

/** Returns the index of the first match at or after `from`, or -1. It copies nothing. */
function findFrom(pattern: RegExp, text: string, from: number): number {
	pattern.lastIndex = from;
	return pattern.exec(text)?.index ?? -1;
}

/** Returns a visible character as it is, and any other one as its code. */
function nameOf(text: string, at: number): string {
	const code = text.codePointAt(at) ?? 0;
	return code > 0x20 && code < 0x7f ? `"${String.fromCharCode(code)}"` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** @throws ItemFault that names the first character that cannot be there. */
function findRange(text: string): Base64Range {
	const { from, contentType } = readHead(text);
	const broken = findFrom(NOT_BASE64, text, from);
	const padding = text.indexOf('=', from);
	const isPaddingInside = padding >= 0 && findFrom(AFTER_PADDING, text, padding) >= 0;
	const faults = [broken, isPaddingInside ? padding : -1].filter((at) => at >= 0);
	if (faults.length > 0) {
		const at = Math.min(...faults);
		const where = `character ${(at + 1).toLocaleString('en')} of ${text.length.toLocaleString('en')} is ${nameOf(text, at)}`;
		throw new ItemFault(at === broken ? messages.BASE64_WRONG_CHARACTER(where) : messages.BASE64_PADDING_INSIDE(where));
	}
	return { from, to: padding < 0 ? text.length : padding, contentType };
}

/** Returns the pieces of the text without line breaks. Each piece except the last has a multiple of four characters. */
function* pieces(text: string, { from, to }: Base64Range): Generator<string> {
	let rest = '';
	for (let at = from; at < to; at += PIECE_CHARACTERS) {
		const piece = rest + text.slice(at, Math.min(at + PIECE_CHARACTERS, to)).replace(/\s+/g, '');
		const whole = piece.length - (piece.length % 4);
		rest = piece.slice(whole);
		if (whole > 0) yield piece.slice(0, whole);
	}
	if (rest !== '') yield rest;
}

function countCharacters(text: string, range: Base64Range): number {
	let count = 0;
	for (const piece of pieces(text, range)) count += piece.length;
	return count;
}

/** Decodes one piece at a time. */
async function* decode(text: string, range: Base64Range): AsyncGenerator<Uint8Array, void, undefined> {
	for (const piece of pieces(text, range)) yield Buffer.from(piece, 'base64');
}

/**
 * Returns the file in a Base64 text or a data URL. It accepts both alphabets, line breaks, and missing padding.
 * @throws ItemFault if the text is not Base64, is incomplete or empty, or if the file is larger than `largestBytes`.
 */
export function readBase64File(text: string, largestBytes: number, sizeField: string): InputFile {
	const range = findRange(text);
	const characters = countCharacters(text, range);
	if (characters === 0) throw new ItemFault(messages.BASE64_EMPTY());
	if (characters % 4 === 1) throw new ItemFault(messages.BASE64_INCOMPLETE(characters.toLocaleString('en')));
	const sizeBytes = Math.floor((characters * 3) / 4);
	if (sizeBytes > largestBytes)
		throw new ItemFault(messages.BASE64_TOO_LARGE(formatMegabytes(largestBytes), formatMegabytes(sizeBytes), sizeField));
	const { contentType } = range;
	return { source: { open: () => decode(text, range), sizeBytes, contentType }, fileName: '', contentType };
}
