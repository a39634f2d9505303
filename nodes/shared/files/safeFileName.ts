import { extensionOf } from '../../../client';

/**
 * Control characters, half characters, what turns the direction of writing or is not seen (but for the joiners that
 * scripts need), path separators, and what Windows does not allow in a name.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]|(?![\u200c\u200d])\p{Cf}/gu;

/** What Windows takes for devices, whatever the extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(?=\.|$)/i;

/** Most disks take 255. */
const LONGEST_BYTES = 200;

/** Of a longer name, which nobody gives in earnest, the end is looked at: patterns are slow on long texts. */
const MOST_CHARACTERS = 2_000;

/** The end, where the extension is. */
function endOf(name: string): string {
	const chars = [...name];
	let bytes = Buffer.byteLength(name);
	let from = 0;
	while (bytes > LONGEST_BYTES) bytes -= Buffer.byteLength(chars[from++] ?? '');
	return chars.slice(from).join('');
}

function cleaned(name: string): string {
	const last = (name.split(/[/\\]/).pop() ?? '').slice(-MOST_CHARACTERS);
	const safe = last.replace(UNSAFE, '_').replace(/^[.\s]+|[.\s]+$/g, '');
	return endOf(safe.replace(DEVICE, '_$&')).trim();
}

/** The last part of a name from elsewhere, safe to save under on any disk: no folders, nothing unseen, never empty. */
export function safeFileName(name: string, fallback: string, contentType?: string): string {
	const base = cleaned(name) || cleaned(fallback);
	const known = contentType === undefined ? undefined : extensionOf(contentType);
	return known !== undefined && !base.includes('.') ? `${base}.${known}` : base;
}
