import type { ReadParameter } from '../../operations';
import { locatorValue, numberOf } from '../../parameters';
import { DEFAULT_LARGEST_FILE_MB, largestFile } from './description';

export interface FileRow {
	/** From 1, as people count. */
	number: number;
	/** `1.image`, or what was entered By Name; empty where nothing was chosen. */
	name: string;
	/** What the list called it on the day it was chosen; undefined for what was entered. */
	chosenAs?: string;
	label: string;
	from: 'binary' | 'url' | 'reference';
	/** Name of a field, an address, or a reference. */
	value: unknown;
}

export interface FileSettings {
	rows: FileRow[];
	/** Of a file from a URL. */
	largestBytes: number;
}

interface Entered {
	input?: unknown;
	from?: FileRow['from'];
	binaryPropertyName?: unknown;
	url?: unknown;
	reference?: unknown;
}

/** What a row was called, without the value of that day. */
const labelOf = (cachedName: string): string => cachedName.replace(/ \(was .*\)$/s, '');

const cachedName = (input: unknown): string | undefined => {
	const cached = typeof input === 'object' && input !== null && 'mode' in input && input.mode === 'list' && 'cachedResultName' in input ? input.cachedResultName : undefined;
	return typeof cached === 'string' && cached !== '' ? labelOf(cached) : undefined;
};

function rowOf({ input, from = 'binary', binaryPropertyName = 'data', url, reference }: Entered, index: number): FileRow {
	const name = String(locatorValue(input) ?? '').trim();
	const chosenAs = cachedName(input);
	const value = { binary: binaryPropertyName, url, reference }[from];
	return { number: index + 1, name, label: chosenAs ?? name, from, value, ...(chosenAs !== undefined && { chosenAs }) };
}

/** The rows of *Files*, as they were entered. */
export function readFileRows(read: ReadParameter): FileSettings {
	const rows = read<{ values?: Entered[] }>('files', {}).values ?? [];
	const { largestFileMb = DEFAULT_LARGEST_FILE_MB } = read<{ largestFileMb?: unknown }>('options', {});
	return { rows: rows.map(rowOf), largestBytes: numberOf(largestFileMb, largestFile.displayName, 1) * 1024 * 1024 };
}
