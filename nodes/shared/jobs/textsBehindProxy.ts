import { clock, type Job, outcomeOf } from '../../../client';
import type { ItemRun } from '../operation';
import { conversionContext, type ConversionContext } from '../workflows/controlServer';

/** The job has ended, so its texts are read within a short time. */
const READ_LIMIT_MS = 5_000;

/** Whether the API proxy may have left out all outputs of the job. It does not pass on texts. */
const mayLackTexts = ({ credential }: ItemRun, { interface: name, status, outputs }: Job): boolean =>
	name === 'v2' && credential.isOwnServer === true && status === 'succeeded' && outputs.length === 0;

/** Returns the job with its texts. The API proxy does not pass texts on, so they are read from the ComfyUI behind it, if it answers. */
export async function addTextsBehindProxy(item: ItemRun, job: Job): Promise<Job> {
	if (!mayLackTexts(item, job)) return job;
	const signal = AbortSignal.any([item.shutdownSignal, clock.signalAfter(READ_LIMIT_MS)]);
	const read = await outcomeOf(readFromEngine(conversionContext(item, signal), job.job_id));
	const outputs = read.ok ? (read.value?.outputs ?? []) : [];
	const texts = outputs.filter(({ url }) => url === null);
	return texts.length > 0 ? { ...job, outputs: texts } : job;
}

async function readFromEngine({ findControlServer, signal }: ConversionContext, jobId: string): Promise<Job | undefined> {
	const server = await findControlServer();
	return await server?.use(async ({ jobs }) => await jobs.get(jobId, { signal }));
}
