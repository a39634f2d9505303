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
export function replaceOutsideStrings(text: string, pattern: RegExp, replace: (match: string) => string): string {
	const parts: string[] = [];
	let copied = 0;
	for (let at = 0; at < text.length;) {
		const quote = text.indexOf('"', at);
		const open = quote < 0 ? text.length : quote;
		const between = text.slice(at, open);
		const replaced = between.replace(pattern, replace);
		if (replaced !== between) {
			parts.push(text.slice(copied, at), replaced);
			copied = open;
		}
		at = endOfString(text, open);
	}
	return [...parts, text.slice(copied)].join('');
}
