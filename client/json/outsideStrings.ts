const QUOTE = '"'.charCodeAt(0);

/** Returns the position after the closing quote of the string that starts here, or the end of the text. */
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

/**
 * Replaces matches in a JSON text, but not in its strings. One regular expression for both would overflow on long
 * strings.
 */
export function replaceOutsideStrings(text: string, pattern: RegExp, replacement: string | ((match: string) => string)): string {
	const parts: string[] = [];
	let copied = 0;
	for (let at = 0; at < text.length;) {
		const quote = text.indexOf('"', at);
		const open = quote < 0 ? text.length : quote;
		const between = text.slice(at, open);
		// TypeScript needs the two signatures of `replace` apart.
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

/**
 * Whether a JSON text has more values than `limit`. It counts commas and opening brackets, which is much cheaper than
 * parsing.
 */
export function hasMoreValues(text: string, limit: number): boolean {
	let count = 0;
	for (let at = 0; at < text.length && count <= limit; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at) - 1;
		else if (BEFORE_VALUES.has(code)) count++;
	}
	return count > limit;
}
