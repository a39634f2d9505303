import { isDeepStrictEqual } from 'node:util';

import { isExactNumber, isSameNumber } from '../json/numbers';

/** `possible`: the graphs are the same except for a file, whose names do not show whether it is the same file. */
export type GraphMatch = 'same' | 'possible' | 'different';

/** A program chose a name like this, so it says nothing about the file. */
const OPAQUE_NAME = /[0-9a-f]{16}|[0-9a-f-]{36}/i;
/** An engine adds this to a name that another file has. */
const ADDED_NUMBER = / \(\d+\)(?=\.[^.]*$|$)/;

/**
 * Compares a graph that was sent with the graph of a job. They may differ in four ways and still be the same. Services keep
 * decimals as doubles, and replace a reference to a file by its name. Engines convert values to the type of their input. A file
 * that was uploaded again has another id.
 */
export function compareGraphs(sent: unknown, read: unknown): GraphMatch {
	if (isCoreAsset(sent)) return typeof read === 'string' ? compareWithName(sent, read) : compareReferences(sent, read);
	if (isExactNumber(sent) || !isObject(sent) || !isObject(read)) return isSameValue(sent, read) ? 'same' : 'different';
	const keys = Object.keys(sent);
	if (Array.isArray(sent) !== Array.isArray(read) || keys.length !== Object.keys(read).length) return 'different';
	let match: GraphMatch = 'same';
	for (const key of keys) {
		const part = Object.hasOwn(read, key) ? compareGraphs(sent[key], read[key]) : 'different';
		if (part === 'different') return 'different';
		if (part === 'possible') match = 'possible';
	}
	return match;
}

/** An engine converts a value to the type of its input, for example `"20"` to 20 and 1 to true, and keeps the result. */
function isSameValue(sent: unknown, read: unknown): boolean {
	if (isDeepStrictEqual(sent, read) || isSameNumber(sent, read)) return true;
	if (typeof read === 'boolean') return ['string', 'number'].includes(typeof sent) && Boolean(sent) === read;
	return typeof read === 'string' && typeof sent === 'number' && String(sent) === read;
}

/** Returns the value of an input for a file whose name on the service is not known, or not yet. */
export const comparableFile = (fileName?: string): unknown => ({ __type: 'core/ASSET', info: { file_path: fileName } });

interface SentReference {
	info: { id?: unknown; hash?: unknown; file_path?: unknown };
}

function compareReferences({ info }: SentReference, read: unknown): GraphMatch {
	if (!isCoreAsset(read)) return 'different';
	if (info.id === read.info.id) return 'same';
	if (isFilledText(info.hash) && isFilledText(read.info.hash)) return info.hash === read.info.hash ? 'same' : 'different';
	return isFilledText(info.file_path) && isFilledText(read.info.file_path) && fileName(info.file_path) !== fileName(read.info.file_path)
		? 'different'
		: 'possible';
}

/** Some services name a file by the hash of its content. */
function compareWithName({ info }: SentReference, read: string): GraphMatch {
	const name = fileName(read);
	if (isFilledText(info.hash) && name.includes(info.hash.replace(/^blake3:/, ''))) return 'same';
	if (!isFilledText(info.file_path) || OPAQUE_NAME.test(name)) return 'possible';
	return [name, name.replace(ADDED_NUMBER, '')].includes(fileName(info.file_path)) ? 'possible' : 'different';
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isCoreAsset = (value: unknown): value is SentReference => isObject(value) && value.__type === 'core/ASSET' && isObject(value.info);
