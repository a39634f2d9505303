import { GraphError } from '../../errors/errors';
import type { ConversionPlace, ConversionRefusal } from '../../errors/graphFaults';
import type { ApiGraph } from '../../ports/job';

/** What a class accepts at an input. `choice`: one of the values that it lists. */
export type ExpectedType = 'integer' | 'number' | 'text' | 'boolean' | 'choice';

/** A value in a converted graph that may be wrong. There is one note for each input. */
export type ConversionNote = ConversionPlace & { value: unknown } & (
		| {
				/** The value has another type than the class declares. ComfyUI may reject it. */
				note: 'value_does_not_fit';
				expected: ExpectedType;
		  }
		| {
				/** `value` was found by the name of its widget, because the value at its position, `instead`, does not fit. */
				note: 'value_by_name';
				instead: unknown;
		  }
		| {
				/** The link `value` is left out, because the class does not know the option that is chosen at the input `choice`. */
				note: 'link_dropped';
				choice: string;
		  }
		| {
				/** The file contradicts itself about the link of this input. `value`: the link that is used, or null for none. */
				note: 'link_contested';
				value: [nodeId: string, slot: number] | null;
		  }
		| {
				/** An extension of the editor adds the link `value` at each export. The file has it as of the last time. */
				note: 'link_by_extension';
				value: [nodeId: string, slot: number] | null;
		  }
		| {
				/** The seed is -1, which stands for a random one. */
				note: 'random_seed';
		  }
		| {
				/** The class is retired, and the node runs as the class `value`. `lost`: linked inputs and values without a place there. */
				note: 'node_replaced';
				value: string;
				lost: string[];
		  }
		| {
				/** The node loads a file for the input `value` of a blueprint, or saves or shows its output `value`. */
				note: 'input_node_added' | 'output_node_added';
				value: string;
		  }
		| {
				/** Today's editor may export another value. */
				note: 'widget_guessed';
		  }
	);

export interface NodeInput {
	nodeId: string;
	input: string;
}

export interface Conversion {
	graph: ApiGraph;
	notes: ConversionNote[];
	/** Texts with wildcards (`{a|b}`), of which each item gets one choice. The graph has them as they are written. */
	dynamicPrompts: NodeInput[];
	/** Numbers that the editor changes after each run, because their control is set to randomize, increment or decrement. */
	changedByEditor: NodeInput[];
}

export const notConvertible = (refusals: ConversionRefusal[]): GraphError => new GraphError({ fault: 'not_convertible', refusals });

/** @param detail half a sentence about the file. */
export const brokenFile = (detail: string): GraphError => notConvertible([{ refusal: 'broken_file', detail }]);
