import { type ChosenInput, chosenInput } from '../inputs/chosen';
import { enteredNumber, type ReadParameter } from '../parameters';
import { DEFAULT_LARGEST_FILE_MB, largestFile } from './description';

export interface FileRow extends ChosenInput {
	/** From 1, as people count. */
	number: number;
	/** Where it was entered elsewhere than in a row of *Files*. */
	called?: string;
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

function rowOf({ input, from = 'binary', binaryPropertyName = 'data', url, reference }: Entered, index: number): FileRow {
	const value = { binary: binaryPropertyName, url, reference }[from];
	return { ...chosenInput(input), number: index + 1, from, value };
}

/** The rows of *Files*, as they were entered. */
export function readFileRows(read: ReadParameter): FileSettings {
	const rows = read<{ values?: Entered[] }>('files', {}).values ?? [];
	const { largestFileMb = DEFAULT_LARGEST_FILE_MB } = read<{ largestFileMb?: unknown }>('options', {});
	return { rows: rows.map(rowOf), largestBytes: enteredNumber(largestFileMb, largestFile.displayName, 1) * 1024 * 1024 };
}

/** The rows of *Input Files*: files that the service has. */
export function readReferenceRows(read: ReadParameter): FileRow[] {
	const rows = read<{ values?: Entered[] }>('inputFiles', {}).values ?? [];
	return rows.map((row, index) => rowOf({ ...row, from: 'reference' }, index));
}
