import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../../client';
import { failureAdvice, failureMessage } from './messages/jobEnds';
import { ItemFault } from './operations';

/** What every item about a job carries. */
export const jobIds = (job: Job): IDataObject => ({
	job_id: job.job_id,
	interface: job.interface,
	status: job.status,
	service_status: job.service_status,
});

/** The whole job, with whatever the service adds to it; the ids first, where people look for them. */
export const jobItem = (job: Job): IDataObject => ({ ...jobIds(job), ...(job as unknown as IDataObject) });

/** A job that ended without success, in words, with the failing node and its traceback. */
export const jobFault = (job: Job): ItemFault => new ItemFault(failureMessage(job), failureAdvice(job));

/** A job that succeeded, while nobody can say any more what it made: an empty Done would hide that. */
export const outputsFault = (job: Job, advice: string): ItemFault =>
	new ItemFault(
		`Job ${job.job_id} succeeded, but the service no longer tells which files it made`,
		`The files exist and are paid for; look for them in your account. ${advice}`,
	);
