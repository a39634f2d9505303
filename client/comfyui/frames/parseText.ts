import type { JsonRecord } from '../../decode';
import { ShapeError } from '../../errors';
import { parseJson } from '../../transport/parseJson';

/** Nothing a service sends nests this deep; what does would exhaust the stack of whoever writes it out again. */
const DEEPEST_LEVEL = 100;

/** @throws ShapeError when this is no JSON, or nests too deep. */
export function parseText(text: string): unknown {
	const json = parsed(text);
	if (json === undefined) throw new ShapeError('the text is no JSON');
	if (hasMoreThan(DEEPEST_LEVEL, text) && isDeeperThan(json, DEEPEST_LEVEL)) throw new ShapeError('the JSON nests too deep');
	return json;
}

/** The parser's own error quotes the text, so it is dropped. */
function parsed(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** Whether there are more beginnings of objects and lists: each frame is looked at, and a walk through all of it costs as much as parsing it. */
function hasMoreThan(levels: number, text: string): boolean {
	let count = 0;
	for (const begin of ['{', '['])
		for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1)) if (++count > levels) return true;
	return false;
}

function isDeeperThan(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	for (const name in value) if (isDeeperThan((value as JsonRecord)[name], levels - 1)) return true;
	return false;
}
