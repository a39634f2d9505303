import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, applyInputs, type InputValues, resolveWildcards } from '../../../client';
import { drawn } from '../submission/drawn';
import { lostNumberLines, noteLines } from '../messages/conversion';
import type { LoadedWorkflow } from './converted';

/** A block of choices. What comes from an item may well hold braces or slashes of other meaning. */
const HOLDS_CHOICES = /\{[^{}]*\|/;

/**
 * The graph with one text drawn of each prompt that stands for several. Where the workflow's author wrote choices, an item's
 * own text may hold some as well; any other text of an item is sent as it is.
 */
function withPrompts(
	graph: ApiGraph,
	{ graph: own, dynamicPrompts }: LoadedWorkflow,
	drawKey: string,
): { graph: ApiGraph; prompts: Record<string, string> } {
	const values: InputValues = {};
	const prompts: Record<string, string> = {};
	for (const { nodeId, input } of dynamicPrompts) {
		const text = graph[nodeId]?.inputs[input];
		if (typeof text !== 'string' || (text !== own[nodeId]?.inputs[input] && !HOLDS_CHOICES.test(text))) continue;
		const name = `${nodeId}.${input}`;
		let choice = 0;
		const said = resolveWildcards(text, (count) => Number(drawn(drawKey, `${name} #${++choice}`, BigInt(count))));
		values[nodeId] = { ...values[nodeId], [input]: said };
		prompts[name] = said;
	}
	return { graph: applyInputs(graph, values), prompts };
}

/** What is sent for an item, and what its items tell of the workflow that it comes from. */
export function drawnFor(graph: ApiGraph, workflow: LoadedWorkflow, drawKey: string): { graph: ApiGraph; facts: IDataObject } {
	const { graph: said, prompts } = withPrompts(graph, workflow, drawKey);
	const { title, lostNumbers } = workflow;
	const notes = [...noteLines(workflow.notes), ...lostNumberLines(lostNumbers)];
	const facts: IDataObject = {
		...(title !== undefined && { workflow_name: title }),
		...(Object.keys(prompts).length > 0 && { dynamic_prompts: prompts }),
		...(notes.length > 0 && { conversion_notes: notes }),
	};
	return { graph: said, facts };
}
