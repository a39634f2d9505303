import { untilStopped } from '../async/stoppableWait';
import { Cache } from '../cache/cache';
import { POLICIES } from '../contact/policy';
import { isNotFound } from '../errors/errors';
import { isTerminal, type Job, type JobEvent } from '../ports/job';
import { skipIfEndedBefore } from '../list/listJobs';
import type { JobService } from '../ports/jobService';
import { delay } from '../async/delay';
import { outcomeOf, valueOrThrow } from '../async/outcome';
import { waitForJob } from '../wait/waitForJob';
import { listRecentJobs, repeatUntilDone, reportUnknown, type SourceListener, toListError, type Trouble, type Watch } from './eventSource';

const LIST_EVERY_MS = 10_000;
/** The newest jobs. Fewer begin between two lists. */
const LISTED_JOBS = 100;
/** Further jobs are followed when one of these has ended. Each job needs an open stream. */
const MOST_AT_ONCE = 50;
/** A trigger runs for months. Older jobs are read again if they are listed. */
const MOST_KNOWN = 10_000;

export interface JobsWatchOptions {
	/** Only these jobs; empty for all jobs that the service lists. */
	jobIds: readonly string[];
	listEveryMs?: number;
}

/** Watches some jobs, or all jobs that the service lists. Each job has its own event stream. */
export const watchJobs =
	(jobs: JobService, options: JobsWatchOptions): Watch =>
	async (listener, signal) => {
		const watch = new JobsWatch(jobs, options, listener, signal);
		await (options.jobIds.length > 0 ? watch.followChosen() : watch.followAll());
	};

class JobsWatch {
	private readonly following = new Map<string, Promise<void>>();
	/** Jobs that were seen before they ended. Their end is always reported, also if their times are older. */
	private readonly unfinished = new Cache<string, true>({ mostEntries: MOST_KNOWN });
	/** Jobs that ended before the trigger began. */
	private readonly past = new Cache<string, true>({ mostEntries: MOST_KNOWN });

	constructor(
		private readonly jobs: JobService,
		private readonly options: JobsWatchOptions,
		private readonly listener: SourceListener,
		private readonly signal: AbortSignal,
	) {}

	async followChosen(): Promise<void> {
		await Promise.all(this.options.jobIds.filter((jobId) => !this.listener.hasEnded(jobId)).map(async (jobId) => await this.follow(jobId)));
		// A trigger whose jobs have all ended stays open.
		await outcomeOf(untilStopped(new Promise(() => undefined), this.signal));
	}

	async followAll(): Promise<void> {
		const { listEveryMs = LIST_EVERY_MS } = this.options;
		await this.repeat(async () => {
			await this.reportListed(listRecentJobs(this.jobs, this.signal));
			for (const jobId of this.listener.inFlight()) this.start(jobId);
		});
		while ((await outcomeOf(delay(listEveryMs, this.signal))).ok) {
			await this.repeat(async () => await this.reportListed((await this.jobs.list({ limit: LISTED_JOBS, signal: this.signal })).jobs));
		}
		await Promise.all(this.following.values());
	}

	/** Follows the listed jobs that run, and reports the others that ended. A list contains no outputs, so these jobs are read. */
	private async reportListed(listed: AsyncIterable<Job> | readonly Job[]): Promise<void> {
		for await (const job of listed) {
			const jobId = job.job_id;
			if (this.listener.hasEnded(jobId)) this.unfinished.delete(jobId);
			else if (!isTerminal(job.status)) {
				this.unfinished.set(jobId, true);
				this.start(jobId);
			} else if (!this.past.has(jobId)) await this.reportEnd(job);
		}
		this.listener.onConnect();
	}

	private async reportEnd(job: Job): Promise<void> {
		const { signal, listener } = this;
		const isRecent = this.unfinished.has(job.job_id) || (await skipIfEndedBefore(this.jobs, job, listener.since, { signal })) !== undefined;
		if (isRecent) listener.onJob(await this.jobs.get(job.job_id, { signal }));
		else this.past.set(job.job_id, true);
	}

	private start(jobId: string): void {
		if (this.following.has(jobId) || this.following.size >= MOST_AT_ONCE || this.signal.aborted) return;
		this.following.set(
			jobId,
			this.follow(jobId).finally(() => this.following.delete(jobId)),
		);
	}

	private async follow(jobId: string): Promise<void> {
		const { listener, signal } = this;
		const options = {
			mode: 'live',
			maxWaitMs: Infinity,
			cancelOnStop: false,
			signal,
			onEvent: (event: JobEvent) => listener.onEvent(event, jobId, event),
			onRead: (read: Job) => {
				listener.onConnect();
				listener.onJob(read);
			},
		} as const;
		await this.repeat(async () => {
			const followed = await outcomeOf(waitForJob(this.jobs, jobId, options));
			if (!followed.ok && isNotFound(followed.error)) return reportUnknown(listener, jobId, 'v2', followed.error);
			const { job, finished } = valueOrThrow(followed);
			if (finished) listener.onJob(job);
			listener.onConnect();
		}, jobId);
	}

	private async repeat(work: () => Promise<void>, jobId?: string): Promise<void> {
		const onTrouble = ({ error, retryInMs }: Trouble): void =>
			this.listener.onTrouble({ error: jobId === undefined ? toListError(error) : error, retryInMs, jobId });
		await repeatUntilDone(work, POLICIES.trigger, { onTrouble }, this.signal);
	}
}
