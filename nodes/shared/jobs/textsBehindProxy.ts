import { clock, type Job, outcomeOf } from '../../../client';
import { fieldOf } from '../messages/fieldOf';
import type { ItemContext } from '../operation';
import { askerAtRun } from '../workflows/besideJobs';

/** The job has ended, so the wait for its texts is short. */
const WITHIN_MS = 5_000;

/** Whether ComfyUI's API proxy, which passes on no texts, may have left out everything that the job made. */
const mayLackTexts = ({ credential }: ItemContext<unknown>, { interface: name, status, outputs }: Job): boolean =>
	name === 'v2' && credential.isOwnServer === true && status === 'succeeded' && outputs.length === 0;

/**
 * The job with the texts that it made: the API proxy does not pass them on, so that they are read from the ComfyUI behind
 * it. A hint says so if that does not answer or made something else.
 */
export async function withTextsBehindProxy(context: ItemContext<unknown>, job: Job): Promise<Job> {
	if (!mayLackTexts(context, job)) return job;
	const leaving = AbortSignal.any([context.leaving, clock.signalAfter(WITHIN_MS)]);
	const read = await outcomeOf(readFromEngine({ ...context, leaving }, job.job_id));
	const outputs = read.ok ? (read.value?.outputs ?? []) : [];
	const texts = outputs.filter(({ url }) => url === null);
	if (texts.length > 0) return { ...job, outputs: texts };
	if (read.ok && read.value?.status === 'succeeded' && outputs.length === 0) return job;
	context.execution.addExecutionHints({
		message: `Job ${job.job_id} has no outputs here, because the API proxy passes on neither texts nor 3D files. Set Interface to Engine, or check ${fieldOf('Engine Address', context.credential.displayName)}.`,
		type: 'warning',
	});
	return job;
}

async function readFromEngine(context: ItemContext<unknown>, jobId: string): Promise<Job | undefined> {
	const beside = await askerAtRun(context).beside();
	return await beside?.ask(async ({ jobs }) => await jobs.get(jobId, { signal: context.leaving }));
}
