const PARAMETER = /;\s*(filename\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/gi;
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i;

/**
 * The file name in a `Content-Disposition` header (RFC 6266): `filename*` before `filename`. As it stands there, so that
 * it is not safe to save under.
 */
export function dispositionName(header: string | undefined): string | null {
	const found = new Map([...`;${header ?? ''}`.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]));
	return extended(found.get('filename*')) || plain(found.get('filename')) || null;
}

function extended(value: string | undefined): string | undefined {
	const [, charset = '', text = ''] = EXTENDED.exec(value?.replace(/^"(.*)"$/, '$1') ?? '') ?? [];
	const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString(charset.toLowerCase() === 'utf-8' ? 'utf8' : 'latin1');
}

/** Headers are bytes, told as Latin-1 or read already; servers write UTF-8 into them without a word: ComfyUI is one. */
function plain(value: string | undefined): string | undefined {
	const text = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
	if (text === undefined || /[^\0-\xff]/.test(text)) return text;
	const asUtf8 = Buffer.from(text, 'latin1').toString('utf8');
	return asUtf8.includes('\ufffd') ? text : asUtf8;
}
