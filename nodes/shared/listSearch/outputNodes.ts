import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { outputNodesOf, parseGraph } from '../../../client';
import { isEmptyWorkflow, pastedWorkflow } from '../jobs/submit/workflowText';
import { wordsFor } from '../messages';

const isExpression = (workflow: unknown): boolean => typeof workflow === 'string' && workflow.startsWith('=');

/** In place of the nodes, where it is read; chosen, it is nobody's name. */
const instead = (name: string): INodeListSearchItems[] => [{ name, value: '' }];

function nodesOf(workflow: unknown): INodeListSearchItems[] {
	if (isExpression(workflow)) return instead('Workflow is an expression, known only when the node runs: choose By Name');
	if (isEmptyWorkflow(workflow)) return instead('Paste a workflow under Workflow first');
	try {
		const nodes = outputNodesOf(parseGraph(pastedWorkflow(workflow)));
		return nodes.map(({ nodeId, label, isTemporary }) => ({ name: isTemporary ? `${label} · temporary preview` : label, value: nodeId }));
	} catch (error) {
		return instead(wordsFor(error).message);
	}
}

/** The nodes of the pasted workflow whose results its jobs bring. */
export async function searchOutputNodes(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const nodes = nodesOf(this.getCurrentNodeParameter('workflow'));
	return { results: nodes.filter(({ name, value }) => value === '' || `${name} ${value}`.toLowerCase().includes(wanted)) };
}
