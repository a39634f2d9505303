/**
 * The types that all interfaces share. They use v2's field names and values as on the wire, plus our own `job_id`,
 * `interface`, `service_status` and `job_error`. Fields that a service adds later are kept.
 */

import type { V2 } from '../generated/v2';

/** Fields that a service adds later are kept with the known ones. */
type Open<Known> = Known & { [unknownField: string]: unknown };

/** `engine`: a bare ComfyUI, which has no accounts. */
export type InterfaceName = 'v2' | 'v1' | 'engine';

/** The statuses of v2. An unknown status passes through and counts as in flight. */
export type JobStatus = 'queued' | 'running' | 'canceling' | 'succeeded' | 'canceled' | 'failed' | 'expired' | (string & {});

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

/** Whether a job in this status will never change again. */
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status);

/** Who made a job: names and ids, never data of items. */
export interface MadeBy {
	workflow_id: string | null;
	workflow_name: string | null;
	execution_id: string | null;
	node: string | null;
	/** The index of the item, starting at 0. */
	item: number | null;
}

export interface Job {
	job_id: string;
	interface: InterfaceName;
	status: JobStatus;
	/** The service's own status, before it is mapped to v2's. */
	service_status: string;
	created_at: string | null;
	started_at: string | null;
	completed_at: string | null;
	/** After this time the service answers 404 for the job and its workflow. */
	expires_at: string | null;
	queue_position: number | null;
	progress: JobProgress | null;
	outputs: JobOutput[];
	job_error: JobError | null;
	/** The job succeeded, but the service no longer knows its files. `outputs` is empty for this reason only. */
	outputs_unavailable?: true;
	urls: JobUrls;
	/** The address of the server that has the job, if it is one of a pool. */
	server?: string;
	/** Present if the service stores it and the job was submitted with it. */
	made_by?: MadeBy;
	[unknownField: string]: unknown;
}

/** Returns the id of a job, or the id itself. */
export const toJobId = (job: Job | string): string => (typeof job === 'string' ? job : job.job_id);

/** The progress of the whole job. `value` goes from 0 to 1. */
export type JobProgress = Open<V2['Progress']>;

/**
 * One file that a job made. `type` may be wrong or unknown, so use `content_type`. If the service does not know them,
 * `size_bytes` is 0 and `hash` is null. `id` is not always a UUID.
 */
export type JobOutput = Open<Omit<V2['Output'], 'id' | 'url'>> & {
	/** Null on interfaces whose outputs are not assets. */
	id: string | null;
	/** Null for a text that is not stored in a file, and if the service sent no link. */
	url: string | null;
	/** The text, if it is not stored in a file. */
	text?: string | null;
	/** The value for a graph of another job that uses this file. Null if this output is not a file. */
	reference?: AssetReference | null;
};

/** `job_error.code` of a job that the engine no longer knows. */
export const FORGOTTEN_BY_ENGINE = 'forgotten_by_engine';

export type JobError = Open<Required<V2['JobError']>>;

/** Absolute addresses. Null if the service sent none. */
export interface JobUrls {
	self: string | null;
	events: string | null;
	cancel: string | null;
	logs?: string | null;
}

export interface JobWorkflow {
	/** `save`: the workflow as the editor saved it. `api`: the executed graph. Unknown values pass through. */
	format: 'save' | 'api' | (string & {});
	workflow: Record<string, unknown>;
	[unknownField: string]: unknown;
}

/** What a job printed, or the server that ran it. */
export interface JobLog {
	/** As it was printed, with the codes of a terminal. */
	text: string;
	/** `server`: the log contains what the server printed for all jobs. */
	of: 'job' | 'server';
	/** False if the service has dropped a part, or if more may follow. */
	isComplete: boolean;
}

/**
 * A live event of one job. The last two kinds are about an account. Events may be missing, so `JobService.get` is
 * authoritative.
 */
export type JobEvent =
	| { kind: 'status'; status: JobStatus; service_status: string; queue_position: number | null }
	/** A node started to run. */
	| { kind: 'node'; node_id: string }
	/** Nodes whose results were cached. */
	| { kind: 'cached'; node_ids: string[] }
	/** A node's own text about its progress. */
	| { kind: 'text'; node_id: string | null; text: string }
	/** Why the job fails. The status `failed` follows. */
	| { kind: 'failed'; job_error: JobError }
	| { kind: 'progress'; progress: JobProgress }
	| { kind: 'preview'; node_id: string | null; content_type: string; data: Uint8Array }
	| { kind: 'output'; output: JobOutput }
	| { kind: 'log'; level: string; message: string }
	| { kind: 'other'; name: string; data: unknown }
	| { kind: 'queue'; queue_remaining: number | null }
	| { kind: 'notification'; message: string };

/** A graph in API format: node id to node. */
export type ApiGraph = Record<string, ApiGraphNode>;

export interface ApiGraphNode {
	class_type: string;
	inputs: Record<string, unknown>;
	_meta?: { title?: string; [unknownField: string]: unknown };
	[unknownField: string]: unknown;
}

/** The record of a stored file. Without `expires_at` it does not expire. */
export type Asset = Open<Omit<V2['Asset'], 'created_at' | 'created_new' | 'id' | 'url'>> & {
	id: string | null;
	/** Null if the service sent no link. */
	url: string | null;
	created_at: string | null;
	/** Null if the service does not report it. Absent if nothing was to be created. */
	created_new?: boolean | null;
};

/** The value for a file in a graph: v2's object, or the plain name of v1 and engines. */
export type AssetReference = string | V2['AssetReference'];

/** How v1 and engines name a file in graphs, outputs and links. */
export interface FileReference {
	filename: string;
	subfolder: string;
	/** `input`, `output`, or `temp` for previews. */
	type: string;
}
