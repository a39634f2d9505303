import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../../client';
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

function failureMessage(job: Job): string {
	const { job_error: reason } = job;
	if (job.status === 'expired') return `Job ${job.job_id} has expired`;
	if (job.status === 'canceled') return `Job ${job.job_id} was canceled`;
	if (reason === null) return `Job ${job.job_id} ended with status "${job.status}"`;
	if (reason.node_id === null) return `Job ${job.job_id} did not succeed: ${reason.message}`;
	const name = reason.class_type === null ? reason.node_id : `${reason.node_id} (${reason.class_type})`;
	return `Job ${job.job_id} stopped at node ${name}: ${reason.message}`;
}

function failureAdvice(job: Job): string {
	const { job_error: reason } = job;
	if (job.status === 'expired') return 'Its results are no longer kept. Submit the workflow again.';
	if (job.status === 'canceled') return 'Somebody, or a stopped execution, canceled it. Submit the workflow again if it was not meant.';
	const where = reason?.node_id == null ? 'the workflow' : 'this node in the workflow';
	const lines = [`Correct ${where} or its inputs, then submit it again.`];
	if (reason?.code) lines.push(`Code: ${reason.code}.`);
	if (reason?.traceback) lines.push(reason.traceback);
	return lines.join('\n');
}

/** A job that ended without success, in words, with the failing node and its traceback. */
export const jobFault = (job: Job): ItemFault => new ItemFault(failureMessage(job), failureAdvice(job));
