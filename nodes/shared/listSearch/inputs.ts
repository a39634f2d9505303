import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ApiGraph, type Definitions, fileInputsOf, inputsOf, outputNodesOf } from '../../../client';
import { instead, matches, pageOf, wordsOf } from './entries';
import { workflowInEditor } from '../workflows/inEditor';
import { definitionsInEditor } from '../inputs/definitions';
import { entryOf, outputEntryOf } from '../inputs/entries';

const PAGE_SIZE = 200;

/** Entries by the words of their name, a page at a time; in their place, where there are none, one line that says why. */
async function search(
	editor: ILoadOptionsFunctions,
	entriesOf: (graph: ApiGraph, definitions: Definitions | undefined) => INodeListSearchItems[],
	none: string,
	[filter = '', paginationToken]: [string?, string?],
): Promise<INodeListSearchResult> {
	const found = await workflowInEditor(editor);
	if ('why' in found) return { results: [instead(found.why)] };
	const { graph, content, definitions } = found.workflow;
	const entries = entriesOf(graph, content === graph ? await definitionsInEditor(editor, graph) : definitions);
	if (entries.length === 0) return { results: [instead(none)] };
	const words = wordsOf(filter);
	return pageOf(
		entries.filter((entry) => matches(entry, words)),
		PAGE_SIZE,
		paginationToken,
	);
}

/** What the workflow lets one change. */
export async function searchInputs(
	this: ILoadOptionsFunctions,
	...asked: [filter?: string, paginationToken?: string]
): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => inputsOf(graph, definitions).map(entryOf),
		'Nothing in this workflow can be changed: every input takes its value from another node.',
		asked,
	);
}

/** Those of its inputs that take a file. */
export async function searchFileInputs(
	this: ILoadOptionsFunctions,
	...asked: [filter?: string, paginationToken?: string]
): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => fileInputsOf(graph, definitions).map(entryOf),
		'No input of this workflow is known to take a file. Add a node such as Load Image in ComfyUI, or choose By Name.',
		asked,
	);
}

/** The nodes whose results its job brings. */
export async function searchOutputNodes(
	this: ILoadOptionsFunctions,
	...asked: [filter?: string, paginationToken?: string]
): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => outputNodesOf(graph, definitions).map(outputEntryOf),
		'No node of this workflow saves or shows anything: add one such as Save Image in ComfyUI.',
		asked,
	);
}
