import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ApiGraph, type Definitions, listFileInputs, listInputs, listOutputNodes } from '../../../client';
import { keepingChosen, linked } from './keepingChosen';
import { instead, matches, pageOf, wordsOf } from './entries';
import { workflowInEditor } from '../workflows/inEditor';
import { definitionsInEditor } from '../inputs/definitions';
import { entryOf, outputEntryOf } from '../inputs/entries';

const PAGE_SIZE = 200;

type EntriesOf = (graph: ApiGraph, definitions: Definitions | undefined) => INodeListSearchItems[];
type Asked = [filter?: string, paginationToken?: string];

/** In place of entries, where there are none, one line that says why. */
async function entriesIn(editor: ILoadOptionsFunctions, entriesOf: EntriesOf, none: string): Promise<INodeListSearchItems[]> {
	const found = await workflowInEditor(editor);
	if ('why' in found) return [instead(found.why)];
	const { graph, content, definitions } = found.workflow;
	const entries = entriesOf(graph, content === graph ? await definitionsInEditor(editor, graph) : definitions);
	return entries.length === 0 ? [instead(none)] : entries;
}

/**
 * Entries by the words of their name, a page at a time.
 * @param field of the row that asks.
 */
async function search(
	editor: ILoadOptionsFunctions,
	entriesOf: EntriesOf,
	none: string,
	{ field, asked: [filter = '', paginationToken] }: { field: string; asked: Asked },
): Promise<INodeListSearchResult> {
	const words = wordsOf(filter);
	const whole = await entriesIn(editor, entriesOf, none);
	const entries = words.length === 0 ? keepingChosen(editor, [field], whole) : linked(editor, whole);
	// A line that is no entry is no match for any word, and stays.
	return pageOf(
		entries.filter((entry) => entry.value === '' || matches(entry, words)),
		PAGE_SIZE,
		paginationToken,
	);
}

/** What the workflow lets one change. */
export async function searchInputs(this: ILoadOptionsFunctions, ...asked: Asked): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => listInputs(graph, definitions).map(entryOf),
		'Nothing in this workflow can be changed: every input takes its value from another node.',
		{ field: '&input', asked },
	);
}

/** Those of its inputs that take a file. */
export async function searchFileInputs(this: ILoadOptionsFunctions, ...asked: Asked): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => listFileInputs(graph, definitions).map(entryOf),
		'No input of this workflow is known to take a file. Add a node such as Load Image in ComfyUI, or choose By Name.',
		{ field: '&input', asked },
	);
}

/** The nodes whose results its job brings. */
export async function searchOutputNodes(this: ILoadOptionsFunctions, ...asked: Asked): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => listOutputNodes(graph, definitions).map(outputEntryOf),
		'No node of this workflow saves or shows anything: add one such as Save Image in ComfyUI.',
		{ field: '&node', asked },
	);
}
