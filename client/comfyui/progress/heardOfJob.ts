import type { JobError, JobOutput } from '../../job';
import type { JsonRecord } from '../../decode';

/** What the frames of one job have told so far. */
export interface HeardOfJob {
	outputs: JobOutput[];
	/** Node id → its results as they came, texts and kinds that are no files included. */
	node_outputs: Record<string, JsonRecord>;
	job_error: JobError | null;
	/** Every frame from the job's start to its end was heard, so that nothing can be missing. */
	isComplete: boolean;
}
