/**
 * The shared vocabulary of every interface: v2's field names and words, as they stand on the wire, plus our own
 * `job_id`, `interface`, `service_status` and `job_error`. Fields a service adds later are kept beside these.
 */

export type InterfaceName = 'v2' | 'v1';

/** v2's words. A word that is new to us passes through unchanged and counts as in flight. */
export type JobStatus = 'queued' | 'running' | 'canceling' | 'succeeded' | 'canceled' | 'failed' | 'expired' | (string & {});

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

/** Whether a job in this status will never change again. */
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status);

export interface Job {
	job_id: string;
	interface: InterfaceName;
	status: JobStatus;
	/** The service's own word, before translation to v2's. */
	service_status: string;
	created_at: string | null;
	started_at: string | null;
	completed_at: string | null;
	/** After this moment the service answers 404 for the job and its workflow. */
	expires_at: string | null;
	queue_position: number | null;
	progress: JobProgress | null;
	outputs: JobOutput[];
	job_error: JobError | null;
	urls: JobUrls;
	[unknownField: string]: unknown;
}

export interface JobProgress {
	/** 0 to 1. */
	value: number;
	nodes_done: number;
	nodes_total: number;
	current_node?: string | null;
	current_node_class?: string | null;
	step?: number | null;
	steps?: number | null;
	message?: string | null;
	[unknownField: string]: unknown;
}

export interface JobOutput {
	/** Empty where the service does not know the node. */
	node_id: string;
	name: string;
	/** `image`, `video`, `audio`, `text`, `file`, `latent`, or a word that is new to us; `content_type` is more reliable. */
	type: string;
	content_type: string;
	/** 0 where the service does not know the size (the self-hosted proxy never does). */
	size_bytes: number;
	/** Asset id. Not always a UUID. */
	id: string;
	/** `blake3:<hex>`, or null while the service has not computed it. */
	hash: string | null;
	url: string;
	url_expires_at: string | null;
	job_id?: string | null;
	[unknownField: string]: unknown;
}

export interface JobError {
	code: string;
	message: string;
	node_id: string | null;
	class_type: string | null;
	traceback: string | null;
	[unknownField: string]: unknown;
}

/** Absolute addresses. `null` where the service sent none. */
export interface JobUrls {
	self: string | null;
	events: string | null;
	cancel: string | null;
	logs?: string | null;
}

export interface JobWorkflow {
	/** `save`: the authoring workflow as saved in the editor. `api`: the executed graph. Unknown words pass through. */
	format: 'save' | 'api' | (string & {});
	workflow: Record<string, unknown>;
	[unknownField: string]: unknown;
}

/** Live news about one job. Every kind is best effort; `JobService.get` is the truth. */
export type JobEvent =
	| { kind: 'status'; status: JobStatus; service_status: string; queue_position: number | null }
	| { kind: 'progress'; progress: JobProgress }
	| { kind: 'preview'; node_id: string | null; content_type: string; data: Uint8Array }
	| { kind: 'output'; output: JobOutput }
	| { kind: 'log'; level: string; message: string }
	| { kind: 'other'; name: string; data: unknown };

/** A graph in API format: node id → node. */
export type ApiGraph = Record<string, ApiGraphNode>;

export interface ApiGraphNode {
	class_type: string;
	inputs: Record<string, unknown>;
	_meta?: { title?: string; [unknownField: string]: unknown };
	[unknownField: string]: unknown;
}

export interface Asset {
	id: string;
	hash: string | null;
	size_bytes: number;
	content_type: string;
	created_at: string | null;
	url: string;
	url_expires_at: string | null;
	file_path?: string | null;
	created_new?: boolean;
	/** Null or absent: kept for good. */
	expires_at?: string | null;
	job_id?: string | null;
	[unknownField: string]: unknown;
}

/** What stands in a graph where a file is meant: v2's object, or v1's plain name. */
export type AssetReference = string | { __type: 'core/ASSET'; info: { id: string; hash?: string; file_path?: string } };
