import type { JobError, JobOutput } from '../job';
import type { JsonRecord } from '../records';

/** What the frames of one job have told so far. */
export interface Gathered {
	outputs: JobOutput[];
	/** Node id → its results as they came, texts and kinds that are no files included. */
	node_outputs: Record<string, JsonRecord>;
	job_error: JobError | null;
	/** Every frame from the job's start to its end was heard, so that nothing can be missing. */
	isComplete: boolean;
}

/** Turns one node's results, as frames and job reads carry them, into outputs. */
export type OutputDecoder = (nodeId: string, results: JsonRecord, jobId: string) => JobOutput[];
