import { type ApiGraph, convertWorkflow, followChoices, parseExact, resolveDynamicPrompt } from '../../../../../client';
import { findInputDefinition } from '../../../../../client/graph/inputs/definitions';
import { parseLink } from '../../../../../client/graph/inputs/graphNodes';
import type { Json } from '../../convert/support/sockets';
import { DAY_OF_RECORDING, definitions, graphText } from '../../convert/support/recordings';

/** Their files have inputs of options that are not chosen, or today's frontend reads them differently from the one that saved them. */
export const CONTRADICTORY = ['group/choices-as-lists', 'widgets/choices', 'widgets/other-choices'];

/** A text that the editor would change, if it were not escaped: it has a choice and a comment. */
const PROMPT = 'a {red|blue} fox // in snow';

/** @param count makes the texts of a graph different. @returns another value that the class accepts; the same one if there is none. */
function toOtherValue(value: unknown, definition: ReturnType<typeof findInputDefinition>, count: number): unknown {
	const { type, settings = {}, choices = [] } = definition ?? {};
	const [step, min, max] = [Number(settings.step ?? 1), Number(settings.min ?? 0), Number(settings.max ?? 2048)];
	if (type === 'STRING' && typeof value === 'string') return `${PROMPT} ${count}`;
	if (type === 'INT' && typeof value === 'number') return value + step <= max ? value + step : value - step;
	if (type === 'FLOAT' && typeof value === 'number') return value + 1 <= max ? value + 1 : min;
	if (type === 'BOOLEAN' && typeof value === 'boolean') return !value;
	if (type === 'COMBO') return choices.find((choice) => choice !== value) ?? value;
	return value;
}

/** What a run makes of a recorded graph: its wildcards are resolved, and these inputs have other values. */
export interface ChangedGraph {
	workflow: Json;
	graph: ApiGraph;
	/** How many values are different. */
	count: number;
}

/** @param isChanged whether the input at this position of the graph gets another value. */
export function changeValues(name: string, isChanged: (position: number) => boolean): ChangedGraph {
	const workflow = parseExact(graphText(name)) as Json;
	const { graph: converted, dynamicPrompts } = convertWorkflow(workflow, definitions, { now: DAY_OF_RECORDING });
	const resolved = structuredClone(converted);
	for (const { nodeId, input } of dynamicPrompts) {
		const inputs = resolved[nodeId]?.inputs ?? {};
		inputs[input] = resolveDynamicPrompt(String(inputs[input]), () => 0);
	}
	let [position, count] = [0, 0];
	const changed = structuredClone(resolved);
	for (const node of Object.values(changed)) {
		const changedInputs: string[] = [];
		for (const [input, value] of Object.entries(node.inputs)) {
			if (parseLink(value) !== undefined || !isChanged(position++) || input === 'filename_prefix') continue;
			// Another choice may not have the inputs behind it.
			if (changedInputs.some((other) => input.startsWith(`${other}.`) || other.startsWith(`${input}.`))) continue;
			node.inputs[input] = toOtherValue(value, findInputDefinition(definitions, node, input), count);
			if (node.inputs[input] === value) continue;
			changedInputs.push(input);
			count++;
		}
	}
	return { workflow, graph: followChoices(resolved, changed, definitions), count };
}
