import { AsyncLocalStorage } from 'node:async_hooks';

/** A message for people. */
export interface Words {
	/** Of the entry in the catalogue, for example `SERVICE_QUEUE_FULL`. */
	code: string;
	/** What happened. */
	message: string;
	/** What to do. Its lines are separated by line breaks. */
	advice: string;
}

/** What happened, then what to do. Empty lines of advice are left out. */
export type Text = readonly [message: string, ...advice: Array<string | undefined>];

/** Returns a function for each text, which adds the code of the text. */
export function defineMessages<Texts extends Record<string, (...facts: never[]) => Text>>(
	texts: Texts,
): { [Code in keyof Texts]: (...facts: Parameters<Texts[Code]>) => Words } {
	const withCode = ([code, text]: [string, (...facts: never[]) => Text]) => [
		code,
		(...facts: never[]): Words => {
			const [message, ...advice] = text(...facts);
			return { code, message, advice: joinAdvice(...advice) };
		},
	];
	return Object.fromEntries(Object.entries(texts).map(withCode)) as ReturnType<typeof defineMessages<Texts>>;
}

/** For each kind of a fact, what to make of it. */
export type ByKind<Fact, Tag extends keyof Fact, Result> = {
	[Kind in Fact[Tag] & string]: (fact: Extract<Fact, Record<Tag, Kind>>) => Result;
};

/** Returns a function that chooses by the kind of the fact. */
export const byKind =
	<Fact, Tag extends keyof Fact, Result>(tag: Tag, results: ByKind<Fact, Tag, Result>) =>
	(fact: Fact): Result =>
		(results as Record<string, (fact: Fact) => Result>)[fact[tag] as string]!(fact);

const LONGEST_MESSAGE = 1_000;
const LONGEST_ADVICE = 10_000;

/** n8n treats text in angle brackets as HTML and does not show it, so other brackets replace them. */
const replaceAngleBrackets = (text: string): string => text.replace(/<([^<>]*)>/g, '‹$1›').replace(/<(?=[a-z/!?])/gi, '‹');

/** n8n shows line breaks as spaces, so each line ends with a full stop. */
const endSentence = (line: string): string => (/[.!?:]\s*$/.test(line) ? line : `${line}.`);

/** Removes a colon at the end, where the quoted text is empty. */
const removeFinalColon = (message: string): string => message.replace(/:\s*$/, '');

/** Joins the lines that are not empty. */
export const joinAdvice = (...lines: Array<string | undefined>): string =>
	lines.flatMap((line) => (line ? [endSentence(line)] : [])).join('\n');

/** Returns the words with more advice in front of it or after it. */
export const withAdvice = (words: Words, ...advice: Array<string | undefined>): Words => ({ ...words, advice: joinAdvice(...advice) });

/** Shortens texts of a service, and prepares all texts for n8n. Each message goes through this function once. */
export const toShownWords = ({ code, message, advice }: Words): Words => ({
	code,
	message: replaceAngleBrackets(removeFinalColon(shorten(message, LONGEST_MESSAGE))),
	advice: replaceAngleBrackets(
		advice
			.split('\n')
			.map((line) => shorten(line, LONGEST_ADVICE))
			.join('\n'),
	),
});

/** Returns the words as one text, for places that show only one. */
export const inOneText = ({ message, advice }: Words): string => (advice === '' ? message : `${endSentence(message)} ${advice}`);

/** Returns the line that shows the code. `docs/troubleshooting.md` has an anchor of the same name. */
export const codeLine = ({ code }: Pick<Words, 'code'>): string => `Code: ${code}.`;

/** Control characters, halves of characters and invisible characters, except for the joiners that some scripts need. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;
const LONGEST_NAME = 300;

/** Returns a server's name as one line without invisible characters, and at most 300 characters long. */
export const visibleName = (name: string): string => cut(name.replace(INVISIBLE, '').trim(), LONGEST_NAME - 1, LONGEST_NAME);

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

const masks = new AsyncLocalStorage<Mask>();

