import { isRecord } from '../../../client';
import { messages } from '../messages/catalogue';
import type { Words } from '../messages/words';
import { type FileRow, RowFault } from './rows';

const NAMES = { base64: 'Base64', binary: 'Binary Field', url: 'URL', reference: 'Reference' } as const;

/** n8n writes this word, or an ID that begins with it, to `data` of a file that it does not keep in memory. */
const STORED_IN_N8N = /^(filesystem(-v2)?|database|s3)(:|$)/;
/** The longest beginning of a text that decides. */
const LONGEST_BEGINNING = 1_000;

/** Returns the message for the value of the row, if its beginning shows that only another choice of *From* reads it. */
function findOther({ from, value }: FileRow): ((field: string) => Words) | undefined {
	const isFileOfItem = isRecord(value) && typeof value.mimeType === 'string';
	const text = typeof value === 'string' ? value.slice(0, LONGEST_BEGINNING).trim() : '';
	if (isFileOfItem || (from !== 'binary' && STORED_IN_N8N.test(text))) return messages.ROW_CONTAINS_BINARY;
	if (/^data:/i.test(text) && from !== 'base64') return messages.ROW_CONTAINS_DATA_URL;
	if (/^https?:/i.test(text) && (from === 'base64' || from === 'binary')) return messages.ROW_CONTAINS_URL;
	return undefined;
}

/** @throws RowFault for a value that another choice of *From* reads. */
export function rejectOtherFrom(row: FileRow): void {
	const toWords = findOther(row);
	if (toWords !== undefined) throw new RowFault(row, toWords(NAMES[row.from]));
}
