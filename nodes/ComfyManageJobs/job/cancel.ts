import { cancelAndConfirm, isTerminal, type Job } from '../../../client';
import { listedForModel } from '../../shared/jobs/tool/jobForModel';
import { jobItem } from '../../shared/jobs/jobItems';
import type { ItemContext, ItemResult } from '../../shared/operation';
import type { JobIdSettings } from './jobId';

export { settings } from './jobId';

const CONFIRM_WITHIN_MS = 10_000;

function hintFor({ job_id: id, interface: name, status }: Job): string {
	if (isTerminal(status)) return `Job ${id} had ended before it could be canceled (status "${status}").`;
	return name === 'v1'
		? `Job ${id} has not stopped yet (status "${status}"). The v1 interface may cancel waiting jobs only; the operation Interrupt of the resource Queue would stop it, and with it every running job of the account.`
		: `Job ${id} was told to stop, but has not stopped yet (status "${status}"). Look at it again later.`;
}

/** Cancels, and looks whether the job has stopped: an answer to the request alone is no proof of it. */
export async function execute({
	execution,
	connection,
	settings: { jobId },
	signal,
	isTool,
	progress,
}: ItemContext<JobIdSettings>): Promise<ItemResult> {
	progress.setJobId(jobId);
	const { job, confirmed } = await cancelAndConfirm(connection.jobs, jobId, { signal, withinMs: CONFIRM_WITHIN_MS });
	progress.confirmJob(job.job_id);
	if (!confirmed) execution.addExecutionHints({ message: hintFor(job) });
	return { json: { ...(isTool ? listedForModel(job) : jobItem(job)), cancel_confirmed: confirmed } };
}
