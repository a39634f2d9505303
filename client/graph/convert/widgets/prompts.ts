/** A text that is longer is left as it stands, as are blocks that lie deeper. */
const LONGEST = 1_000_000;
const DEEPEST = 50;

const LINE_END = /[\n\r\u2028\u2029]|$/g;

/** @returns undefined where none begins. */
function endOfComment(text: string, at: number, lastClose: number): number | undefined {
	if (text[at + 1] === '*') return at + 2 <= lastClose ? text.indexOf('*/', at + 2) + 2 : undefined;
	if (text[at + 1] !== '/') return undefined;
	LINE_END.lastIndex = at;
	return LINE_END.exec(text)?.index;
}

/** By hand: a pattern would look for the end of each comment that has none. */
function withoutComments(text: string): string {
	const lastClose = text.lastIndexOf('*/');
	const parts: string[] = [];
	let start = 0;
	for (let at = text.indexOf('/'); at >= 0;) {
		const end = endOfComment(text, at, lastClose);
		if (end !== undefined) parts.push(text.slice(start, at));
		start = end ?? start;
		at = text.indexOf('/', end ?? at + 1);
	}
	return [...parts, text.slice(start)].join('');
}

/** The position after the block that opened before `from`, and its choices. */
function blockAt(text: string, from: number): { choices: string[]; end: number } {
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

function drawn(written: string, choose: (count: number) => number, depth: number): string {
	const text = withoutComments(written);
	const parts: string[] = [];
	let start = 0;
	for (let at = 0; at < text.length; at++) {
		if (text[at] === '\\') at += 1;
		else if (text[at] === '{' && depth < DEEPEST) {
			const { choices, end } = blockAt(text, at + 1);
			parts.push(text.slice(start, at), drawn(choices[choose(choices.length)] ?? '', choose, depth + 1));
			start = end;
			at = end - 1;
		}
	}
	parts.push(text.slice(start));
	return parts.join('').replace(/\\([{}|])/g, '$1');
}

/**
 * One text of those that a prompt stands for: of `{a|b}` one is taken, blocks may lie in blocks, `\{` is a brace, and
 * comments (`//` to the end of a line, and between slashes and stars) are left out.
 */
export const drawPrompt = (text: string, choose: (count: number) => number): string =>
	text.length > LONGEST ? text : drawn(text, choose, 0);

/** What a prompt says where nothing is to be chosen; undefined where something is. */
export function certainPrompt(text: string): string | undefined {
	let isCertain = true;
	const said = drawPrompt(text, (count) => {
		if (count > 1) isCertain = false;
		return 0;
	});
	return isCertain ? said : undefined;
}
