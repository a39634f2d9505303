import { isTerminal, type Job } from '../job';
import { bareJob } from '../progress/bareJob';
import type { JobService } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../transport/retry';
import { waitForJob } from '../waitForJob';
import { isUnknownJob, jobsEndedSince, listErrorOf } from './rereading';
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
			for (const job of await jobsEndedSince(this.jobs, this.watcher.since, this.signal)) await this.meet(job);
			for (const jobId of this.watcher.inFlight()) this.start(jobId);
		});
		while ((await outcomeOf(delay(listEveryMs, this.signal))).ok) {
			await this.untilDone(async () => {
				const { jobs } = await this.jobs.list({ limit: LISTED_JOBS, signal: this.signal });
				for (const job of jobs) if (!isOld(job, this.watcher.since)) await this.meet(job);
			});
		}
		await Promise.all(this.following.values());
	}

	/** A job of the list: its outputs and its news are its own. */
	private async meet(job: Job): Promise<void> {
		if (this.watcher.hasEnded(job.job_id)) return;
		if (isTerminal(job.status)) return this.watcher.onJob(await this.jobs.get(job.job_id, { signal: this.signal }));
		this.start(job.job_id);
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

const isOld = ({ created_at, completed_at, status }: Job, since: number): boolean => {
	const endedAt = completed_at ?? created_at;
	return isTerminal(status) && endedAt !== null && Date.parse(endedAt) < since;
};

const aborted = (signal: AbortSignal): Promise<void> =>
	new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
