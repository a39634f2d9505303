import { ApiError, StoppedError } from '../errors';
import { isTerminal, type Job } from '../job';
import { bareJob } from '../progress/bareJob';
import type { CallOptions, JobService } from '../services';
import { outcomeOf } from '../transport/outcome';
import type { Watcher } from './watcher';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 100;
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

export const isNotImplemented = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_implemented';

/** How many nodes a job's graph has; undefined where that cannot be read. */
export async function sizeOfGraph(jobs: JobService, jobId: string, signal: AbortSignal): Promise<number | undefined> {
	const read = await outcomeOf(jobs.workflow(jobId, { signal }));
	return read.ok && read.value.format === 'api' ? Object.keys(read.value.workflow).length : undefined;
}

/** All jobs of the last day, newest first. */
export async function* recentJobs(jobs: JobService, { signal }: CallOptions): AsyncGenerator<Job, void, undefined> {
	const earliest = Date.now() - DAY_MS;
	let cursor: string | undefined;
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page = await jobs.list({ limit: PAGE_SIZE, cursor, signal });
		const recent = page.jobs.filter(({ created_at }) => created_at === null || Date.parse(created_at) >= earliest);
		yield* recent;
		if (page.nextCursor === undefined || recent.length < page.jobs.length) return;
		cursor = page.nextCursor;
	}
}

/** Jobs that have ended since (epoch milliseconds), and jobs that have not ended at all. */
export async function jobsEndedSince(jobs: JobService, since: number, signal: AbortSignal): Promise<Job[]> {
	const found: Job[] = [];
	for await (const job of recentJobs(jobs, { signal })) {
		const endedAt = job.completed_at ?? job.created_at;
		if (!isTerminal(job.status) || (endedAt !== null && Date.parse(endedAt) >= since)) found.push(job);
	}
	return found;
}

/** Where all jobs are asked for, a service without a list is no missing function but a wrong source. */
export const listErrorOf = (error: unknown): unknown =>
	error instanceof ApiError && isNotImplemented(error) ? new ApiError({ ...error, message: error.message, code: 'no_job_list' }) : error;

/** @throws ApiError `no_job_list` where the service keeps no list. */
export async function requireList(jobs: JobService, options?: CallOptions): Promise<void> {
	const listed = await outcomeOf(jobs.list({ limit: 1, ...options }));
	if (!listed.ok) throw listErrorOf(listed.error);
}
