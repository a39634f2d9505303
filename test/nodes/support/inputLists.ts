import type { IDataObject, INodeListSearchResult } from 'n8n-workflow';

import { editorContext } from './editor';
import { type Credential, nodes } from './engine';

type Listing = 'comfyRunWorkflow' | 'comfySubmitWorkflow';
export type SearchParameters = { node?: Listing; credential?: Credential; filter?: string; token?: string } & IDataObject;

/** Lists the inputs of this workflow, or of the one in the parameters. */
export async function searchInputs(
	workflow: unknown,
	{ node = 'comfySubmitWorkflow', credential, filter, token, ...parameters }: SearchParameters = {},
): Promise<INodeListSearchResult> {
	const editing = editorContext(node, { workflowSource: 'json', workflow: workflow as string, ...parameters }, credential);
	return await nodes[node].methods.listSearch.searchInputs.call(editing, filter, token);
}
