import type { IDataObject } from 'n8n-workflow';

import { clock, findNodeTitle, type Job, type JobOutput, outcomeOf } from '../../../client';
import { failureAdvice, failureAdviceForModel, type FailureContext, failureMessage } from '../messages/tables/job';
import type { ItemContext } from '../operation';
import { ItemFault } from '../itemFault';

/** What every item about a job carries. */
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
	return jobFault(job, { isTool, isOwnServer, title: read.ok ? findNodeTitle(read.value.workflow, nodeId) : undefined });
}

/** A job that succeeded, while nobody can say any more what it made: an empty Done would hide that. */
export const outputsFault = (job: Job, advice: string): ItemFault =>
	new ItemFault(
		`Job ${job.job_id} succeeded, but the service no longer tells which files it made`,
		`The files exist and are paid for; look for them in your account. ${advice}`,
	);
