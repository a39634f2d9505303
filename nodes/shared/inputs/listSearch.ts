import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ApiGraph, type Definitions, fileInputsOf, inputsOf, outputNodesOf } from '../../../client';
import { definitionsInEditor } from './definitions';
import { entryOf, outputEntryOf } from './entries';
import { pastedGraph } from './pastedGraph';

const PAGE_SIZE = 200;

const instead = (name: string): INodeListSearchResult => ({ results: [{ name, value: '' }] });

const matches = ({ name, value }: INodeListSearchItems, words: string[]): boolean => {
	const text = `${name} ${value}`.toLowerCase();
	return words.every((word) => text.includes(word));
};

/** Entries by the words of their name, a page at a time; in their place, where there are none, one line that says why. */
async function search(
	editor: ILoadOptionsFunctions,
	entriesOf: (graph: ApiGraph, definitions: Definitions | undefined) => INodeListSearchItems[],
	none: string,
	[filter = '', paginationToken]: [string?, string?],
): Promise<INodeListSearchResult> {
	const pasted = pastedGraph(editor);
	if ('why' in pasted) return instead(pasted.why);
	const entries = entriesOf(pasted.graph, await definitionsInEditor(editor, pasted.graph));
	if (entries.length === 0) return instead(none);
	const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== '');
	const found = entries.filter((entry) => matches(entry, words));
	const from = Number(paginationToken ?? 0);
	const next = from + PAGE_SIZE;
	return { results: found.slice(from, next), ...(next < found.length && { paginationToken: String(next) }) };
}

/** What the pasted workflow lets one change. */
export async function searchInputs(this: ILoadOptionsFunctions, ...asked: [filter?: string, paginationToken?: string]): Promise<INodeListSearchResult> {
	return await search(this, (graph, definitions) => inputsOf(graph, definitions).map(entryOf), 'Nothing in this workflow can be changed: every input takes its value from another node.', asked);
}

/** Those of its inputs that take a file. */
export async function searchFileInputs(this: ILoadOptionsFunctions, ...asked: [filter?: string, paginationToken?: string]): Promise<INodeListSearchResult> {
	return await search(
		this,
		(graph, definitions) => fileInputsOf(graph, definitions).map(entryOf),
		'No input of this workflow is known to take a file. Add a node such as Load Image in ComfyUI, or choose By Name.',
		asked,
	);
}

/** The nodes whose results its job brings. */
export async function searchOutputNodes(this: ILoadOptionsFunctions, ...asked: [filter?: string, paginationToken?: string]): Promise<INodeListSearchResult> {
	return await search(this, (graph, definitions) => outputNodesOf(graph, definitions).map(outputEntryOf), 'No node of this workflow saves or shows anything: add one such as Save Image in ComfyUI.', asked);
}
