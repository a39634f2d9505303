import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { clock, exactText } from '../../../client';
import { visibleName } from '../messages/words';
import { listChoice } from '../parameters';
import { remember } from '../remember';

/** Where an entry leads to, beside its name. */
const ABOUT = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/workflows.md';

function chosenIn(editor: ILoadOptionsFunctions, fields: string[]): INodeListSearchItems[] {
	const held = fields.map((field) => listChoice(editor.getCurrentNodeParameter(field))).filter((choice) => choice !== undefined);
	return held.map(({ name, value, url = ABOUT }) => ({ name, value, url }));
}

/** How an entry was listed last. */
interface Listing {
	credential: string;
	/** Until then (milliseconds of `clock.now`) the entry stays on the list under this name: its credential was just chosen. */
	keptUntil: number;
}

/** By entry. An entry that is not remembered counts as listed with another credential. */
const lastListings = new Map<string, Listing>();
const MOST_REMEMBERED = 5_000;
/** n8n may load a list more than once after a credential was chosen, and on a slow machine late. */
const KEEP_MS = 60_000;

const keyOf = ({ name, value }: INodeListSearchItems): string => exactText([value, name]);

const credentialOf = (editor: ILoadOptionsFunctions): string => exactText(editor.getNode().credentials ?? {});

function rememberListing(entry: INodeListSearchItems, listing: Listing): void {
	remember(lastListings, keyOf(entry), listing, MOST_REMEMBERED);
}

/** Milliseconds of `clock.now`. The first list with another credential begins the time. */
function keptUntil(entry: INodeListSearchItems, credential: string): number {
	const last = lastListings.get(keyOf(entry));
	return last?.credential === credential ? last.keptUntil : clock.now() + KEEP_MS;
}

/** Servers name what they list as they like. n8n runs a value that begins with "=" as an expression: it is not offered. */
function shownEntry(entry: INodeListSearchItems): INodeListSearchItems[] {
	if (String(entry.value).startsWith('=')) return [];
	return [entry.value === '' ? entry : { ...entry, name: visibleName(entry.name) }];
}

/** Entries that lead somewhere: see `keepingChosen`. */
export function linked(editor: ILoadOptionsFunctions, entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialOf(editor);
	const shown = entries.flatMap(shownEntry);
	for (const entry of shown) {
		const last = lastListings.get(keyOf(entry));
		rememberListing(entry, { credential, keptUntil: last?.credential === credential ? last.keptUntil : 0 });
	}
	return shown.map((entry) => (entry.value === '' ? entry : { url: ABOUT, ...entry }));
}

/**
 * Entries of a list. In the minute after another credential was chosen, the values of these fields come first, under the
 * names that the fields show. n8n 2.40 then loads the list of each field again and copies name and link of the chosen entry
 * into the field (without a link an empty one); a value that is not on the first page is removed. A node that changes by
 * this makes n8n empty every other row whose list is still loading. So the list must give n8n nothing to change. If the
 * workflow no longer has an input, the run reports it. Later, an opened list shows the current names.
 * @param fields as n8n names them; `&input` is the field beside the one that asks.
 */
export function keepingChosen(editor: ILoadOptionsFunctions, fields: string[], entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialOf(editor);
	const held = chosenIn(editor, fields).filter((entry) => clock.now() < keptUntil(entry, credential));
	for (const entry of held) rememberListing(entry, { credential, keptUntil: keptUntil(entry, credential) });
	const values = new Set(held.map(({ value }) => value));
	return linked(editor, [...held, ...entries.filter(({ value }) => !values.has(value))]);
}
