/** The types of the graph engine: what a server passes to it, and what it returns. */
import type { Behaviour } from '../behaviour';

/** A graph in API format: node id → node; a link is `["<node id>", <output slot>]`. */
export type ApiGraph = Record<string, ApiGraphNode>;

export interface ApiGraphNode {
	class_type: string;
	inputs: Record<string, unknown>;
	[unknownField: string]: unknown;
}

/** One entry of `details.node_errors`. */
export interface NodeProblem {
	/** ComfyUI's type, for example `required_input_missing`, `return_type_mismatch`, `value_not_in_list`. */
	type: string;
	/** The invalid input; `class_type` if the node itself is invalid. */
	field: string;
	reason: string;
	class_type: string;
}

export interface GraphProblem {
	kind: 'ui_format' | 'invalid';
	message: string;
	/** Node id → its problems; empty if the graph as a whole is invalid. */
	nodes: Record<string, NodeProblem[]>;
}

/** `image`, `video`, `audio`, `text`, `file`, `latent`, or another word in the graph. */
type OutputKind = string;

export interface EngineOutput {
	nodeId: string;
	name: string;
	/** In the output folder. Most surfaces ignore it. */
	subfolder?: string;
	/** Text that engines report instead of a file. */
	plainText?: string;
	kind: OutputKind;
	/** A preview, which the service stores separately from saved outputs. */
	temporary: boolean;
	contentType: string;
	bytes: AsyncIterable<Uint8Array> | Uint8Array;
}

/** An event that a node reports about itself. */
export type NodeEvent =
	| { kind: 'progress'; value: number; max: number }
	| { kind: 'preview'; contentType: 'image/jpeg'; data: Buffer }
	| { kind: 'text'; text: string }
	/** Results that are not stored: values, and files of any folder. */
	| { kind: 'results'; results: Record<string, unknown[]> };

export type EngineEvent =
	| { kind: 'cached'; nodeIds: string[] }
	| { kind: 'executing'; nodeId: string; classType: string }
	| { kind: 'executed'; nodeId: string; classType: string }
	| (NodeEvent & { nodeId: string });

export interface EngineRun {
	graph: ApiGraph;
	/** Written into images, as the graph is; undefined if there is none. */
	editorFile?: unknown;
	signal: AbortSignal;
	/** The nodes to execute instead of all output nodes. */
	targets?: readonly string[];
	/** Read whenever a node needs it. */
	behaviour: Behaviour;
	/** The bytes of a file name or of `{"__type":"core/ASSET","info":{"id"}}`. Rejects if the file does not exist. */
	readInput(reference: unknown): Promise<Buffer>;
	writeOutput(output: EngineOutput): Promise<void>;
	onEvent(event: EngineEvent): void;
}

export interface EngineError {
	node_id: string;
	class_type: string;
	exception_type: string;
	message: string;
	traceback: string[];
}

export type EngineResult = { status: 'succeeded' } | { status: 'canceled' } | { status: 'failed'; error: EngineError };
