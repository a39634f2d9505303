/** An absent time is never "new" or "old": such a job is read. */
import { ApiError } from '../errors';
import { isTerminal, type Job } from '../job';
import type { CallOptions, JobService } from '../ports';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { listsNothing } from './listedJobs';
import { endedSince, madeOrBegunAt } from './times';

export type JobReader = Pick<JobService, 'get'>;

/** The items of some lists are the jobs themselves, so that reading these tells no more. */
export const isWholeJob = ({ urls, created_at }: Job): boolean => urls.self !== null && created_at !== null;

/** @returns undefined for a job whose retention has ended since it was listed. */
async function readListed(reader: JobReader, job: Job, { signal }: CallOptions): Promise<Job | undefined> {
	if (isWholeJob(job)) return job;
	return await unlessGone(async () => await reader.get(job.job_id, { signal }), signal);
}

const READ_AGAIN_AFTER_MS = 500;

/**
 * @param read reads a job that was listed a moment ago, or its workflow. A service that starts may answer 404 by mistake, so
 *   that a 404 counts only if it is repeated.
 * @returns undefined if the job's retention has ended since.
 */
export async function unlessGone<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
	const first = await outcomeOf(read());
	if (first.ok) return first.value;
	if (!isGone(first.error)) throw first.error;
	await delay(READ_AGAIN_AFTER_MS, signal);
	const second = await outcomeOf(read());
	if (second.ok) return second.value;
	if (!isGone(second.error)) throw second.error;
	return undefined;
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404 && !listsNothing(error);

export interface MadeSince {
	reader: JobReader;
	/** Epoch milliseconds; read for each job, as the list itself may tell how late the service's clock is. */
	readonly since: number;
	/** Asked before a job is read. */
	isWanted?: (job: Job) => boolean;
}

/**
 * Of jobs that are listed newest first those that were made since then: behind an older one there are only older ones.
 * A job that even its own read tells no time of is handed on.
 */
export async function* madeSince(
	listed: AsyncIterable<Job>,
	made: MadeSince,
	options: CallOptions = {},
): AsyncGenerator<Job, void, undefined> {
	const { reader, isWanted = () => true } = made;
	const isOld = (job: Job): boolean => (madeOrBegunAt(job) ?? Infinity) < made.since;
	for await (const job of listed) {
		if (isOld(job)) return;
		if (!isWanted(job)) continue;
		const timed = madeOrBegunAt(job) === undefined ? await readListed(reader, job, options) : job;
		if (timed === undefined) continue;
		if (isOld(timed)) return;
		yield timed;
	}
}

/** @returns the job if it has not ended, or has ended since then (epoch milliseconds). */
export async function unlessEndedBefore(reader: JobReader, job: Job, since: number, options: CallOptions = {}): Promise<Job | undefined> {
	if (!isTerminal(job.status)) return job;
	const told = endedSince(job, since);
	if (told !== undefined) return told ? job : undefined;
	const read = await readListed(reader, job, options);
	return read !== undefined && (!isTerminal(read.status) || endedSince(read, since)) ? read : undefined;
}
