import type { ConversionPlace } from '../../graphFaults';
import type { ApiGraph } from '../../job';

/** What is uncertain, but harmless enough to go on: told in the item. */
export type ConversionNote = ConversionPlace & {
	/**
	 * `value_does_not_fit`: what the file holds does not fit its input, and is sent as it stands; the server may refuse it.
	 * `widget_guessed`: the editor's extension for this node may write something else here.
	 */
	note: 'value_does_not_fit' | 'widget_guessed';
	value: unknown;
};

export interface Conversion {
	graph: ApiGraph;
	notes: ConversionNote[];
	/** Texts of which one choice is to be drawn for each item (`{a|b}`); the graph holds them as they are written. */
	dynamicPrompts: Array<{ nodeId: string; input: string }>;
}
