import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ApiError, clock, type Job, type JobOutput, listsNothing, type MadeBy, nodeTitle, outcomeOf } from '../../../client';
import { failureAdvice, failureAdviceForModel, type FailureContext, failureMessage } from '../messages/tables/job';
import type { ItemContext } from '../operation';
import { ItemFault } from '../itemFault';

/** In every item about a job. */
export const jobIds = (job: Job): IDataObject => ({
	job_id: job.job_id,
	interface: job.interface,
	status: job.status,
	service_status: job.service_status,
});

/** A longer text is in its file only: items are kept with the execution, and shown. */
export const LONGEST_TEXT_BYTES = 1024 * 1024;

export const outputItem = (output: JobOutput): IDataObject => {
	const isLong = typeof output.text === 'string' && output.size_bytes > LONGEST_TEXT_BYTES;
	return { ...(output as unknown as IDataObject), ...(isLong && { text: null }) };
};

/** The whole job, with whatever the service adds to it; the ids first, where people look for them. */
export const jobItem = (job: Job): IDataObject => ({
	...jobIds(job),
	...(job as unknown as IDataObject),
	outputs: job.outputs.map(outputItem),
});

/** Where the job of an item comes from. None of these values can hold an expression. */
export function madeBy(execution: IExecuteFunctions, itemIndex: number): MadeBy {
	const { id = null, name = null } = execution.getWorkflow();
	return {
		workflow_id: id,
		workflow_name: name,
		execution_id: execution.getExecutionId(),
		node: execution.getNode().name,
		item: itemIndex,
	};
}

/** An item about any job, with its origin beside the ids. `made_by` is null if the service does not know or keep it. */
export const jobItemWithOrigin = (job: Job): IDataObject => ({ ...jobIds(job), made_by: null, ...jobItem(job) });

/** The seeds that the item of Comfy Run Workflow reports for this job. No service keeps them, so later nodes pass them on. */
export function seedsOfItem({ execution, itemIndex }: Pick<ItemContext<unknown>, 'execution' | 'itemIndex'>, jobId: string): IDataObject {
	const { job_id: id, seed, seeds } = execution.getInputData()[itemIndex]?.json ?? {};
	return id === jobId && seeds !== undefined ? { seed, seeds } : {};
}

/** Services report by several codes that they do not list jobs. @returns such an error with one code; others unchanged. */
export const withNotListedCode = (error: unknown): unknown =>
	listsNothing(error) ? new ApiError({ ...error, message: error.message, code: 'jobs_not_listed' }) : error;

/** A job that ended without success, in words, with the failing node and its traceback. @param context.isTool whether a model reads the words. */
export const jobFault = (job: Job, { isTool = false, ...context }: FailureContext & { isTool?: boolean } = {}): ItemFault =>
	new ItemFault(failureMessage(job, context), isTool ? failureAdviceForModel(job) : failureAdvice(job, context));

/** A title is worth one short question, and none more. */
const TITLE_WITHIN_MS = 5_000;

/** The same, with the failing node by its title: services name it by its id alone. */
export async function jobFaultByTitle(
	{
		connection: { jobs },
		credential: { isOwnServer },
		signal,
		isTool,
	}: Pick<ItemContext<unknown>, 'connection' | 'credential' | 'signal' | 'isTool'>,
	job: Job,
): Promise<ItemFault> {
	const nodeId = job.job_error?.node_id ?? null;
	if (nodeId === null || job.status !== 'failed') return jobFault(job, { isTool, isOwnServer });
	const read = await outcomeOf(jobs.workflow(job.job_id, { signal: AbortSignal.any([signal, clock.signalAfter(TITLE_WITHIN_MS)]) }));
	return jobFault(job, { isTool, isOwnServer, title: read.ok ? nodeTitle(read.value.workflow, nodeId) : undefined });
}

/** A job that succeeded, while nobody can say any more what it made: an empty Done would hide that. */
export const outputsFault = (job: Job, advice: string): ItemFault =>
	new ItemFault(
		`Job ${job.job_id} succeeded, but the service no longer tells which files it made`,
		`The files exist and are paid for; look for them in your account. ${advice}`,
	);
