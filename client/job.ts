/**
 * The shared vocabulary of every interface: v2's field names and words, as they stand on the wire, plus our own
 * `job_id`, `interface`, `service_status` and `job_error`. Fields a service adds later are kept beside these.
 */

import type { V2 } from './generated/v2';

/** Whatever a service adds later stays beside the fields that are known. */
type Open<Known> = Known & { [unknownField: string]: unknown };

/** `engine`: a bare ComfyUI, which knows no accounts. */
export type InterfaceName = 'v2' | 'v1' | 'engine';

/** v2's words. A word that is new to us passes through unchanged and counts as in flight. */
export type JobStatus = 'queued' | 'running' | 'canceling' | 'succeeded' | 'canceled' | 'failed' | 'expired' | (string & {});

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

/** Whether a job in this status will never change again. */
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status);

/** Where a job comes from: names and ids, never data of a flow. */
export interface MadeBy {
	workflow_id: string | null;
	workflow_name: string | null;
	execution_id: string | null;
	node: string | null;
	/** Its index, from 0 on. */
	item: number | null;
}

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
	/** The job succeeded, but nobody can say any more which files it made: `outputs` is empty for that reason alone. */
	outputs_unavailable?: true;
	urls: JobUrls;
	/** Where the service keeps it, and this job's maker has said so. */
	made_by?: MadeBy;
	[unknownField: string]: unknown;
}

/** Returns the id of a job that is given whole or by its id. */
export const toJobId = (job: Job | string): string => (typeof job === 'string' ? job : job.job_id);

/** Of the whole job; `value` runs from 0 to 1. */
export type JobProgress = Open<V2['Progress']>;

/**
 * One file a job made. `type` may be wrong or new to us, so `content_type` is to be believed; `size_bytes` is 0 and
 * `hash` null where the service does not know them; `id` is not always a UUID.
 */
export type JobOutput = Open<Omit<V2['Output'], 'id' | 'url'>> & {
	/** Null on interfaces whose outputs are no assets. */
	id: string | null;
	/** Null for a text that is kept in no file. */
	url: string | null;
	/** Of a text that is kept in no file. */
	text?: string | null;
	/** What to place in a graph for this file, where another job is to take it; null for what is no file. */
	reference?: AssetReference | null;
};

/** What stands in `job_error.code` of a job that an engine does not know any more. */
export const FORGOTTEN_BY_ENGINE = 'forgotten_by_engine';

export type JobError = Open<Required<V2['JobError']>>;

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

/** Live news about one job; the last two are about an account. Every kind is best effort; `JobService.get` is the truth. */
export type JobEvent =
	| { kind: 'status'; status: JobStatus; service_status: string; queue_position: number | null }
	/** A node began to run. */
	| { kind: 'node'; node_id: string }
	/** Nodes whose results were there already. */
	| { kind: 'cached'; node_ids: string[] }
	/** A node's own words about its progress. */
	| { kind: 'text'; node_id: string | null; text: string }
	/** Why the job is about to end as failed. */
	| { kind: 'failed'; job_error: JobError }
	| { kind: 'progress'; progress: JobProgress }
	| { kind: 'preview'; node_id: string | null; content_type: string; data: Uint8Array }
	| { kind: 'output'; output: JobOutput }
	| { kind: 'log'; level: string; message: string }
	| { kind: 'other'; name: string; data: unknown }
	| { kind: 'queue'; queue_remaining: number | null }
	| { kind: 'notification'; message: string };

/** A graph in API format: node id → node. */
export type ApiGraph = Record<string, ApiGraphNode>;

export interface ApiGraphNode {
	class_type: string;
	inputs: Record<string, unknown>;
	_meta?: { title?: string; [unknownField: string]: unknown };
	[unknownField: string]: unknown;
}

/** A stored file's record. Without `expires_at` it is kept for good. */
export type Asset = Open<Omit<V2['Asset'], 'created_at' | 'created_new' | 'id'>> & {
	id: string | null;
	created_at: string | null;
	/** Null where the service does not say; without it, nothing was to be created. */
	created_new?: boolean | null;
};

/** What stands in a graph where a file is meant: v2's object, or v1's plain name. */
export type AssetReference = string | V2['AssetReference'];

/** How v1 and engines name a file: in graphs, outputs and links. */
export interface FileReference {
	filename: string;
	subfolder: string;
	/** `input`, `output`, or `temp` for previews. */
	type: string;
}
