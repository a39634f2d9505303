import type { HeardOfJob } from './progress/heardOfJob';
import type { JobFeed } from '../ports';

/** The account's live news, and what they have told of each job. */
export interface JobNews extends JobFeed {
	/** @returns undefined when nothing was heard of the job, or it was too long ago. */
	heardOf(jobId: string): HeardOfJob | undefined;
	/** The socket that is open now; another object for each. */
	readonly session: object | undefined;
	/** A job was submitted while this socket was open, so that nothing of it is missed for as long as it is. */
	expect(jobId: string, session: object | undefined): void;
	/** Whether nothing of the job, which has not ended, can have been missed so far. */
	hearsAll(jobId: string): boolean;
	/** The same since the job began to run. */
	wasHeardFromStart(jobId: string): boolean;
}
