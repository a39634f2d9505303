import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** Where an entry leads to, beside its name. */
const ABOUT = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/workflows.md';

/** A field that was chosen from a list, as n8n keeps it. */
interface Chosen {
	mode: 'list';
	value: string;
	cachedResultName: string;
	cachedResultUrl?: string;
}

const isChosen = (held: unknown): held is Chosen =>
	typeof held === 'object' &&
	held !== null &&
	'mode' in held &&
	held.mode === 'list' &&
	'value' in held &&
	typeof held.value === 'string' &&
	held.value !== '' &&
	'cachedResultName' in held &&
	typeof held.cachedResultName === 'string' &&
	held.cachedResultName !== '';

/** A line in place of a list, where there is nothing to choose; chosen, it is an empty value. */
export const instead = (name: string): INodeListSearchItems => ({ name, value: '' });

/** The words that somebody looks for. */
export const wordsOf = (filter: string): string[] =>
	filter
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== '');

/** Whether a text holds all of these words, in any order. */
export function holdsAll(text: string, words: string[]): boolean {
	const lower = text.toLowerCase();
	return words.every((word) => lower.includes(word));
}

export const matches = ({ name, value }: INodeListSearchItems, words: string[]): boolean => holdsAll(`${name} ${value}`, words);

/** One page of what is known as a whole. @param token where it begins, as the page before has told. */
export function pageOf(entries: INodeListSearchItems[], size: number, token: string | undefined): INodeListSearchResult {
	const from = Number(token ?? 0);
	const next = from + size;
	return { results: entries.slice(from, next), ...(next < entries.length && { paginationToken: String(next) }) };
}

function chosenIn(editor: ILoadOptionsFunctions, fields: string[]): INodeListSearchItems[] {
	const held = fields.map((field) => editor.getCurrentNodeParameter(field)).filter(isChosen);
	return held.map(({ value, cachedResultName: name, cachedResultUrl: url = ABOUT }) => ({ name, value, url }));
}

/** Entries that lead somewhere: see `keepingChosen`. */
export const linked = (entries: INodeListSearchItems[]): INodeListSearchItems[] =>
	entries.map((entry) => (entry.value === '' ? entry : { url: ABOUT, ...entry }));

/**
 * Entries, before them what these fields hold, called as the fields call it. Where another credential is chosen, n8n 2.40
 * loads the list of each field anew and takes over name and link of what is chosen (without a link it writes an empty
 * one, what is not on the first page it forgets); while a node changes by that, n8n empties every other row whose list is
 * still on its way. So there must be nothing to take over. What a workflow lacks by now, its run says, and what to do.
 * @param fields as n8n names them; `&input` is the field beside the one that asks.
 */
export function keepingChosen(editor: ILoadOptionsFunctions, fields: string[], entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const held = chosenIn(editor, fields);
	const values = new Set(held.map(({ value }) => value));
	return [...held, ...linked(entries.filter(({ value }) => !values.has(value)))];
}
