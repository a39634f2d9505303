import { parseExact } from '../../json/exactJson';
import { hasMoreValues, replaceOutsideStrings } from '../../json/outsideStrings';
import { isRecord } from '../../decode';

/** What ComfyUI's Python writes for numbers that JSON does not have. */
const NOT_NUMBERS = /-?\b(NaN|Infinity)\b/g;
const IN_THEIR_PLACE = '\u0001no number\u0001';
/** A workflow of 5,000 nodes has fewer. A file of millions would block n8n for seconds, and take gigabytes of memory. */
const MOST_VALUES = 500_000;

/** A JSON text with more values than any workflow has. It is not parsed. */
export class TooManyValues extends Error {
	constructor() {
		super(`it has more than ${MOST_VALUES.toLocaleString('en')} values`);
	}
}

export interface PythonJson {
	value: unknown;
	/** How many values were no numbers, and are null now. */
	lostNumbers: number;
}

/** @throws SyntaxError, TooManyValues */
export function parsePythonJson(text: string): PythonJson {
	if (hasMoreValues(text, MOST_VALUES)) throw new TooManyValues();
	try {
		return { value: parseExact(text), lostNumbers: 0 };
	} catch {
		return withoutMarks(parseExact(replaceOutsideStrings(text, NOT_NUMBERS, JSON.stringify(IN_THEIR_PLACE))));
	}
}

/** Older versions of ComfyUI wrote `"is_changed": [NaN]` into each node that always runs: that is no input, and nothing is lost. */
function withoutMarks(marked: unknown): PythonJson {
	let lostNumbers = 0;
	const cleaned = (value: unknown): unknown => {
		if (value === IN_THEIR_PLACE) {
			lostNumbers++;
			return null;
		}
		if (Array.isArray(value)) return value.map(cleaned);
		if (!isRecord(value)) return value;
		return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (name === 'is_changed' ? [] : [[name, cleaned(one)]])));
	};
	try {
		return { value: cleaned(marked), lostNumbers };
	} catch (error) {
		throw error instanceof RangeError ? new SyntaxError('it nests too deep') : error;
	}
}
