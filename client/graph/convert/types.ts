import type { ConversionPlace } from '../../graphFaults';
import type { ApiGraph } from '../../job';
import type { ExpectedType } from './literals';

/** What may be wrong in a converted graph, one entry for each input. */
export type ConversionNote = ConversionPlace & { value: unknown } & (
		| {
				/** The value has another type than the class declares. ComfyUI may reject it. */
				note: 'value_does_not_fit';
				expected: ExpectedType;
		  }
		| {
				/** `value` was taken by the name of its widget, because the value at its position, `instead`, does not fit. */
				note: 'value_by_name';
				instead: unknown;
		  }
		| {
				/** The link `value` is left out, because the class does not know what was chosen at the input `choice`. */
				note: 'link_dropped';
				choice: string;
		  }
		| {
				/** The editor of today may write something else here. */
				note: 'widget_guessed';
		  }
	);

export interface Conversion {
	graph: ApiGraph;
	notes: ConversionNote[];
	/** Texts of which one choice is to be drawn for each item (`{a|b}`); the graph holds them as they are written. */
	dynamicPrompts: Array<{ nodeId: string; input: string }>;
	/** Whole numbers that the editor changes after each run, because their control is set to randomize, increment or decrement. */
	changedByEditor: Array<{ nodeId: string; input: string }>;
}
