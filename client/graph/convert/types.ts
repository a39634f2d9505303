import type { ConversionPlace } from '../../graphFaults';
import type { ApiGraph } from '../../job';

/** What is uncertain, but harmless enough to go on: told in the item. */
export type ConversionNote = ConversionPlace &
	/** The file holds no value for an input that the server knows by now: the definition's own is taken. */
	(
		| { note: 'default_taken'; value: unknown }
		/** What the file holds does not fit its input: sent as it stands; the server may refuse it. */
		| { note: 'value_does_not_fit'; value: unknown }
		/** What the file holds belongs to no input that the server knows: left out. */
		| { note: 'value_left_out'; value: unknown }
		/** The editor's extension for this node may write something else here. */
		| { note: 'widget_guessed'; value: unknown }
	);

export interface Conversion {
	graph: ApiGraph;
	notes: ConversionNote[];
	/** Texts of which one choice is to be drawn for each item (`{a|b}`); the graph holds them as they are written. */
	dynamicPrompts: Array<{ nodeId: string; input: string }>;
}
