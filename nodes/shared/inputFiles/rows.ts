import { GraphError, type GraphInputFault, outcomeOf, WebFileError } from '../../../client';
import { type ChosenInput, readChosenInput } from '../inputs/chosenInput';
import { EmptyField, ItemFault } from '../itemFault';
import { readOptions } from '../options';
import { graphInputWords } from '../explain/graph';
import { webFileWords } from '../explain/webFile';
import { messages } from '../messages/catalogue';
import { NO_JOB, type Words } from '../messages/words';
import type { ReadParameter } from '../parameters';
import { largestFile } from './description';

export interface FileRow extends ChosenInput {
	/** The number of the row, from 1. */
	number: number;
	/** The name for messages, if the file was not entered in a row of *Files*. */
	displayName?: string;
	from: 'base64' | 'binary' | 'url' | 'reference';
	/** Base64 text, the name of a binary field, a URL, or an asset reference. */
	value: unknown;
}

export interface FileSettings {
	rows: FileRow[];
	/** The largest size of a file from a URL or from Base64. */
	largestBytes: number;
}

interface FileRowParameters {
	input?: unknown;
	from?: FileRow['from'];
	base64?: unknown;
	binaryPropertyName?: unknown;
	url?: unknown;
	reference?: unknown;
}

function toFileRow(
	{ input, from = 'binary', base64, binaryPropertyName = 'data', url, reference }: FileRowParameters,
	index: number,
): FileRow {
	const value = { base64, binary: binaryPropertyName, url, reference }[from];
	return { ...readChosenInput(input), number: index + 1, from, value };
}

/** Reads the rows of *Files*. */
export function readFileRows(read: ReadParameter): FileSettings {
	const rows = read<{ values?: FileRowParameters[] }>('files', {}).values ?? [];
	return { rows: rows.map(toFileRow), ...readOptions({ largestBytes: largestFile }, read) };
}

/** Reads the rows of *Input Files*, which name files of the service. */
export function readReferenceRows(read: ReadParameter): FileRow[] {
	const rows = read<{ values?: FileRowParameters[] }>('inputFiles', {}).values ?? [];
	return rows.map((row, index) => toFileRow({ ...row, from: 'reference' }, index));
}

export const rowName = ({ number, label, displayName }: FileRow): string =>
	displayName ?? `File ${number}${label === '' ? '' : ` (${label})`}`;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A fault of one row. Its message names the row. */
export class RowFault extends ItemFault {
	constructor(row: FileRow, { code, message, advice }: Words) {
		super({ code, message: `${rowName(row)}: ${message}`, advice: `${NO_JOB} ${advice}` });
	}
}

/** Returns the fault for a field of the row whose expression found nothing. */
export const emptyRowField = (row: FileRow, field: string, advice: string): EmptyField =>
	new EmptyField(messages.FILE_ROW_FIELD_EMPTY(rowName(row), field, advice));

function toRowFault(row: FileRow, error: unknown): unknown {
	if (error instanceof EmptyField || error instanceof RowFault) return error;
	if (error instanceof ItemFault) return new RowFault(row, { ...error.words, message: lowerFirst(error.message) });
	if (error instanceof WebFileError) return new RowFault(row, webFileWords(error));
	if (!(error instanceof GraphError)) return error;
	const { code, message, advice } = graphInputWords(error.facts as GraphInputFault);
	return new ItemFault({ code, message: `${rowName(row)}: ${message}`, advice: `${advice} Correct or remove this row of Files.` });
}

/** Does the work for a row. A fault then names the row. */
export async function withRowName<T>(row: FileRow, work: () => Promise<T>): Promise<T> {
	const outcome = await outcomeOf(work());
	if (!outcome.ok) throw toRowFault(row, outcome.error);
	return outcome.value;
}
