import { jobForModel } from '../../shared/jobs/tool/jobForModel';
import { jobItemWithOrigin } from '../../shared/jobs/jobItems';
import type { ItemContext, ItemResult } from '../../shared/operation';
import type { JobIdSettings } from './jobId';

export { settings } from './jobId';

/** The job as it stands, however it stands: looking at a failed job is no failure. */
export async function execute({
	connection,
	settings: { jobId },
	signal,
	isTool,
	progress,
}: ItemContext<JobIdSettings>): Promise<ItemResult> {
	progress.setJobId(jobId);
	const job = await connection.jobs.get(jobId, { signal });
	progress.confirmJob(job.job_id);
	return { json: isTool ? await jobForModel({ connection, signal }, job) : jobItemWithOrigin(job) };
}
