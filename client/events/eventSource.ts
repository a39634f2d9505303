/** What an event source is, and what all sources share: reading one job again, and reading the list of jobs. */
import { clock } from '../async/clock';
import { minimalJob } from '../comfyui/jobRecords';
import { ApiError, isNotFound, StoppedError } from '../errors/errors';
import type { InterfaceName, Job, JobEvent } from '../ports/job';
import { isListUnsupported, listAllJobs, takeJobsSince, skipIfEndedBefore } from '../list/listJobs';
import type { CallOptions, JobService } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import { mayPass } from '../contact/failures';
import type { RetryPolicy } from '../contact/policy';
import { retry } from '../contact/retry';

/** Reports about jobs: all jobs of an account, some jobs, or the jobs of a self-hosted server. */
export interface EventSource {
	/** The interface, as far as it is known. */
	readonly interface: InterfaceName;
	watch: Watch;
	/** Checks once whether the source is reachable and accepts the key. @throws as `verifyAccess` of the connection. */
	verifyAccess(options?: CallOptions): Promise<void>;
	close(): Promise<void>;
}

/** Reports about jobs, and continues after each failure. Resolves when the signal has fired; never rejects. */
export type Watch = (listener: SourceListener, signal: AbortSignal) => Promise<void>;

/** Receives the reports, and knows which jobs it has received reports about. */
export interface SourceListener {
	/** A live event, which may be missing. @param jobId null for an event of the account. */
	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void;
	/** A job that was read. */
	onJob(job: Job): void;
	/** The source is reachable, for the first time or again. @param server of a pool: its address. */
	onConnect(server?: string): void;
	onTrouble(trouble: Trouble): void;
	/** Returns the ids of reported jobs that have not ended, as far as is known. */
	inFlight(): string[];
	/** Returns whether the end of a job was reported. */
	hasEnded(jobId: string): boolean;
	/** Jobs that ended before this time (epoch milliseconds) are not reported. */
	readonly since: number;
}

export interface Trouble {
	error: unknown;
	/** Milliseconds until the next try; null if there is none. */
	retryInMs: number | null;
	/** The job whose read failed. */
	jobId?: string;
	/** The address of the server, if it is one of a pool. */
	server?: string;
}

/** Jobs in flight are read again after this time at the latest. */
const NEXT_READ_MS = 60_000;

/** Reads one job and reports it. @returns undefined if it could not be read, which is reported as well. */
export async function readAndReport(
	jobs: JobService,
	jobId: string,
	listener: SourceListener,
	signal: AbortSignal,
): Promise<Job | undefined> {
	const read = await outcomeOf(jobs.get(jobId, { signal }));
	if (read.ok) {
		listener.onJob(read.value);
		return read.value;
	}
	if (read.error instanceof StoppedError) return undefined;
	if (!isNotFound(read.error)) {
		listener.onTrouble({ error: read.error, retryInMs: NEXT_READ_MS, jobId });
		return undefined;
	}
	reportUnknown(listener, jobId, 'v1', read.error);
	return undefined;
}

/** The job's retention has ended, or a restarted server has forgotten it. A job in flight is reported as expired. */
export function reportUnknown(listener: SourceListener, jobId: string, name: InterfaceName, error: unknown): void {
	if (listener.inFlight().includes(jobId)) listener.onJob(minimalJob(jobId, name, 'expired'));
	else listener.onTrouble({ error, retryInMs: null, jobId });
}

/**
 * Repeats the work until it succeeds, and reports each failure.
 * @returns the result; undefined if the signal fires first.
 */
export async function repeatUntilDone<T>(
	work: () => Promise<T>,
	policy: RetryPolicy,
	listener: Pick<SourceListener, 'onTrouble'>,
	signal: AbortSignal,
): Promise<T | undefined> {
	const onFailure = (error: unknown, retryInMs: number): void => listener.onTrouble({ error, retryInMs });
	const done = signal.aborted ? undefined : await outcomeOf(retry(work, { policy, signal, isWorthRetrying: mayPass, onFailure }));
	return done?.ok ? done.value : undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_PAGES = 10;

/** Yields all jobs of the last day, newest first. */
export function listRecentJobs(jobs: JobService, signal: AbortSignal, mostPages = MOST_PAGES): AsyncGenerator<Job, void, undefined> {
	const since = clock.wallNow() - DAY_MS;
	return takeJobsSince(listAllJobs(jobs, { mostPages, since: () => since, signal }), { reader: jobs, since }, { signal });
}

/** Returns the jobs of the last day that ended since then (epoch milliseconds) or have not ended. */
export async function findJobsEndedSince(jobs: JobService, since: number, signal: AbortSignal): Promise<Job[]> {
	const found: Job[] = [];
	for await (const job of listRecentJobs(jobs, signal)) {
		const recent = await skipIfEndedBefore(jobs, job, since, { signal });
		if (recent !== undefined) found.push(recent);
	}
	return found;
}

/** Returns `no_job_list` if the service lists no jobs: then this source cannot report all jobs. Other errors stay. */
export const toListError = (error: unknown): unknown =>
	isListUnsupported(error) ? new ApiError({ ...error, message: error.message, code: 'no_job_list' }) : error;

/** @throws ApiError `no_job_list` if the service lists no jobs. */
export async function requireList(jobs: JobService, options?: CallOptions): Promise<void> {
	const listed = await outcomeOf(jobs.list({ limit: 1, ...options }));
	if (!listed.ok) throw toListError(listed.error);
}
