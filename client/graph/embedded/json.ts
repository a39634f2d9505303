import { isRecord } from '../../json/decode';
import { parseExact } from '../../json/exactJson';
import { hasMoreValues, replaceOutsideStrings } from '../../json/outsideStrings';
import type { ByteReader } from './byteReader';
import { decodeMetadataText, type GraphTexts } from './graphTexts';

/** ComfyUI's Python writes these for numbers that JSON does not have. */
const NOT_NUMBERS = /-?\b(NaN|Infinity)\b/g;
const MARKER = '\u0001no number\u0001';
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
	/** How many values were `NaN` or `Infinity`. They are null in `value`. */
	lostNumbers: number;
}

/** @throws SyntaxError, TooManyValues */
export function parsePythonJson(text: string): PythonJson {
	if (hasMoreValues(text, MOST_VALUES)) throw new TooManyValues();
	try {
		return { value: parseExact(text), lostNumbers: 0 };
	} catch {
		return replaceMarkers(parseExact(replaceOutsideStrings(text, NOT_NUMBERS, JSON.stringify(MARKER))));
	}
}

/** Older versions of ComfyUI wrote `"is_changed": [NaN]` into each node that always runs. It is no input, so nothing is lost. */
function replaceMarkers(marked: unknown): PythonJson {
	let lostNumbers = 0;
	const replaceIn = (value: unknown): unknown => {
		if (value === MARKER) {
			lostNumbers++;
			return null;
		}
		if (Array.isArray(value)) return value.map(replaceIn);
		if (!isRecord(value)) return value;
		return Object.fromEntries(
			Object.entries(value)
				.filter(([name]) => name !== 'is_changed')
				.map(([name, inner]) => [name, replaceIn(inner)]),
		);
	};
	try {
		return { value: replaceIn(marked), lostNumbers };
	} catch (error) {
		throw error instanceof RangeError ? new SyntaxError('it has too many nested levels') : error;
	}
}

/** A safetensors file, for example a latent: the length of its JSON header, then the header. */
export async function readSafetensors(reader: ByteReader, texts: GraphTexts): Promise<void> {
	const length = Number((await reader.take(8)).readBigUInt64LE());
	const header = parseHeader(await reader.take(length));
	addTexts(isRecord(header) ? header.__metadata__ : undefined, texts);
}

/** A 3D scene in glTF's binary form, which begins with a JSON chunk. */
export async function readGlb(reader: ByteReader, texts: GraphTexts): Promise<void> {
	const head = await reader.take(20);
	const scene = parseHeader(await reader.take(head.readUInt32LE(12)));
	const asset = isRecord(scene) ? scene.asset : undefined;
	addTexts(isRecord(asset) ? asset.extras : undefined, texts);
}

function parseHeader(bytes: Buffer): unknown {
	try {
		return parsePythonJson(decodeMetadataText(bytes)).value;
	} catch {
		return undefined;
	}
}

function addTexts(metadata: unknown, texts: GraphTexts): void {
	if (!isRecord(metadata)) return;
	for (const [name, text] of Object.entries(metadata)) if (typeof text === 'string') texts.add(name, text);
}
