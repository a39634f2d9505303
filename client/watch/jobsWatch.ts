import { isTerminal, type Job } from '../job';
import { unlessEndedBefore } from '../list/readWhereUntold';
import { bareJob } from '../progress/bareJob';
import type { JobService } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../transport/retry';
import { waitForJob } from '../wait/waitForJob';
import { isUnknownJob, listErrorOf, recentJobs } from './rereading';
import type { Watch, Watcher } from './watcher';

const LIST_EVERY_MS = 10_000;
/** The newest, each time; more do not begin in between. */
const LISTED_JOBS = 100;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A wrong key, or a service that cannot do this, does not mend itself within seconds. */
const REFUSED_RETRY_MS = 300_000;
/** Further jobs are followed when one of these has ended; each costs the service an open stream. */
const MOST_AT_ONCE = 50;

export interface JobsWatchOptions {
	/** Empty for all jobs that the service lists. */
	jobIds: readonly string[];
	listEveryMs?: number;
	refusedRetryMs?: number;
}

/** Follows single jobs, each over its own stream; without ids, all jobs that the service lists. */
export const watchJobs =
	(jobs: JobService, options: JobsWatchOptions): Watch =>
	async (watcher, signal) => {
		const watch = new JobsWatch(jobs, options, watcher, signal);
		await (options.jobIds.length > 0 ? watch.followListed() : watch.followAll());
	};

class JobsWatch {
	private readonly following = new Map<string, Promise<void>>();
	/** Jobs that were seen before they ended: their end is news, whatever their times say. */
	private readonly unfinished = new Set<string>();
	/** Jobs that had ended before anybody listened. */
	private readonly past = new Set<string>();

	constructor(
		private readonly jobs: JobService,
		private readonly options: JobsWatchOptions,
		private readonly watcher: Watcher,
		private readonly signal: AbortSignal,
	) {}

	async followListed(): Promise<void> {
		await Promise.all(this.options.jobIds.filter((jobId) => !this.watcher.hasEnded(jobId)).map(async (jobId) => await this.follow(jobId)));
		// A trigger whose jobs have all ended stays open, idle.
		await outcomeOf(aborted(this.signal));
	}

	async followAll(): Promise<void> {
		const { listEveryMs = LIST_EVERY_MS } = this.options;
		await this.untilDone(async () => {
			await this.lookThrough(recentJobs(this.jobs, this.signal));
			for (const jobId of this.watcher.inFlight()) this.start(jobId);
		});
		while ((await outcomeOf(delay(listEveryMs, this.signal))).ok) {
			await this.untilDone(async () => await this.lookThrough((await this.jobs.list({ limit: LISTED_JOBS, signal: this.signal })).jobs));
		}
		await Promise.all(this.following.values());
	}

	/** A job of the list: its outputs and its news are its own. */
	private async lookThrough(listed: AsyncIterable<Job> | readonly Job[]): Promise<void> {
		for await (const job of listed) {
			const jobId = job.job_id;
			if (this.watcher.hasEnded(jobId)) this.unfinished.delete(jobId);
			else if (!isTerminal(job.status)) {
				this.unfinished.add(jobId);
				this.start(jobId);
			} else if (!this.past.has(jobId)) await this.meetEnd(job);
		}
	}

	private async meetEnd(job: Job): Promise<void> {
		const { signal, watcher } = this;
		const isNews = this.unfinished.has(job.job_id) || (await unlessEndedBefore(this.jobs, job, watcher.since, { signal })) !== undefined;
		if (isNews) watcher.onJob(await this.jobs.get(job.job_id, { signal }));
		else this.past.add(job.job_id);
	}

	private start(jobId: string): void {
		if (this.following.has(jobId) || this.following.size >= MOST_AT_ONCE || this.signal.aborted) return;
		this.following.set(
			jobId,
			this.follow(jobId).finally(() => this.following.delete(jobId)),
		);
	}

	private async follow(jobId: string): Promise<void> {
		await this.untilDone(async () => {
			const { job, finished } = await waitForJob(this.jobs, jobId, {
				mode: 'live',
				maxWaitMs: Infinity,
				cancelOnStop: false,
				signal: this.signal,
				onEvent: (event) => this.watcher.onEvent(event, jobId, event),
				onRead: (read) => {
					this.watcher.onConnect();
					this.watcher.onJob(read);
				},
			});
			if (finished) this.watcher.onJob(job);
		}, jobId);
	}

	/** Tries until it has worked, or never can; what fails is told. */
	private async untilDone(work: () => Promise<void>, jobId?: string): Promise<void> {
		for (let failures = 0; !this.signal.aborted; failures++) {
			const outcome = await outcomeOf(work());
			if (outcome.ok) return this.watcher.onConnect();
			if (this.signal.aborted) return;
			const { error } = outcome;
			const isUnknown = jobId !== undefined && isUnknownJob(error);
			if (isUnknown && this.watcher.inFlight().includes(jobId)) return this.watcher.onJob(bareJob(jobId, 'v2', 'expired'));
			const retryInMs = isUnknown ? null : this.retryInMs(error, failures);
			this.watcher.onTrouble({ error: jobId === undefined ? listErrorOf(error) : error, retryInMs, jobId });
			if (retryInMs === null || !(await outcomeOf(delay(retryInMs, this.signal))).ok) return;
		}
	}

	private retryInMs(error: unknown, failures: number): number {
		const { refusedRetryMs = REFUSED_RETRY_MS } = this.options;
		const jitter = 0.75 + Math.random() / 2;
		return isTransient(error) ? Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS) * jitter : refusedRetryMs;
	}
}

const aborted = (signal: AbortSignal): Promise<void> =>
	new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
