import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { Cache, clock, exactText } from '../../../client';
import { visibleName } from '../messages/words';
import { listChoice } from '../parameters';

/** Returns a notice in place of a list without entries. If the user chooses it, the value is empty. */
export const toNoticeEntry = (name: string): INodeListSearchItems => ({ name, value: '' });

/** Returns the error as an entry, because n8n shows neither the message nor the advice of a list that fails. */
export function toErrorEntry(error: unknown): INodeListSearchItems {
	const { message, description } = error as { message: string; description?: unknown };
	const advice = typeof description === 'string' ? (description.split('\n')[0] ?? '') : '';
	return toNoticeEntry(`${message}. ${advice}`.trim());
}

/** Returns the words of a search. */
export const splitWords = (filter: string): string[] =>
	filter
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== '');

/** Whether a text contains all words, in any order. */
export function includesAll(text: string, words: string[]): boolean {
	const lower = text.toLowerCase();
	return words.every((word) => lower.includes(word));
}

export const matchesWords = ({ name, value }: INodeListSearchItems, words: string[]): boolean => includesAll(`${name} ${value}`, words);

/** Returns one page of all entries. @param token the start of the page, from the page before. */
export function toPage(entries: INodeListSearchItems[], size: number, token: string | undefined): INodeListSearchResult {
	const start = Number(token ?? 0);
	const end = start + size;
	return { results: entries.slice(start, end), ...(end < entries.length && { paginationToken: String(end) }) };
}

/** The link of an entry that has no other link. */
const DEFAULT_URL = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/workflows.md';

function chosenEntries(editor: ILoadOptionsFunctions, fields: string[]): INodeListSearchItems[] {
	const choices = fields.map((field) => listChoice(editor.getCurrentNodeParameter(field))).filter((choice) => choice !== undefined);
	return choices.map(({ name, value, url = DEFAULT_URL }) => ({ name, value, url }));
}

/** When an entry was listed last. */
interface LastListing {
	credential: string;
	/** Until then (milliseconds of `clock.now`) the entry keeps its name in the list, because its credential was just chosen. */
	keptUntil: number;
}

/** By entry. An entry without a listing counts as listed with another credential. */
const lastListings = new Cache<string, LastListing>({ mostEntries: 5_000 });
/** n8n may load a list several times after a credential was chosen, and late on a slow machine. */
const KEEP_MS = 60_000;

const keyOf = ({ name, value }: INodeListSearchItems): string => exactText([value, name]);

const credentialKey = (editor: ILoadOptionsFunctions): string => exactText(editor.getNode().credentials ?? {});

function saveListing(entry: INodeListSearchItems, listing: LastListing): void {
	lastListings.set(keyOf(entry), listing);
}

/** Returns milliseconds of `clock.now`. The time begins with the first list of another credential. */
function keptUntil(entry: INodeListSearchItems, credential: string): number {
	const last = lastListings.get(keyOf(entry));
	return last?.credential === credential ? last.keptUntil : clock.now() + KEEP_MS;
}

/** Names come from servers. A value that begins with "=" is left out, because n8n would evaluate it as an expression. */
function toSafeEntry(entry: INodeListSearchItems): INodeListSearchItems[] {
	if (String(entry.value).startsWith('=')) return [];
	return [entry.value === '' ? entry : { ...entry, name: visibleName(entry.name) }];
}

/** Returns the entries with links. `keepChosenFirst` says why they need links. */
export function addLinks(editor: ILoadOptionsFunctions, entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialKey(editor);
	const safeEntries = entries.flatMap(toSafeEntry);
	for (const entry of safeEntries) {
		const last = lastListings.get(keyOf(entry));
		saveListing(entry, { credential, keptUntil: last?.credential === credential ? last.keptUntil : 0 });
	}
	return safeEntries.map((entry) => (entry.value === '' ? entry : { url: DEFAULT_URL, ...entry }));
}

/**
 * Returns the entries with links. In the minute after another credential was chosen, the values of these fields come first,
 * with the names that the fields show. n8n 2.40 then loads the list of each field again and copies the name and the link of
 * the chosen entry into the field, an empty link if there is none. It removes a value that is not on the first page. A node
 * that changes in this way makes n8n empty each other row whose list is still loading, so the list must not cause a change.
 * If the workflow no longer has an input, the run reports it. Later, an opened list shows the current names.
 * @param fields as n8n names them. `&input` is the field next to the one that loads the list.
 */
export function keepChosenFirst(editor: ILoadOptionsFunctions, fields: string[], entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialKey(editor);
	const recentlyChosen = chosenEntries(editor, fields).filter((entry) => clock.now() < keptUntil(entry, credential));
	for (const entry of recentlyChosen) saveListing(entry, { credential, keptUntil: keptUntil(entry, credential) });
	const values = new Set(recentlyChosen.map(({ value }) => value));
	return addLinks(editor, [...recentlyChosen, ...entries.filter(({ value }) => !values.has(value))]);
}

const ENTRIES_PER_PAGE = 200;

/**
 * Returns one page of the entries that contain all words of the filter. Without a filter, the value of the field may come
 * first. A notice stays in the list for any words.
 */
export function searchEntries(
	editor: ILoadOptionsFunctions,
	field: string,
	entries: INodeListSearchItems[],
	filter = '',
	paginationToken?: string,
): INodeListSearchResult {
	const words = splitWords(filter);
	const linked = words.length === 0 ? keepChosenFirst(editor, [field], entries) : addLinks(editor, entries);
	const matching = linked.filter((entry) => entry.value === '' || matchesWords(entry, words));
	return toPage(matching, ENTRIES_PER_PAGE, paginationToken);
}
