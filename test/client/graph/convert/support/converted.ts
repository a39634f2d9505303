import { parseExact } from '../../../../../client/json/exactJson';
import { convertWorkflow, type Definitions, drawPrompt, GraphError } from '../../../../../client';
import { DAY_OF_RECORDING, type Recording } from './recordings';

export interface Converted {
	output?: Recording['output'];
	notes: object[];
	refusals: object[];
}

/** What our converter makes of an editor's file. */
export function converted(text: string, definitions: Definitions): Converted {
	try {
		const { graph, notes, dynamicPrompts } = convertWorkflow(parseExact(text), definitions, { now: DAY_OF_RECORDING });
		const output = graph as Recording['output'];
		for (const { nodeId, input } of dynamicPrompts) {
			const inputs = output[nodeId]?.inputs;
			// The recording holds the first choice.
			if (inputs !== undefined) inputs[input] = drawPrompt(String(inputs[input]), () => 0);
		}
		return { output, notes, refusals: [] };
	} catch (error) {
		const facts = error instanceof GraphError ? (error.facts as { refusals?: object[] }) : {};
		if (facts.refusals === undefined) throw error;
		return { notes: [], refusals: facts.refusals };
	}
}

/** Why a file is refused; empty where it is converted. */
export function refusalsOf(workflow: unknown, known: Definitions): Array<Record<string, unknown>> {
	try {
		convertWorkflow(workflow, known);
	} catch (error) {
		if (error instanceof GraphError && error.facts.fault === 'not_convertible') return error.facts.refusals as never;
		throw error;
	}
	return [];
}
