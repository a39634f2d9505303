import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ApiGraph, type Definitions, listFileInputs, listInputs, listOutputNodes } from '../../../client';
import { toInputEntry, toOutputNodeEntry } from '../inputs/chosenInput';
import { definitionsInEditor } from '../inputs/definitions';
import { loadWorkflowInEditor } from '../workflows/inEditor';
import { searchEntries, toNoticeEntry } from './entries';

/** What n8n passes to each list. */
type SearchArguments = [filter?: string, paginationToken?: string];

interface List {
	/** The field that shows the list. */
	field: string;
	entriesOf(graph: ApiGraph, definitions: Definitions | undefined): INodeListSearchItems[];
	/** The notice in place of an empty list. */
	emptyNotice: string;
}

async function readEntries(editor: ILoadOptionsFunctions, { entriesOf, emptyNotice }: List): Promise<INodeListSearchItems[]> {
	const loaded = await loadWorkflowInEditor(editor);
	if ('notice' in loaded) return [toNoticeEntry(loaded.notice)];
	const { graph, content, definitions } = loaded.workflow;
	const entries = entriesOf(graph, content === graph ? await definitionsInEditor(editor, graph) : definitions);
	return entries.length === 0 ? [toNoticeEntry(emptyNotice)] : entries;
}

async function search(
	editor: ILoadOptionsFunctions,
	list: List,
	[filter, paginationToken]: SearchArguments,
): Promise<INodeListSearchResult> {
	return searchEntries(editor, list.field, await readEntries(editor, list), filter, paginationToken);
}

const INPUTS: List = {
	field: '&input',
	entriesOf: (graph, definitions) => listInputs(graph, definitions).map(toInputEntry),
	emptyNotice: 'This workflow has no inputs to change: each input receives its value from another node.',
};

const FILE_INPUTS: List = {
	field: '&input',
	entriesOf: (graph, definitions) => listFileInputs(graph, definitions).map(toInputEntry),
	emptyNotice: 'This workflow has no known file input. Add a node such as Load Image in ComfyUI, or choose By Name.',
};

const OUTPUT_NODES: List = {
	field: '&node',
	entriesOf: (graph, definitions) => listOutputNodes(graph, definitions).map(toOutputNodeEntry),
	emptyNotice: 'This workflow has no node that saves or shows an output. Add a node such as Save Image in ComfyUI.',
};

/** Lists the inputs of the workflow that a row can set. */
export async function searchInputs(this: ILoadOptionsFunctions, ...filterAndPage: SearchArguments): Promise<INodeListSearchResult> {
	return await search(this, INPUTS, filterAndPage);
}

/** Lists the inputs that take a file. */
export async function searchFileInputs(this: ILoadOptionsFunctions, ...filterAndPage: SearchArguments): Promise<INodeListSearchResult> {
	return await search(this, FILE_INPUTS, filterAndPage);
}

/** Lists the nodes that have outputs. */
export async function searchOutputNodes(this: ILoadOptionsFunctions, ...filterAndPage: SearchArguments): Promise<INodeListSearchResult> {
	return await search(this, OUTPUT_NODES, filterAndPage);
}
