import { clock } from '../clock';
import type { Job } from '../job';
import { listAllJobs, listJobsSince, skipIfEndedBefore } from '../list/listJobs';
import type { JobService } from '../ports';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_PAGES = 10;

/** All jobs of the last day, newest first. */
export const recentJobs = (jobs: JobService, signal: AbortSignal): AsyncGenerator<Job, void, undefined> =>
	listJobsSince(listAllJobs(jobs, { mostPages: MOST_PAGES, signal }), { reader: jobs, since: clock.wallNow() - DAY_MS }, { signal });

/** Of these, jobs that have ended since (epoch milliseconds), and those that have not ended at all. */
export async function jobsEndedSince(jobs: JobService, since: number, signal: AbortSignal): Promise<Job[]> {
	const found: Job[] = [];
	for await (const job of recentJobs(jobs, signal)) {
		const told = await skipIfEndedBefore(jobs, job, since, { signal });
		if (told !== undefined) found.push(told);
	}
	return found;
}
