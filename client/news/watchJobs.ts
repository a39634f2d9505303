import { bareJob } from '../comfyui/bareJob';
import { isTerminal, type Job } from '../job';
import { skipIfEndedBefore } from '../list/listJobs';
import type { JobService } from '../ports';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { growingPauseMs, addJitter } from '../transport/retry';
import { waitForJob } from '../wait/waitForJob';
import { mayPass } from './mayPass';
import type { NewsListener, Watch } from './newsSource';
import { recentJobs } from './recentJobs';
import { listErrorOf } from './requireList';
import { isUnknownJob } from './reread';

const LIST_EVERY_MS = 10_000;
/** The newest, each time; more do not begin in between. */
const LISTED_JOBS = 100;
const RETRY_PAUSE = { firstMs: 1_000, longestMs: 60_000 };
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
	async (listener, signal) => {
		const watch = new JobsWatch(jobs, options, listener, signal);
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
		private readonly listener: NewsListener,
		private readonly signal: AbortSignal,
	) {}

	async followListed(): Promise<void> {
		await Promise.all(this.options.jobIds.filter((jobId) => !this.listener.hasEnded(jobId)).map(async (jobId) => await this.follow(jobId)));
		// A trigger whose jobs have all ended stays open, idle.
		await outcomeOf(aborted(this.signal));
	}

	async followAll(): Promise<void> {
		const { listEveryMs = LIST_EVERY_MS } = this.options;
		await this.untilDone(async () => {
			await this.lookThrough(recentJobs(this.jobs, this.signal));
			for (const jobId of this.listener.inFlight()) this.start(jobId);
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
			if (this.listener.hasEnded(jobId)) this.unfinished.delete(jobId);
			else if (!isTerminal(job.status)) {
				this.unfinished.add(jobId);
				this.start(jobId);
			} else if (!this.past.has(jobId)) await this.meetEnd(job);
		}
	}

	private async meetEnd(job: Job): Promise<void> {
		const { signal, listener } = this;
		const isNews = this.unfinished.has(job.job_id) || (await skipIfEndedBefore(this.jobs, job, listener.since, { signal })) !== undefined;
		if (isNews) listener.onJob(await this.jobs.get(job.job_id, { signal }));
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
				onEvent: (event) => this.listener.onEvent(event, jobId, event),
				onRead: (read) => {
					this.listener.onConnect();
					this.listener.onJob(read);
				},
			});
			if (finished) this.listener.onJob(job);
		}, jobId);
	}

	/** Tries until it has worked, or never can; what fails is told. */
	private async untilDone(work: () => Promise<void>, jobId?: string): Promise<void> {
		for (let failures = 0; !this.signal.aborted; failures++) {
			const outcome = await outcomeOf(work());
			if (outcome.ok) return this.listener.onConnect();
			if (this.signal.aborted) return;
			const { error } = outcome;
			const isUnknown = jobId !== undefined && isUnknownJob(error);
			if (isUnknown && this.listener.inFlight().includes(jobId)) return this.listener.onJob(bareJob(jobId, 'v2', 'expired'));
			const retryInMs = isUnknown ? null : this.retryInMs(error, failures);
			this.listener.onTrouble({ error: jobId === undefined ? listErrorOf(error) : error, retryInMs, jobId });
			if (retryInMs === null || !(await outcomeOf(delay(retryInMs, this.signal))).ok) return;
		}
	}

	private retryInMs(error: unknown, failures: number): number {
		const { refusedRetryMs = REFUSED_RETRY_MS } = this.options;
		return mayPass(error) ? addJitter(growingPauseMs(RETRY_PAUSE, failures)) : refusedRetryMs;
	}
}

const aborted = (signal: AbortSignal): Promise<void> =>
	new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
