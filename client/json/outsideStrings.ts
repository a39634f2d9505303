const QUOTE = '"'.charCodeAt(0);

/** Where the string that opens here ends: after its closing quote, or with the text. */
function endOfString(text: string, open: number): number {
	let close = open;
	do close = text.indexOf('"', close + 1);
	while (close >= 0 && isEscaped(text, close));
	return close < 0 ? text.length : close + 1;
}

function isEscaped(text: string, at: number): boolean {
	let backslashes = 0;
	while (text[at - 1 - backslashes] === '\\') backslashes++;
	return backslashes % 2 === 1;
}

/** Replaces what matches in a JSON text, except in its strings. One pattern for both would overflow on long strings. */
export function replaceOutsideStrings(text: string, pattern: RegExp, replacement: string | ((match: string) => string)): string {
	const parts: string[] = [];
	let copied = 0;
	for (let at = 0; at < text.length;) {
		const quote = text.indexOf('"', at);
		const open = quote < 0 ? text.length : quote;
		const between = text.slice(at, open);
		// The types know the two kinds of replacement as two signatures.
		const replaced = typeof replacement === 'string' ? between.replace(pattern, replacement) : between.replace(pattern, replacement);
		if (replaced !== between) {
			parts.push(text.slice(copied, at), replaced);
			copied = open;
		}
		at = endOfString(text, open);
	}
	return [...parts, text.slice(copied)].join('');
}

const BEFORE_VALUES: ReadonlySet<number> = new Set([...',[{'].map((char) => char.charCodeAt(0)));

/** Whether a JSON text has more values than `limit`, by its commas and opening brackets: much cheaper than parsing it. */
export function hasMoreValues(text: string, limit: number): boolean {
	let count = 0;
	for (let at = 0; at < text.length && count <= limit; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at) - 1;
		else if (BEFORE_VALUES.has(code)) count++;
	}
	return count > limit;
}
