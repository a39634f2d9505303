import type { ApiError } from '../../../client';

/** What a person reads: what happened, then how to go on. */
export interface Words {
	message: string;
	advice: string;
}

const LONGEST_MESSAGE = 1_000;
const LONGEST_ADVICE = 10_000;

/** n8n takes what stands in angle brackets for HTML and shows nothing in its place: other brackets keep it. */
const inFull = (text: string): string => text.replace(/<([^<>]*)>/g, '‹$1›').replace(/<(?=[a-z/!?])/gi, '‹');

/** n8n shows line breaks as spaces, so that only a full stop keeps two lines apart. */
const sentence = (line: string): string => (/[.!?:]\s*$/.test(line) ? line : `${line}.`);

/** Whoever was to be quoted had nothing to say. */
const withoutLooseEnd = (message: string): string => message.replace(/:\s*$/, '');

/** The one place where texts of ours and of a service become what n8n shows. */
export const words = (message: string, ...advice: Array<string | undefined>): Words => ({
	message: inFull(withoutLooseEnd(shortened(message, LONGEST_MESSAGE))),
	advice: inFull(advice.flatMap((line) => (line ? [sentence(shortened(line, LONGEST_ADVICE))] : [])).join('\n')),
});

/** Control characters, halves of characters, and what turns the direction of writing or is not seen; joiners of scripts stay. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;
const LONGEST_NAME = 300;

/** A name from a server as one line, in which every character is seen. Names beyond 300 characters are cut. */
export function visibleName(name: string): string {
	const visible = name
		.slice(0, 2 * LONGEST_NAME)
		.replace(UNSEEN, '')
		.trim();
	return visible.length > LONGEST_NAME ? `${visible.slice(0, LONGEST_NAME - 1)}…` : visible;
}

const lengthOf = (text: string): string => `${text.length.toLocaleString('en')} characters in all`;

/** The beginning of a text that nobody reads to its end: the whole of it stays in the data of the item. */
export const shortened = (text: string, longest: number): string =>
	text.length <= longest ? text : `${text.slice(0, longest).trimEnd()}… (${lengthOf(text)})`;

/** A node of a workflow, as people find it there: `5 "Upscale" (ImageScale)`. */
export function nodeName(id: string, { className, title }: { className?: string | null; title?: string | null } = {}): string {
	const quoted = title && title !== className ? ` "${title}"` : '';
	return `${id}${quoted}${className ? ` (${className})` : ''}`;
}

/** Names in a row: of many the first, and how many there are. */
export const listed = (names: string[], most = 20): string =>
	names.slice(0, most).join(', ') + (names.length > most ? `, … (${names.length} in all)` : '');

export function limitsInWords({ min, max }: { min?: string; max?: string }): string {
	if (min === undefined) return `at most ${max}`;
	return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

/** The switch of a credential that shows a field. */
const SHOWN_BY: Partial<Record<string, string>> = {
	'Engine Address': 'Engine At Another Address',
	'Engine Authorization': 'More Settings',
	'Hosted URL': 'More Settings',
	'Ignore SSL Issues': 'More Settings',
	'Keep Links On This Address': 'More Settings',
	'Partner API Key': 'More Settings',
	'Router URL': 'More Settings',
	Token: 'More Settings',
};

/** A field, where it is found, and what to turn on to see it. */
export function fieldOf(label: string, credential: string): string {
	const shownBy = SHOWN_BY[label];
	return `${label} in the ${credential} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`;
}

/** What a sentence depends on besides the error: the words of the credential, and which node says it. */
export interface CredentialWords {
	name: string;
	secret: string;
	isOwnServer: boolean;
	/** Comfy Run Workflow takes files in rows of *Files*, and has no *Job ID*. */
	isRunNode: boolean;
}

/** What happened, and how to go on. */
export type Sentence = (error: ApiError, credential: CredentialWords) => [string, string];

export type Sentences = Record<string, Sentence>;

export const notFound =
	(thing: string, why: string): Sentence =>
	() => [`The service knows no such ${thing}`, why];
