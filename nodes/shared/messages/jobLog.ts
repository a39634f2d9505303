import { ItemFault } from '../itemFault';

/** Messages about the log of a job. */

export const noLog = (jobId: string): ItemFault =>
	new ItemFault(
		`The service has no log of job ${jobId}`,
		'Deployments and a ComfyUI of your own have logs, as long as they know the job. If the job failed, Job: Get returns its error in job_error.',
	);

export const emptyLogHint = (jobId: string): string =>
	`The log of job ${jobId} is empty. If the job has not finished, run this operation again later.`;
