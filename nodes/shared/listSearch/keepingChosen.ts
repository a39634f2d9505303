import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { exactText } from '../../../client';
import { visibleName } from '../messages/words';
import { listChoice } from '../parameters';
import { remember } from '../remember';

/** Where an entry leads to, beside its name. */
const ABOUT = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/workflows.md';

function chosenIn(editor: ILoadOptionsFunctions, fields: string[]): INodeListSearchItems[] {
	const held = fields.map((field) => listChoice(editor.getCurrentNodeParameter(field))).filter((choice) => choice !== undefined);
	return held.map(({ name, value, url = ABOUT }) => ({ name, value, url }));
}

/** Entry → the credential with which it was listed last. Some are enough: what is not known is taken for another's. */
const listedWith = new Map<string, string>();
const MOST_REMEMBERED = 5_000;

const keyOf = ({ name, value }: INodeListSearchItems): string => exactText([value, name]);

const credentialOf = (editor: ILoadOptionsFunctions): string => exactText(editor.getNode().credentials ?? {});

/** Servers name what they list as they like. n8n runs a value that begins with "=" as an expression: it is not offered. */
function shownEntry(entry: INodeListSearchItems): INodeListSearchItems[] {
	if (String(entry.value).startsWith('=')) return [];
	return [entry.value === '' ? entry : { ...entry, name: visibleName(entry.name) }];
}

/** Entries that lead somewhere: see `keepingChosen`. */
export function linked(editor: ILoadOptionsFunctions, entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialOf(editor);
	const shown = entries.flatMap(shownEntry);
	for (const entry of shown) remember(listedWith, keyOf(entry), credential, MOST_REMEMBERED);
	return shown.map((entry) => (entry.value === '' ? entry : { url: ABOUT, ...entry }));
}

/**
 * Entries; before them what these fields hold, called as the fields call it, where another credential has just been
 * chosen. n8n 2.40 then loads the list of each field anew and takes over name and link of what is chosen (without a link
 * it writes an empty one, what is not on the first page it forgets); while a node changes by that, n8n empties every other
 * row whose list is still on its way. So there must be nothing to take over. What a workflow lacks by now, its run says.
 * Whoever opens a list sees what is in it now.
 * @param fields as n8n names them; `&input` is the field beside the one that asks.
 */
export function keepingChosen(editor: ILoadOptionsFunctions, fields: string[], entries: INodeListSearchItems[]): INodeListSearchItems[] {
	const credential = credentialOf(editor);
	const held = chosenIn(editor, fields).filter((entry) => listedWith.get(keyOf(entry)) !== credential);
	const values = new Set(held.map(({ value }) => value));
	return linked(editor, [...held, ...entries.filter(({ value }) => !values.has(value))]);
}
