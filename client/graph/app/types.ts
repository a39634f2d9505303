import type { GraphInput } from '../form';

/** A workflow whose author has marked, in the editor's App Mode, what a user is to see. */
export interface App {
	/** In the author's order. */
	inputs: AppInput[];
	/** Ids of nodes in the converted graph; empty for all. */
	outputs: string[];
	/** What the author marked, and this workflow does not offer any more. */
	missing: MissingFromApp[];
}

export interface AppInput {
	/** The same for as long as the author does not mark it anew: `12:3.seed`, as in the converted graph. */
	id: string;
	/** The author's words; with the node's title where several inputs have the same. */
	label: string;
	/** What the author wrote beside it. */
	description?: string;
	input: GraphInput;
	/** Where the same value goes as well: one widget of a subgraph, or a primitive, may feed several inputs. */
	also: GraphInput[];
}

export interface MissingFromApp {
	is: 'input' | 'output';
	/** As far as the file says it. */
	label: string;
	/**
	 * `gone`: no such node, or no such input of it; `inactive`: its node is muted or bypassed; `linked`: its value comes from
	 * another node; `not_sent`: a widget of the editor alone.
	 */
	why: 'gone' | 'inactive' | 'linked' | 'not_sent';
}
