import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, applyInputs, resolveDynamicPrompt, type InputValues } from '../../../client';
import { setInputValue } from '../inputs/chosenInput';
import { seededNumber } from '../submission/keys';
import { lostNumberLines, noteLines } from '../explain/conversion';
import type { LoadedWorkflow } from './convert';

/** Choices in braces. An item's own text may hold braces or slashes with another meaning. */
const HOLDS_CHOICES = /\{[^{}]*\|/;

/**
 * The graph with one text chosen for each dynamic prompt. If the author of the workflow wrote choices into an input, an item's
 * text for this input may hold choices as well. Any other text of an item is sent unchanged.
 */
function resolvePrompts(
	graph: ApiGraph,
	{ graph: loadedGraph, dynamicPrompts }: LoadedWorkflow,
	seedKey: string,
): { graph: ApiGraph; prompts: Record<string, string> } {
	const values: InputValues = {};
	const prompts: Record<string, string> = {};
	for (const { nodeId, input } of dynamicPrompts) {
		const text = graph[nodeId]?.inputs[input];
		if (typeof text !== 'string' || (text !== loadedGraph[nodeId]?.inputs[input] && !HOLDS_CHOICES.test(text))) continue;
		const name = `${nodeId}.${input}`;
		let choice = 0;
		const resolved = resolveDynamicPrompt(text, (count) => Number(seededNumber(seedKey, `${name} #${++choice}`, BigInt(count))));
		setInputValue(values, { nodeId, input }, resolved);
		prompts[name] = resolved;
	}
	return { graph: applyInputs(graph, values), prompts };
}

/** The graph to send for an item, and what its output items report about the workflow. */
export function resolveWildcards(graph: ApiGraph, workflow: LoadedWorkflow, seedKey: string): { graph: ApiGraph; facts: IDataObject } {
	const { graph: resolved, prompts } = resolvePrompts(graph, workflow, seedKey);
	const { title, lostNumbers } = workflow;
	const notes = [...noteLines(workflow.notes), ...lostNumberLines(lostNumbers)];
	const facts: IDataObject = {
		...(title !== undefined && { workflow_name: title }),
		...(Object.keys(prompts).length > 0 && { dynamic_prompts: prompts }),
		...(notes.length > 0 && { conversion_notes: notes }),
	};
	return { graph: resolved, facts };
}
