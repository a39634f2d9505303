import { textOr } from '../json/decode';

/** A row that marks the place in the line above it. */
const MARKER_ROWS = /^[ \t]*[\^~][ \t^~]*(\n|$)/gm;

/**
 * Returns a traceback without rows of markers; null if there is none. Engines send a list whose lines end with a line feed.
 * The hosted service sends a list without line feeds, or a text.
 */
export function decodeTraceback(value: unknown): string | null {
	const lines = Array.isArray(value) ? value.filter((line) => typeof line === 'string').map((line) => line.replace(/\n$/, '')) : [value];
	const text = textOr(lines.length === 1 ? lines[0] : lines.join('\n'), null);
	return text?.replace(MARKER_ROWS, '') ?? null;
}
