import { clock, type Job, outcomeOf } from '../../../client';
import type { ItemContext } from '../operation';
import { conversionContext } from '../workflows/controlServer';

/** The job has ended, so its texts are read within a short time. */
const READ_LIMIT_MS = 5_000;

/** Whether the API proxy may have left out all outputs of the job. It does not pass on texts. */
const mayLackTexts = ({ credential }: ItemContext<unknown>, { interface: name, status, outputs }: Job): boolean =>
	name === 'v2' && credential.isOwnServer === true && status === 'succeeded' && outputs.length === 0;

/** Returns the job with its texts. The API proxy does not pass texts on, so they are read from the ComfyUI behind it, if it answers. */
export async function addTextsBehindProxy(context: ItemContext<unknown>, job: Job): Promise<Job> {
	if (!mayLackTexts(context, job)) return job;
	const shutdownSignal = AbortSignal.any([context.shutdownSignal, clock.signalAfter(READ_LIMIT_MS)]);
	const read = await outcomeOf(readFromEngine({ ...context, shutdownSignal }, job.job_id));
	const outputs = read.ok ? (read.value?.outputs ?? []) : [];
	const texts = outputs.filter(({ url }) => url === null);
	return texts.length > 0 ? { ...job, outputs: texts } : job;
}

async function readFromEngine(context: ItemContext<unknown>, jobId: string): Promise<Job | undefined> {
	const server = await conversionContext(context).findControlServer();
	return await server?.use(async ({ jobs }) => await jobs.get(jobId, { signal: context.shutdownSignal }));
}
