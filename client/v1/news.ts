import type { Gathered } from '../progress/gathered';
import type { JobFeed } from '../services';

/** The account's live news, and what they have told of each job. */
export interface JobNews extends JobFeed {
	/** @returns undefined when nothing was heard of the job, or it was too long ago. */
	gathered(jobId: string): Gathered | undefined;
}
