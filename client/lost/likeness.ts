/** Whether the workflow of a job is one that was sent. */
import { isDeepStrictEqual } from 'node:util';

import { isExactNumber, isSameNumber } from '../json/numbers';

/** `perhaps`: all but a file, of which the names do not tell whether it is the same. */
export type Likeness = 'same' | 'perhaps' | 'other';

/** Names like these are chosen by programs. */
const OPAQUE_NAME = /[0-9a-f]{16}|[0-9a-f-]{36}/i;
/** By an engine, to a name that another file has. */
const ADDED_NUMBER = / \(\d+\)(?=\.[^.]*$|$)/;

/**
 * Deep equality, except that services may keep decimals as doubles, may have put a file's name where a reference was
 * sent, and that a file which is uploaded again may have another id.
 */
export function likenessOf(sent: unknown, read: unknown): Likeness {
	if (isCoreAsset(sent)) return typeof read === 'string' ? likenessOfName(sent, read) : likenessOfReference(sent, read);
	if (isExactNumber(sent) || isExactNumber(read)) return isSameNumber(sent, read) ? 'same' : 'other';
	if (!isObject(sent) || !isObject(read)) return isDeepStrictEqual(sent, read) ? 'same' : 'other';
	const keys = Object.keys(sent);
	if (Array.isArray(sent) !== Array.isArray(read) || keys.length !== Object.keys(read).length) return 'other';
	let likeness: Likeness = 'same';
	for (const key of keys) {
		const ofPart = Object.hasOwn(read, key) ? likenessOf(sent[key], read[key]) : 'other';
		if (ofPart === 'other') return 'other';
		if (ofPart === 'perhaps') likeness = 'perhaps';
	}
	return likeness;
}

interface Reference {
	info: { id?: unknown; hash?: unknown; file_path?: unknown };
}

function likenessOfReference({ info }: Reference, read: unknown): Likeness {
	if (!isCoreAsset(read)) return 'other';
	if (info.id === read.info.id) return 'same';
	if (isText(info.hash) && isText(read.info.hash)) return info.hash === read.info.hash ? 'same' : 'other';
	return isText(info.file_path) && isText(read.info.file_path) && fileName(info.file_path) !== fileName(read.info.file_path)
		? 'other'
		: 'perhaps';
}

/** Some services name files by their content. */
function likenessOfName({ info }: Reference, read: string): Likeness {
	const name = fileName(read);
	if (isText(info.hash) && name.includes(info.hash.replace(/^blake3:/, ''))) return 'same';
	if (!isText(info.file_path) || OPAQUE_NAME.test(name)) return 'perhaps';
	return [name, name.replace(ADDED_NUMBER, '')].includes(fileName(info.file_path)) ? 'perhaps' : 'other';
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isCoreAsset = (value: unknown): value is Reference => isObject(value) && value.__type === 'core/ASSET' && isObject(value.info);
