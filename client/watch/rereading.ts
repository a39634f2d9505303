import { ApiError, StoppedError } from '../errors';
import type { Job } from '../job';
import { listedJobs, listsNothing } from '../list/listedJobs';
import { madeSince, unlessEndedBefore } from '../list/readWhereUntold';
import { bareJob } from '../progress/bareJob';
import type { CallOptions, JobService } from '../services';
import { outcomeOf } from '../transport/outcome';
import type { Watcher } from './watcher';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_PAGES = 10;
/** Jobs in flight are read again by and by. */
const READ_LATER_MS = 60_000;

/** Reads one job and tells of it. @returns undefined when it could not be read, which is told too. */
export async function reread(jobs: JobService, jobId: string, watcher: Watcher, signal: AbortSignal): Promise<Job | undefined> {
	const read = await outcomeOf(jobs.get(jobId, { signal }));
	if (read.ok) {
		watcher.onJob(read.value);
		return read.value;
	}
	if (read.error instanceof StoppedError) return undefined;
	if (!isUnknownJob(read.error)) {
		watcher.onTrouble({ error: read.error, retryInMs: READ_LATER_MS, jobId });
		return undefined;
	}
	// Its retention has ended, or a restarted server has forgotten it: this is the end that can be told.
	if (watcher.inFlight().includes(jobId)) watcher.onJob(bareJob(jobId, 'v1', 'expired'));
	else watcher.onTrouble({ error: read.error, retryInMs: null, jobId });
	return undefined;
}

/** Whether it is certain that the service knows no such job. */
export const isUnknownJob = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** How many nodes a job's graph has; undefined where that cannot be read. */
export async function sizeOfGraph(jobs: JobService, jobId: string, signal: AbortSignal): Promise<number | undefined> {
	const read = await outcomeOf(jobs.workflow(jobId, { signal }));
	return read.ok && read.value.format === 'api' ? Object.keys(read.value.workflow).length : undefined;
}

/** All jobs of the last day, newest first. */
export const recentJobs = (jobs: JobService, signal: AbortSignal): AsyncGenerator<Job, void, undefined> =>
	madeSince(listedJobs(jobs, { mostPages: MOST_PAGES, signal }), { reader: jobs, since: Date.now() - DAY_MS }, { signal });

/** Of these, jobs that have ended since (epoch milliseconds), and those that have not ended at all. */
export async function jobsEndedSince(jobs: JobService, since: number, signal: AbortSignal): Promise<Job[]> {
	const found: Job[] = [];
	for await (const job of recentJobs(jobs, signal)) {
		const told = await unlessEndedBefore(jobs, job, since, { signal });
		if (told !== undefined) found.push(told);
	}
	return found;
}

/** Where all jobs are asked for, a service without a list is no missing function but a wrong source. */
export const listErrorOf = (error: unknown): unknown =>
	listsNothing(error) ? new ApiError({ ...error, message: error.message, code: 'no_job_list' }) : error;

/** @throws ApiError `no_job_list` where the service keeps no list. */
export async function requireList(jobs: JobService, options?: CallOptions): Promise<void> {
	const listed = await outcomeOf(jobs.list({ limit: 1, ...options }));
	if (!listed.ok) throw listErrorOf(listed.error);
}
