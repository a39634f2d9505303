/** A text without the last of its characters, as long as they are this one. A pattern would begin anew at each that stands elsewhere. */
export function withoutTrailing(character: string, text: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}
