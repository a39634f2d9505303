/** What can be wrong with a workflow, or with the values that were to be put into it: the facts of a GraphError. */

/** Where in a workflow something is said of: the id is that of the converted graph (`12:3` inside a subgraph). */
export interface ConversionPlace {
	nodeId: string;
	/** As its author titled it, else the class's own name on screen, else the class. */
	title: string;
	className: string;
	input?: string;
}

/** Why a workflow cannot be converted; nothing is guessed. */
export type ConversionRefusal =
	/** `pack`: what the file says that the class comes from (`cnr_id` or `aux_id` of its properties). */
	| (ConversionPlace & { refusal: 'unknown_class'; pack?: string })
	/** An extension of the editor draws this node's inputs itself, in a way that nobody knows here. */
	| (ConversionPlace & { refusal: 'unknown_widgets' })
	/** An extension of the editor links this node to others each time it exports; the file shows no such link. */
	| (ConversionPlace & { refusal: 'hidden_links' })
	/** A link of this input leads nowhere, or in a circle. */
	| (ConversionPlace & { refusal: 'broken_link' })
	/** Each of these nodes needs the result of the next, and the last that of the first. The place is the first node. */
	| (ConversionPlace & { refusal: 'circular_links'; nodeIds: string[] })
	/** The file itself is broken: `detail` says how, as half a sentence. */
	| { refusal: 'broken_file'; detail: string }
	/** A subgraph that the file does not define, or that contains itself. */
	| (ConversionPlace & { refusal: 'unknown_subgraph' | 'cyclic_subgraph' })
	/** Nothing in it would be executed. */
	| { refusal: 'nothing_to_run' }
	| { refusal: 'too_large'; detail: string };

/** An input that takes its value from node `from`, which the graph does not have. */
export type DanglingLink = ConversionPlace & { input: string; from: string };

export type GraphFault =
	| { fault: 'not_json'; detail: string }
	| { fault: 'ui_format' }
	/** In the editor's own format, and something of it cannot be known. */
	| { fault: 'not_convertible'; refusals: ConversionRefusal[] }
	| { fault: 'not_a_graph'; detail: string }
	| { fault: 'unknown_node'; node: string; known: string[] }
	| { fault: 'ambiguous_title'; node: string; ids: string[] }
	| { fault: 'unknown_input'; node: string; input: string; known: string[] }
	| { fault: 'dangling_links'; links: DanglingLink[] }
	/** `left`: what an object has kept of the number. */
	| { fault: 'lost_digits'; id: string; name: string; input: string; left: string }
	/** `isUnreadable`: it is text, and no JSON. */
	| { fault: 'bad_values'; detail: string; isUnreadable?: true }
	| GraphInputFault;

export type ExpectedValue = 'text' | 'integer' | 'number' | 'boolean' | 'json' | 'file';

/** What is wrong with one input that was to be changed. Inputs are listed as `6.text (Positive · text)`. */
export type GraphInputFault =
	| { fault: 'no_such_input'; name: string; near: string[]; known: string[] }
	| { fault: 'ambiguous_input'; name: string; inputs: string[] }
	/** What was called `chosenAs` is `now`; at `name` stands another. */
	| { fault: 'moved_input'; name: string; chosenAs: string; label: string; now: string }
	/** Its value comes from node `from`; `inputs`: what can be changed there. `title` is absent where that node is. */
	| { fault: 'linked_input'; name: string; from: string; title: string | undefined; inputs: string[] }
	/** `given`: the value as it may be shown. */
	| { fault: 'wrong_value'; label: string; expected: ExpectedValue; given: string }
	| { fault: 'value_out_of_range'; label: string; value: string; min?: string; max?: string }
	| { fault: 'value_not_offered'; label: string; value: string; near: string[]; offered: string[] }
	/** `left`: what a double has kept of it. */
	| { fault: 'value_lost_digits'; label: string; left: string };
