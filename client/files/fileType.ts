/** What a file is, told by its first bytes: names and headers may be wrong. */
import type { FileKind } from '../graph/inputs/files';
import { contentTypeOf, UNKNOWN_TYPE } from './contentTypes';

/** How much of a file is enough. */
export const HEAD_BYTES = 4 * 1024;

const SIGNATURES: ReadonlyArray<readonly [signature: string, contentType: string]> = [
	['\x89PNG\r\n\x1a\n', 'image/png'],
	['\xff\xd8\xff', 'image/jpeg'],
	['GIF8', 'image/gif'],
	['II*\0', 'image/tiff'],
	['MM\0*', 'image/tiff'],
	['v/1\x01', 'image/x-exr'],
	['OggS', 'audio/ogg'],
	['fLaC', 'audio/flac'],
	['ID3', 'audio/mpeg'],
	['%PDF-', 'application/pdf'],
	['PK\x03\x04', 'application/zip'],
	['glTF', 'model/gltf-binary'],
];

const RIFF: Readonly<Record<string, string>> = { WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' };

/** ISO base media: the brand follows `ftyp`. */
const BRANDS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^avi[fs]/, 'image/avif'],
	[/^(hei|hev|mif1|msf1)/, 'image/heic'],
	[/^M4[AB] /, 'audio/mp4'],
	[/^qt {2}/, 'video/quicktime'],
];

const MARKUP: ReadonlyArray<readonly [RegExp, string]> = [
	[/^<(!doctype html|html|head|body|title|script|meta)\b/i, 'text/html'],
	[/^(<\?xml[^>]*>\s*)?(<!doctype svg[^>]*>\s*)?<svg\b/i, 'image/svg+xml'],
	[/^<\?xml\b/i, 'application/xml'],
	[/^<(error|html:html)\b/i, 'application/xml'],
	[/^[{[]\s*(["{[\]}\d-]|true|false|null|$)/, 'application/json'],
	// Pictures whose header is text, and whose pixels may be.
	[/^P[1-7f]\s/i, 'image/x-portable-anymap'],
];

/** @returns undefined for bytes that say nothing. */
export function typeOfBytes(head: Uint8Array): string | undefined {
	const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES));
	const text = bytes.toString('latin1');
	const signed = SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1];
	if (signed !== undefined) return signed;
	if (text.startsWith('RIFF')) return RIFF[text.slice(8, 12)];
	if (text.slice(4, 8) === 'ftyp') return BRANDS.find(([brand]) => brand.test(text.slice(8)))?.[1] ?? 'video/mp4';
	if (text.startsWith('\x1aE\xdf\xa3')) return text.includes('webm') ? 'video/webm' : 'video/x-matroska';
	const markup = MARKUP.find(([pattern]) => pattern.test(text.replace(TEXT_MARK, '').replace(BEFORE_MARKUP, '')))?.[1];
	return markup ?? (isText(bytes) ? 'text/plain' : undefined);
}

const TEXT_MARK = /^\xef\xbb\xbf/;
const BEFORE_MARKUP = /^(\s+|<!--[^]*?-->)+/;

/** In any encoding that is a superset of ASCII: it holds no character that no text has. */
const isText = (bytes: Uint8Array): boolean =>
	bytes.byteLength > 0 && !bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));

/**
 * What to call a file: by its bytes where they say it, then by whoever sent it, then by its name.
 * @param declared a content type, perhaps with parameters.
 */
export function typeOfFile(head: Uint8Array, declared: string | null, fileName: string): string {
	const seen = typeOfBytes(head);
	if (seen !== undefined && seen !== 'text/plain') return seen;
	const said = (declared?.split(';')[0] ?? '').trim().toLowerCase();
	if (said !== '' && said !== UNKNOWN_TYPE && said !== 'binary/octet-stream') return said;
	const named = contentTypeOf(fileName);
	return named === UNKNOWN_TYPE ? (seen ?? UNKNOWN_TYPE) : named;
}

const NO_MEDIA = /^(text\/|application\/(json|xml|pdf|zip)$)/;

const UNFIT: Readonly<Record<Exclude<FileKind, 'any'>, RegExp>> = {
	image: /^audio\//,
	mask: /^audio\//,
	// Containers of films hold sound, and pictures move: only what certainly holds none.
	audio: /^image\/(png|jpeg|webp|tiff|svg\+xml)$/,
	video: /^audio\/(mpeg|wav|flac)$/,
};

/**
 * Whether an input of this kind certainly cannot take a file; what is in doubt, ComfyUI itself decides.
 * @param seen what its bytes say.
 */
export const isUnfit = (seen: string | undefined, kind: FileKind = 'any'): seen is string =>
	seen !== undefined && kind !== 'any' && (NO_MEDIA.test(seen) || UNFIT[kind].test(seen));