/** Does work in which every text that is shortened is masked first. Half of a secret is not recognized afterwards. */
export const withMask = <T>(mask: Mask, work: () => T): T => masks.run(mask, work);

const currentMask: Mask = (text) => (masks.getStore() ?? String)(text);

/**
 * Returns the beginning of a text, and `…` if it is not the whole text. This is the only place that cuts texts for people.
 * @param longest how many characters remain.
 * @param limit a text of this length is not cut.
 */
export function cut(text: string, longest: number, limit = longest, mask = currentMask): string {
	if (text.length <= limit) return text;
	const masked = mask(text);
	return masked.length <= limit ? masked : `${masked.slice(0, longest).trimEnd()}…`;
}

const lengthOf = (text: string): string => `${text.length.toLocaleString('en')} characters in total`;

/** Returns the beginning of a long text and its length. The data of the item contain the whole text. */
export function shorten(text: string, longest: number, mask?: Mask): string {
	const beginning = cut(text, longest, longest, mask);
	return text.length <= longest || !beginning.endsWith('…') ? beginning : `${beginning} (${lengthOf(text)})`;
}

/** Returns a node's name in messages: `5 "Upscale" (ImageScale)`. */
export function nodeName(id: string, { className, title }: { className?: string | null; title?: string | null } = {}): string {
	const quoted = title && title !== className ? ` "${title}"` : '';
	return `${id}${quoted}${className ? ` (${className})` : ''}`;
}

/** A message names this many things, then how many more there are. */
const MOST_NAMED = 5;

/** The most names in a list from which the user has to choose one. */
export const MOST_CHOICES = 20;

/** Returns the names in one line: `A, B, C`, or `A, B, C, D, E and 3 more`. */
export const joinNames = (names: string[], most = MOST_NAMED, separator = ', '): string =>
	names.slice(0, most).join(separator) + (names.length > most ? ` and ${names.length - most} more` : '');

/** Returns all lines, or the first ones and a line with the number of the others. */
export const limitLines = (lines: string[], most: number): string[] =>
	lines.length <= most ? lines : [...lines.slice(0, most), `And ${lines.length - most} more.`];

/** Returns `1 job`, or `2 jobs`. */
export const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

export const NOTHING_SENT = 'Nothing was sent.';
export const NO_JOB = 'No job was created.';

export const OUTPUT_GONE =
	'It was deleted, or its retention time is over. To generate it again, change a seed of the workflow and start a new execution. With equal inputs, ComfyUI can return the deleted file from its cache. On your own ComfyUI, Server: Free Memory with Models and Caches empties this cache.';

/** n8n and JavaScript keep whole numbers exactly only up to this one. */
export const EXACT_UP_TO = `n8n keeps numbers exactly up to ${Number.MAX_SAFE_INTEGER}.`;

/** Returns what happened to a number that was too long. @param left the rounded number. */
export const lostDigits = (field: string, left: string): string => `${field} has lost digits: n8n has rounded it to ${left}`;

export function limitsInWords({ min, max }: { min?: string; max?: string }): string {
	if (min === undefined) return `at most ${max}`;
	return max === undefined ? `at least ${min}` : `between ${min} and ${max}`;
}

/** The switch of a credential that shows the field. */
const SHOWN_BY: Partial<Record<string, string>> = {
	'ComfyUI Address': 'ComfyUI At Another Address',
	'ComfyUI Authorization': 'More Settings',
	'Hosted URL': 'More Settings',
	'Ignore SSL Issues': 'More Settings',
	'Use This Address For Links': 'More Settings',
	'More Servers': 'Several ComfyUIs',
	'Partner API Key': 'More Settings',
	'Partner Auth Token': 'More Settings',
	'Router URL': 'More Settings',
	'Servers With Own Sign-In': 'Several ComfyUIs',
	Token: 'More Settings',
};

/** Returns the field's name, its credential, and the switch that shows it. @param label may begin with a line or row of the field. */
export function fieldOf(label: string, credential: string): string {
	const shownBy = SHOWN_BY[label.replace(/^(line|row) \d+ of /, '')];
	return `${label} in the ${credential} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`;
}
