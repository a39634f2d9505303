import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ApiError, clock, findNodeTitle, isListUnsupported, type Job, type JobOutput, type MadeBy, outcomeOf } from '../../../client';
import { ItemFault } from '../itemFault';
import { failedJobWords, type FailureContext, type RetryEffect } from '../explain/jobs';
import { messages } from '../messages/catalogue';
import type { ItemRun } from '../operation';

/** Returns the fields that each item about a job has. `server` is present only if several servers are behind the credential. */
export const toJobFields = (job: Job): IDataObject => ({
	job_id: job.job_id,
	...(job.server !== undefined && { server: job.server }),
	interface: job.interface,
	status: job.status,
	service_status: job.service_status,
});

/** A longer text stays in its file, because n8n stores items with the execution and shows them. */
export const LONGEST_TEXT_BYTES = 1024 * 1024;

export const toOutputFields = (output: JobOutput): IDataObject => {
	const isLong = typeof output.text === 'string' && output.size_bytes > LONGEST_TEXT_BYTES;
	return {
		...(output as unknown as IDataObject),
		...(isLong && { text: null }),
		...(isLong && output.value !== undefined && { value: null }),
	};
};

/** Returns the whole job with the fields that the service adds. The ids come first, so that they are easy to see. */
export const toJobItem = (job: Job): IDataObject => ({
	...toJobFields(job),
	...(job as unknown as IDataObject),
	outputs: job.outputs.map(toOutputFields),
});

/** Returns the fault of a job that ended without success, with the failing node and its traceback. @param context `isTool`: a model reads it. */
export const toJobFault = (job: Job, context?: FailureContext): ItemFault => new ItemFault(failedJobWords(job, context));

/** The title only improves the message, so it is read once and within a short time. */
const READ_TITLE_MS = 5_000;

/** Returns the fault of a job like `jobFault`, with the title of the failing node. It reads the title, because services report only the id. */
export async function readJobFault(
	{ connection: { jobs }, credential: { isOwnServer }, signal, isTool }: Pick<ItemRun, 'connection' | 'credential' | 'signal' | 'isTool'>,
	job: Job,
	retryEffect?: RetryEffect,
): Promise<ItemFault> {
	const nodeId = job.job_error?.node_id ?? null;
	const context = { isTool, isOwnServer, retryEffect };
	if (nodeId === null || job.status !== 'failed') return toJobFault(job, context);
	const read = await outcomeOf(jobs.workflow(job.job_id, { signal: AbortSignal.any([signal, clock.signalAfter(READ_TITLE_MS)]) }));
	return toJobFault(job, { ...context, title: read.ok ? findNodeTitle(read.value.workflow, nodeId) : undefined });
}

/** Returns the fault of a job that succeeded and whose outputs the service no longer lists. An empty result would hide that. */
export const toOutputsFault = (job: Job, advice: string): ItemFault => new ItemFault(messages.JOB_LOST_ITS_OUTPUTS(job.job_id, advice));

/** Returns which workflow, execution, node and item of n8n make a job. */
export function toMadeBy(execution: IExecuteFunctions, itemIndex: number): MadeBy {
	const { id = null, name = null } = execution.getWorkflow();
	return {
		workflow_id: id,
		workflow_name: name,
		execution_id: execution.getExecutionId(),
		node: execution.getNode().name,
		item: itemIndex,
	};
}

/** Returns an item about any job, with `made_by` after the ids. It is null if the service does not store it. */
export const toJobItemWithOrigin = (job: Job): IDataObject => ({ ...toJobFields(job), made_by: null, ...toJobItem(job) });

/** Returns the seeds of this job from the input item of Comfy Run Workflow, because no service stores them. */
export function findSeedsOfJob({ execution, itemIndex }: Pick<ItemRun, 'execution' | 'itemIndex'>, jobId: string): IDataObject {
	const { job_id: id, seed, seeds } = execution.getInputData()[itemIndex]?.json ?? {};
	return id === jobId && seeds !== undefined ? { seed, seeds } : {};
}

/** Services report by several codes that they do not list jobs. @returns such an error with one code; others unchanged. */
export const toNotListedError = (error: unknown): unknown =>
	isListUnsupported(error) ? new ApiError({ ...error, message: error.message, code: 'jobs_not_listed' }) : error;
