import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, applyInputs, drawPrompt, type InputValues } from '../../../client';
import { drawn } from '../submission/drawn';
import { lostNumberLines, noteLines } from '../messages/conversion';
import type { LoadedWorkflow } from './convert';

/** A block of choices. Braces or slashes alone may have another meaning in the text of an item. */
const HAS_CHOICES = /\{[^{}]*\|/;

/**
 * Replaces each prompt with wildcards by one of its choices. An item's own text may contain choices too if the author's text
 * has some. Any other text of an item is sent unchanged.
 */
function choosePrompts(
	graph: ApiGraph,
	{ graph: own, dynamicPrompts }: LoadedWorkflow,
	seedKey: string,
): { graph: ApiGraph; prompts: Record<string, string> } {
	const values: InputValues = {};
	const prompts: Record<string, string> = {};
	for (const { nodeId, input } of dynamicPrompts) {
		const text = graph[nodeId]?.inputs[input];
		if (typeof text !== 'string' || (text !== own[nodeId]?.inputs[input] && !HAS_CHOICES.test(text))) continue;
		const name = `${nodeId}.${input}`;
		let choice = 0;
		const prompt = drawPrompt(text, (count) => Number(drawn(seedKey, `${name} #${++choice}`, BigInt(count))));
		values[nodeId] = { ...values[nodeId], [input]: prompt };
		prompts[name] = prompt;
	}
	return { graph: applyInputs(graph, values), prompts };
}

/**
 * Returns the graph with all wildcards resolved, and the facts about the workflow for the item.
 * @param seedKey makes the choices, so that each try of an item makes the same ones.
 */
export function resolvePrompts(graph: ApiGraph, workflow: LoadedWorkflow, seedKey: string): { graph: ApiGraph; facts: IDataObject } {
	const { graph: resolved, prompts } = choosePrompts(graph, workflow, seedKey);
	const { title, lostNumbers } = workflow;
	const notes = [...noteLines(workflow.notes), ...lostNumberLines(lostNumbers)];
	const facts: IDataObject = {
		...(title !== undefined && { workflow_name: title }),
		...(Object.keys(prompts).length > 0 && { dynamic_prompts: prompts }),
		...(notes.length > 0 && { conversion_notes: notes }),
	};
	return { graph: resolved, facts };
}
