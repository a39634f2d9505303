/** A longer text stays as it is, and so do blocks that nest deeper. */
const LONGEST = 1_000_000;
const DEEPEST = 50;

const LINE_END = /[\n\r\u2028\u2029]|$/g;

/** @returns the end of the comment that begins at `at`; undefined if none begins there. */
function findCommentEnd(text: string, at: number, lastClose: number): number | undefined {
	if (text[at + 1] === '*') return at + 2 <= lastClose ? text.indexOf('*/', at + 2) + 2 : undefined;
	if (text[at + 1] !== '/') return undefined;
	LINE_END.lastIndex = at;
	return LINE_END.exec(text)?.index;
}

/** A regular expression would search the whole text for the end of each comment that has none. */
function withoutComments(text: string): string {
	const lastClose = text.lastIndexOf('*/');
	const parts: string[] = [];
	let start = 0;
	for (let at = text.indexOf('/'); at >= 0;) {
		const end = findCommentEnd(text, at, lastClose);
		if (end !== undefined) parts.push(text.slice(start, at));
		start = end ?? start;
		at = text.indexOf('/', end ?? at + 1);
	}
	return [...parts, text.slice(start)].join('');
}

/** @returns the choices of the block that opens before `from`, and the position after it. */
function readBlock(text: string, from: number): { choices: string[]; end: number } {
	const choices: string[] = [];
	let start = from;
	let depth = 0;
	let at = from;
	for (; at < text.length; at++) {
		const character = text[at];
		if (character === '\\') at += 1;
		else if (character === '{') depth += 1;
		else if (character === '}' && depth-- === 0) break;
		else if (character === '|' && depth === 0) {
			choices.push(text.slice(start, at));
			start = at + 1;
		}
	}
	choices.push(text.slice(start, at));
	return { choices, end: at + 1 };
}

function resolve(written: string, choose: (count: number) => number, depth: number): string {
	const text = withoutComments(written);
	const parts: string[] = [];
	let start = 0;
	for (let at = 0; at < text.length; at++) {
		if (text[at] === '\\') at += 1;
		else if (text[at] === '{' && depth < DEEPEST) {
			const { choices, end } = readBlock(text, at + 1);
			parts.push(text.slice(start, at), resolve(choices[choose(choices.length)] ?? '', choose, depth + 1));
			start = end;
			at = end - 1;
		}
	}
	parts.push(text.slice(start));
	return parts.join('').replace(/\\([{}|])/g, '$1');
}

/**
 * Resolves the wildcards of a prompt: `{a|b}` becomes one of its choices, and blocks can nest. `\{` is a brace. Comments (`//` to
 * the end of a line, and between slashes and stars) are left out.
 * @param choose returns the index of a choice, given their number.
 */
export const resolveDynamicPrompt = (text: string, choose: (count: number) => number): string =>
	text.length > LONGEST ? text : resolve(text, choose, 0);

/** @returns a prompt that resolves to this text: its braces are escaped, and its comments are split by blocks of one choice. */
export function escapeDynamicPrompt(text: string): string {
	const escaped = text.replace(/[{}|]/g, '\\$&').replace(/\/(?=[/*])/g, '{/}');
	return resolveWithoutChoice(escaped) === text ? escaped : text;
}

/** @returns the prompt without comments and escapes; undefined if it has a choice to make. */
export function resolveWithoutChoice(text: string): string | undefined {
	let hasChoice = false;
	const resolved = resolveDynamicPrompt(text, (count) => {
		if (count > 1) hasChoice = true;
		return 0;
	});
	return hasChoice ? undefined : resolved;
}
