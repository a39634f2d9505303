import { extensionOf } from '../../../client';

/**
 * Control characters, halves of characters, path separators, characters that Windows does not allow in names, and invisible
 * characters, except for the joiners that some scripts need.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]|(?![\u200c\u200d])\p{Cf}/gu;

/** Windows treats these names as devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(?=\.|$)/i;

/** Most file systems allow 255. */
const LONGEST_BYTES = 200;

/** Only the end of a longer name is used, because patterns are slow on long texts. */
const MOST_CHARACTERS = 2_000;

/** Returns the end of the name, which has the extension. */
function shortenStart(name: string): string {
	const chars = [...name];
	let bytes = Buffer.byteLength(name);
	let from = 0;
	while (bytes > LONGEST_BYTES) bytes -= Buffer.byteLength(chars[from++] ?? '');
	return chars.slice(from).join('');
}

function cleanName(name: string): string {
	const last = (name.split(/[/\\]/).pop() ?? '').slice(-MOST_CHARACTERS);
	const safe = last.replace(UNSAFE, '_').replace(/^[.\s]+|[.\s]+$/g, '');
	return shortenStart(safe.replace(DEVICE, '_$&')).trim();
}

/** Returns the last part of a foreign name as a safe file name: without folders and invisible characters, and never empty. */
export function safeFileName(name: string, fallback: string, contentType?: string): string {
	const base = cleanName(name) || cleanName(fallback);
	const extension = contentType === undefined ? undefined : extensionOf(contentType);
	return extension !== undefined && !base.includes('.') ? `${base}.${extension}` : base;
}
