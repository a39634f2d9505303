import type { InterfaceName, JobError, JobOutput, JobStatus } from '../job';

/** What a piece of news is about. `milestone` and `finished` are ours; the others are told by the service. */
export const NEWS_KINDS = [
	'cached',
	'finished',
	'log',
	'milestone',
	'node',
	'notification',
	'other',
	'output',
	'preview',
	'progress',
	'queue',
	'status',
	'text',
] as const;

export type NewsKind = (typeof NEWS_KINDS)[number];

/** One shape for the news of every interface. */
export interface News {
	kind: NewsKind;
	interface: InterfaceName;
	/** Null for news of the account. */
	job_id: string | null;
	status: JobStatus | null;
	service_status: string | null;
	node_id: string | null;
	/** Of the whole job, 0 to 100; null while nothing is known. Never falls. */
	percent: number | null;
	/** The percent step that was passed; with kind `milestone` only. */
	milestone: number | null;
	/** Of the running node. */
	step: number | null;
	steps: number | null;
	/** `output`: the one; `finished`: all. */
	outputs: JobOutput[];
	job_error: JobError | null;
	/** A node's or the service's own words. */
	message: string | null;
	queue_remaining: number | null;
	preview?: { content_type: string; data: Uint8Array };
	/** What the news was made of, as it came; bytes are left out. */
	event: unknown;
}
