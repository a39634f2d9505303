/** The types of the graph engine: what a server passes to it, and what it returns. */

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

export type PreviewType = 'image/jpeg' | 'image/png';

export type EngineEvent =
	| { kind: 'cached'; nodeIds: string[] }
	| { kind: 'executing'; nodeId: string; classType: string }
	| { kind: 'progress'; nodeId: string; value: number; max: number }
	| { kind: 'preview'; nodeId: string; contentType: PreviewType; data: Buffer }
	| { kind: 'text'; nodeId: string; text: string }
	/** Results that are not stored: values, and files of any folder. */
	| { kind: 'results'; nodeId: string; results: Record<string, unknown[]> }
	| { kind: 'executed'; nodeId: string; classType: string };

export interface EngineRun {
	graph: ApiGraph;
	signal: AbortSignal;
	/** The nodes to execute instead of all output nodes. */
	targets?: readonly string[];
	/** JPEG by default. */
	previewType?: PreviewType;
	samplerStepMs?: number;
	/** Called repeatedly. Open by default. */
	gateOpen?(): boolean;
	/** Called once for each SandboxGate that is open. Not full by default. */
	isMemoryFull?(): boolean;
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

export interface GraphEngine {
	/** @returns the problems of a graph, or undefined if it can be executed. */
	validate(graph: unknown): GraphProblem | undefined;
	/** Executes a valid graph. Several runs can overlap. Never rejects. */
	run(run: EngineRun): Promise<EngineResult>;
}

export interface GraphEngineOptions {
	/** Additional duration of each step of a sampler. Default 0. */
	samplerStepMs?: () => number;
}
