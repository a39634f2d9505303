import { parseExact } from '../../../../../client/json/exactJson';
import { convertWorkflow, type Definitions, GraphError, resolveDynamicPrompt } from '../../../../../client';
import { DAY_OF_RECORDING, definitions as recordedDefinitions, type Recording } from './recordings';
import type { Json } from './sockets';

export interface Converted {
	output?: Recording['output'];
	notes: object[];
	/** Why the file is refused; empty if it is converted. */
	refusals: Array<Record<string, unknown>>;
}

function convertedFile(workflow: unknown, definitions: Definitions): Converted {
	try {
		const { graph, notes, dynamicPrompts } = convertWorkflow(workflow, definitions, { now: DAY_OF_RECORDING });
		const output = graph as Recording['output'];
		for (const { nodeId, input } of dynamicPrompts) {
			const inputs = output[nodeId]?.inputs;
			// The recording holds the first choice.
			if (inputs !== undefined) inputs[input] = resolveDynamicPrompt(String(inputs[input]), () => 0);
		}
		return { output, notes, refusals: [] };
	} catch (error) {
		if (error instanceof GraphError && error.facts.fault === 'not_convertible')
			return { notes: [], refusals: error.facts.refusals as never };
		throw error;
	}
}

/** What our converter makes of an editor's file. */
export const converted = (text: string, definitions: Definitions): Converted => convertedFile(parseExact(text), definitions);

export const refusalsOf = (workflow: unknown, definitions = recordedDefinitions) => convertedFile(workflow, definitions).refusals;

/** The inputs of the nodes of the converted graph, by node. */
export const inputsIn = (workflow: Json, definitions = recordedDefinitions): Record<string, Json> =>
	Object.fromEntries(Object.entries(convertWorkflow(workflow, definitions).graph).map(([id, { inputs }]) => [id, inputs]));
