/** The entry point of the engine: what a server passes in, and what it gets back. */

/** A graph in API format: node id → node; a link is `["<node id>", <output slot>]`. */
export type ApiGraph = Record<string, ApiGraphNode>;

export interface ApiGraphNode {
	class_type: string;
	inputs: Record<string, unknown>;
	[unknownField: string]: unknown;
}

/** One entry of `details.node_errors`. */
export interface NodeProblem {
	/** ComfyUI's word, e.g. `required_input_missing`, `return_type_mismatch`, `value_not_in_list`. */
	type: string;
	/** The input at fault; `class_type` when the node itself is. */
	field: string;
	reason: string;
	class_type: string;
}

export interface GraphProblem {
	kind: 'ui_format' | 'invalid';
	message: string;
	/** Node id → its problems; empty when the graph as a whole is at fault. */
	nodes: Record<string, NodeProblem[]>;
}

/** `image`, `video`, `audio`, `text`, `file`, `latent`, or whatever word a graph asks for. */
type OutputKind = string;

export interface EngineOutput {
	nodeId: string;
	name: string;
	/** Of the folder that holds it; most surfaces keep none. */
	subfolder?: string;
	/** What engines tell of it in place of a file, where they keep none. */
	plainText?: string;
	kind: OutputKind;
	/** A preview, which the service keeps apart from saved outputs. */
	temporary: boolean;
	contentType: string;
	bytes: AsyncIterable<Uint8Array> | Uint8Array;
}

export type PreviewType = 'image/jpeg' | 'image/png';

export type EngineEvent =
	| { kind: 'cached'; nodeIds: string[] }
	| { kind: 'executing'; nodeId: string; classType: string }
	| { kind: 'progress'; nodeId: string; value: number; max: number }
	| { kind: 'preview'; nodeId: string; contentType: PreviewType; data: Buffer }
	| { kind: 'text'; nodeId: string; text: string }
	| { kind: 'executed'; nodeId: string; classType: string };

export interface EngineRun {
	graph: ApiGraph;
	signal: AbortSignal;
	/** Nodes to execute for, in place of all output nodes. */
	targets?: readonly string[];
	/** JPEG unless said otherwise. */
	previewType?: PreviewType;
	samplerStepMs?: number;
	/** Asked from time to time. Open unless said otherwise. */
	gateOpen?(): boolean;
	/** The bytes behind a file name or `{"__type":"core/ASSET","info":{"id"}}`; rejects when there are none. */
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

export interface GraphEngine {
	/** What is wrong with a graph before anything runs, or undefined when it can be executed. */
	validate(graph: unknown): GraphProblem | undefined;
	/** Executes a valid graph; several runs may be under way at once. Never rejects. */
	run(run: EngineRun): Promise<EngineResult>;
}

export interface GraphEngineOptions {
	/** How many bytes of node results are remembered across runs. Default 64 MiB. */
	cacheBytes?: number;
	/** What each step of a sampler takes beside its work. Default 0. */
	samplerStepMs?: () => number;
}
