/** The facts of a GraphError: what is wrong with a workflow or with its input values. */

/** A place in a workflow. The id is that of the converted graph (`12:3` inside a subgraph). */
export interface ConversionPlace {
	nodeId: string;
	/** The title that the author gave it, or else the display name of its class, or else the class. */
	title: string;
	className: string;
	input?: string;
}

/** Why a workflow cannot be converted. The conversion guesses nothing. */
export type ConversionRefusal =
	/**
	 * `pack`: the pack that the file names for this class (`cnr_id` or `aux_id` of its properties). `replacedBy`: the class that
	 * replaces it, if the server reports one.
	 */
	| (ConversionPlace & { refusal: 'unknown_class'; pack?: string; replacedBy?: string })
	/** An extension of the editor adds the inputs of this node, in an unknown way. */
	| (ConversionPlace & { refusal: 'unknown_widgets' })
	/** An extension of the editor links this node at each export. The file does not contain such a link. */
	| (ConversionPlace & { refusal: 'hidden_links' })
	/** A link of this input leads nowhere or in a circle. */
	| (ConversionPlace & { refusal: 'broken_link' })
	/** Each of these nodes needs the result of the next, and the last one that of the first. The place is the first node. */
	| (ConversionPlace & { refusal: 'circular_links'; nodeIds: string[] })
	/** The file itself is broken. `detail` says how, as half a sentence. */
	| { refusal: 'broken_file'; detail: string }
	/** A subgraph that the file does not define, or that contains itself. */
	| (ConversionPlace & { refusal: 'unknown_subgraph' | 'cyclic_subgraph' })
	/** No node would be executed. */
	| { refusal: 'nothing_to_run' }
	| { refusal: 'too_large'; detail: string };

/** An input that gets its value from node `from`, which is missing in the graph. */
export type DanglingLink = ConversionPlace & { input: string; from: string };

/** An input whose value holds a placeholder that no program has replaced, for example `%prompt%`. */
export type UnresolvedPlaceholder = ConversionPlace & { input: string; placeholder: string };

export type GraphFault =
	/** `expression`: the text contains an expression that n8n has not evaluated, for example `{{ $json.seed }}`. */
	| { fault: 'not_json'; detail: string; expression?: string }
	| { fault: 'ui_format' }
	/** In editor format, and the conversion failed. */
	| { fault: 'not_convertible'; refusals: ConversionRefusal[] }
	| { fault: 'not_a_graph'; detail: string }
	/** A saved subgraph that cannot run. `detail`: why, as half a sentence. */
	| { fault: 'not_a_blueprint'; name: string; detail: string }
	| { fault: 'unknown_node'; node: string; known: string[] }
	| { fault: 'ambiguous_title'; node: string; ids: string[] }
	| { fault: 'unknown_input'; node: string; input: string; known: string[] }
	| { fault: 'dangling_links'; links: DanglingLink[] }
	| { fault: 'placeholders'; places: UnresolvedPlaceholder[] }
	/** `left`: the number that is left. */
	| { fault: 'lost_digits'; id: string; name: string; input: string; left: string }
	/** `isUnreadable`: it is text that is not JSON. `expression` as for `not_json`. */
	| { fault: 'bad_values'; detail: string; isUnreadable?: true; expression?: string }
	| GraphInputFault;

export type ExpectedValue = 'text' | 'integer' | 'number' | 'boolean' | 'json' | 'file';

/** What is wrong with one input value. Inputs are listed as `6.text (Positive · text)`. */
export type GraphInputFault =
	| { fault: 'no_such_input'; name: string; near: string[]; known: string[] }
	| { fault: 'ambiguous_input'; name: string; inputs: string[] }
	/** The input that was chosen as `chosenAs` is now at `now`. Another input is at `name`. */
	| { fault: 'moved_input'; name: string; chosenAs: string; label: string; now: string }
	/** Its value comes from node `from`. `inputs`: the inputs of that node. `title` is absent if the node is missing. */
	| { fault: 'linked_input'; name: string; from: string; title: string | undefined; inputs: string[] }
	/** `given`: the value in a form that may be shown. */
	| { fault: 'wrong_value'; label: string; expected: ExpectedValue; given: string }
	| { fault: 'value_out_of_range'; label: string; value: string; min?: string; max?: string }
	| { fault: 'value_not_offered'; label: string; value: string; near: string[]; offered: string[] }
	/** `left`: the number that a double keeps of it. */
	| { fault: 'value_lost_digits'; label: string; left: string }
	/** The value holds a placeholder that no program has replaced. */
	| { fault: 'value_is_placeholder'; label: string; placeholder: string };
