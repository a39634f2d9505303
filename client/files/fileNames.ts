import type { FileReference } from '../ports/job';

/** Returns the name that loader nodes accept: with its folder, and with its type if it is not an input. */
export function toAnnotatedName({ filename, subfolder, type }: FileReference): string {
	const path = subfolder === '' ? filename : `${subfolder}/${filename}`;
	return type === 'input' ? path : `${path} [${type}]`;
}

const PARAMETER = /;\s*(filename\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/gi;
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i;

/**
 * Returns the file name of a `Content-Disposition` header (RFC 6266). `filename*` comes before `filename`. The name is
 * not safe as a path.
 */
export function parseDispositionName(header: string | undefined): string | null {
	const found = new Map([...`;${header ?? ''}`.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]));
	return decodeExtended(found.get('filename*')) || decodePlain(found.get('filename')) || null;
}

function decodeExtended(value: string | undefined): string | undefined {
	const [, charset = '', text = ''] = EXTENDED.exec(value?.replace(/^"(.*)"$/, '$1') ?? '') ?? [];
	const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString(charset.toLowerCase() === 'utf-8' ? 'utf8' : 'latin1');
}

/** HTTP libraries decode headers as Latin-1. Some servers, ComfyUI too, write UTF-8 into them. */
function decodePlain(value: string | undefined): string | undefined {
	const text = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
	if (text === undefined || /[^\0-\xff]/.test(text)) return text;
	const asUtf8 = Buffer.from(text, 'latin1').toString('utf8');
	return asUtf8.includes('\ufffd') ? text : asUtf8;
}
