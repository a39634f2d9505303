import { isRecord } from '../../../client';
import { type FileRow, RowFault } from './rows';

const NAMES = { base64: 'Base64', binary: 'Binary Field', url: 'URL', reference: 'Reference' } as const;

/** n8n writes this word, or an ID that begins with it, to `data` of a file that it does not keep in memory. */
const STORED_IN_N8N = /^(filesystem(-v2)?|database|s3)(:|$)/;
/** The longest beginning of a text that decides. */
const LONGEST_BEGINNING = 1_000;

/** Returns what the value of the row is, if its beginning shows that only another choice of *From* reads it. */
function findOther({ from, value }: FileRow): [what: string, advice: string] | undefined {
	const isFileOfItem = isRecord(value) && typeof value.mimeType === 'string';
	const text = typeof value === 'string' ? value.slice(0, LONGEST_BEGINNING).trim() : '';
	if (isFileOfItem || (from !== 'binary' && STORED_IN_N8N.test(text)))
		return [
			'a file of the item from $binary',
			'Set From to Binary Field, and enter the name of its field, for example data, without an expression.',
		];
	if (/^data:/i.test(text) && from !== 'base64') return ['a data URL', 'Set From to Base64.'];
	if (/^https?:/i.test(text) && (from === 'base64' || from === 'binary')) return ['a web address', 'Set From to URL.'];
	return undefined;
}

/** @throws RowFault for a value that another choice of *From* reads. */
export function rejectOtherFrom(row: FileRow): void {
	const [what, advice] = findOther(row) ?? [];
	if (what !== undefined && advice !== undefined) throw new RowFault(row, `${NAMES[row.from]} contains ${what}`, advice);
}
