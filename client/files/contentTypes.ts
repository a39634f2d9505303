import type { FileKind } from '../graph/inputs/files';

/** The content types that workflows use, each with its file extensions, the usual one first. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
	'image/png': ['png'],
	'image/apng': ['apng'],
	'image/jpeg': ['jpg', 'jpeg'],
	'image/webp': ['webp'],
	'image/gif': ['gif'],
	'image/avif': ['avif'],
	'image/svg+xml': ['svg'],
	'image/bmp': ['bmp'],
	'image/tiff': ['tif', 'tiff'],
	'image/x-exr': ['exr'],
	'video/mp4': ['mp4', 'm4v'],
	'video/webm': ['webm'],
	'video/quicktime': ['mov'],
	'video/x-matroska': ['mkv'],
	'video/x-msvideo': ['avi'],
	'audio/wav': ['wav'],
	'audio/mpeg': ['mp3'],
	'audio/flac': ['flac'],
	'audio/ogg': ['ogg'],
	'audio/opus': ['opus'],
	'audio/mp4': ['m4a'],
	'audio/aac': ['aac'],
	'text/plain': ['txt', 'srt'],
	'text/markdown': ['md'],
	'text/csv': ['csv'],
	'application/json': ['json'],
	'application/zip': ['zip'],
	'application/pdf': ['pdf'],
	'model/gltf-binary': ['glb'],
	'model/gltf+json': ['gltf'],
	'model/obj': ['obj'],
	'model/stl': ['stl'],
};

/** Other names that servers use for these types. */
const ALIASES: Readonly<Record<string, string>> = {
	'image/jpg': 'image/jpeg',
	'image/x-png': 'image/png',
	'image/aces': 'image/x-exr',
	'video/x-m4v': 'video/mp4',
	'video/matroska': 'video/x-matroska',
	'video/avi': 'video/x-msvideo',
	'audio/x-wav': 'audio/wav',
	'audio/wave': 'audio/wav',
	'audio/vnd.wave': 'audio/wav',
	'audio/mp3': 'audio/mpeg',
	'audio/x-flac': 'audio/flac',
	'audio/m4a': 'audio/mp4',
	'audio/x-m4a': 'audio/mp4',
	'application/ogg': 'audio/ogg',
	'application/x-zip-compressed': 'application/zip',
	'application/x-pdf': 'application/pdf',
	'model/x-obj': 'model/obj',
	'model/x.stl-binary': 'model/stl',
};

const TYPE_OF_EXTENSION = new Map(
	Object.entries(EXTENSIONS).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
);

export const UNKNOWN_TYPE = 'application/octet-stream';

/** Returns the content type for the extension of a file name; `application/octet-stream` if it is unknown. */
export function contentTypeOf(fileName: string): string {
	const extension = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return TYPE_OF_EXTENSION.get(extension) ?? UNKNOWN_TYPE;
}

/** Returns the usual file extension without its dot; undefined for an unknown type. */
export function extensionOf(contentType: string): string | undefined {
	const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
	const name = Object.hasOwn(ALIASES, type) ? (ALIASES[type] as string) : type;
	return Object.hasOwn(EXTENSIONS, name) ? EXTENSIONS[name]?.[0] : undefined;
}

/** This many bytes at the start of a file are enough to detect its type. */
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
	[/^avi[fs]|^m[is]f1[^]{4}([^]{4}){0,20}avi[fs]/, 'image/avif'],
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
	// Image formats whose header, and in some cases pixels, are text.
	[/^P[1-7f]\s/i, 'image/x-portable-anymap'],
];

/**
 * Detects the content type from the first bytes.
 * @returns undefined if they do not identify a type.
 */
export function detectContentType(head: Uint8Array): string | undefined {
	const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES));
	const text = bytes.toString('latin1');
	const signed = SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1];
	if (signed !== undefined) return signed;
	if (text.startsWith('RIFF')) return RIFF[text.slice(8, 12)];
	if (text.slice(4, 8) === 'ftyp') return BRANDS.find(([brand]) => brand.test(text.slice(8)))?.[1] ?? 'video/mp4';
	if (text.startsWith('\x1aE\xdf\xa3')) return text.includes('webm') ? 'video/webm' : 'video/x-matroska';
	const markup = MARKUP.find(([pattern]) => pattern.test(withoutComments(text.replace(BYTE_ORDER_MARK, ''))))?.[1];
	return markup ?? (isPlainText(bytes) ? 'text/plain' : undefined);
}

const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** A pattern would look for the end of a comment again from the start of every other one. */
function withoutComments(markup: string): string {
	const [start = '', ...comments] = markup.split('<!--');
	const following = comments.map((comment) => {
		const end = comment.indexOf('-->');
		return end < 0 ? '' : comment.slice(end + '-->'.length).trimStart();
	});
	return [start, ...following].join('').trimStart();
}

/**
 * Whether the bytes can be text in an encoding that extends ASCII: they contain no control character that text does not
 * use.
 */
const isPlainText = (bytes: Uint8Array): boolean =>
	bytes.byteLength > 0 && !bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));

/**
 * Returns the content type of a file: from its bytes if they identify it, or else the declared type, or else from its
 * name.
 * @param declared a content type, which may have parameters.
 */
export function chooseContentType(head: Uint8Array, declared: string | null, fileName: string): string {
	const seen = detectContentType(head);
	if (seen !== undefined && seen !== 'text/plain') return seen;
	const said = (declared?.split(';')[0] ?? '').trim().toLowerCase();
	if (said !== '' && said !== UNKNOWN_TYPE && said !== 'binary/octet-stream') return said;
	const named = contentTypeOf(fileName);
	return named === UNKNOWN_TYPE ? (seen ?? UNKNOWN_TYPE) : named;
}

const NOT_MEDIA = /^(text\/|application\/(json|xml|pdf|zip)$)/;

/** ComfyUI reads images with Pillow, which cannot draw SVG and may crop HEIC. */
const NOT_AN_IMAGE = /^(audio\/|video\/|image\/(heic|svg\+xml)$)/;

const WRONG_TYPES: Readonly<Record<Exclude<FileKind, 'any'>, RegExp>> = {
	image: NOT_AN_IMAGE,
	mask: NOT_AN_IMAGE,
	// Video containers may contain only sound, and image formats may be animated. Only formats that certainly do not fit
	// are listed.
	audio: /^image\/(png|jpeg|webp|tiff|svg\+xml)$/,
	video: /^audio\/(mpeg|wav|flac)$/,
};

/**
 * Whether an input of this kind certainly cannot use the file. ComfyUI decides about doubtful ones.
 * @param seen the content type that the bytes show.
 */
export const isWrongKind = (seen: string | undefined, kind: FileKind = 'any'): seen is string =>
	seen !== undefined && kind !== 'any' && (NOT_MEDIA.test(seen) || WRONG_TYPES[kind].test(seen));
