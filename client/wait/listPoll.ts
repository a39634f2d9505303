import { clock } from '../async/clock';
import type { Job, JobStatus } from '../ports/job';
import { createdAt, type JobLister } from '../list/listJobs';
import type { JobPage, ListOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { ListEntry, PolledJob } from './polledJob';

const PAGE_SIZE = 100;
const TERMINAL_STATUSES: readonly JobStatus[] = ['succeeded', 'failed', 'canceled', 'expired'];

/** Fewer jobs are read one by one, because a list may be long. */
const FEWEST_FOR_LIST = 4;
/** A list that says less for each request costs more than reads. */
const LEAST_KNOWN_PER_REQUEST = 2;
/** The least time between two polls. */
const POLLS_APART_MS = 500;
/** One poll serves all waits, so it may be this much more frequent than the reads of one wait. */
const POLLS_IN_AN_INTERVAL = 5;
/** Each further page of a poll delays the next one by this part of the pause. */
const DELAY_FOR_A_PAGE = 0.1;
/** A poll that takes longer does not delay reads any more. */
const LONGEST_POLL_MS = 5_000;
/** How long the list is not polled after it failed, or contained too few of the jobs. */
const LIST_PAUSE_MS = 60_000;

/** Polls the job list for all waits of a connection, which replaces a read for each job. Times are milliseconds of the clock. */
export class ListPoll {
	private isPolling = false;
	/** When the running poll began, or the latest one ended. */
	private changedAt = -Infinity;
	private pausedUntil = -Infinity;
	private requests = 1;
	/** The list has no pages, and is longer than one answer. Then only jobs that ended are requested. */
	private requestsOnlyEnded = false;

	constructor(private readonly polled: ReadonlySet<PolledJob>) {}

	/** Call this when the first wait begins. */
	restart(): void {
		if (!this.isPolling) this.changedAt = clock.now();
	}

	private get isWorthIt(): boolean {
		const [first] = this.polled;
		return this.polled.size >= FEWEST_FOR_LIST && first?.watched.jobs.capabilities.hasCheapList === true;
	}

	/** Returns when the list is to be polled; Infinity if it is not used, or is being polled. */
	nextAt(isFast: boolean): number {
		return this.isPolling || !this.isWorthIt ? Infinity : Math.max(this.pausedUntil, this.changedAt + this.pauseMs(isFast));
	}

	/** Returns until when a read waits for the list. */
	answersBy(isFast: boolean): number {
		if (!this.isWorthIt || clock.now() < this.pausedUntil) return -Infinity;
		return (this.isPolling ? this.changedAt : this.nextAt(isFast)) + LONGEST_POLL_MS;
	}

	/** Polls cost no more requests than the reads that they replace. */
	private pauseMs(isFast: boolean): number {
		let readsPerMs = 0;
		let shortestMs = Infinity;
		for (const { isIdle, pauseMs } of this.polled) {
			if (!isIdle) continue;
			readsPerMs += 1 / pauseMs;
			shortestMs = Math.min(shortestMs, pauseMs);
		}
		const leastMs = Math.max(POLLS_APART_MS, isFast ? 0 : shortestMs / POLLS_IN_AN_INTERVAL);
		return Math.max(this.requests / readsPerMs, leastMs * (1 + (this.requests - 1) * DELAY_FOR_A_PAGE));
	}

	/** Polls the list once, with the service and the signal of one of the waits. Never rejects. */
	async run(): Promise<void> {
		const searched = [...this.polled].filter(({ isSearchable }) => isSearchable);
		const [first] = searched;
		this.changedAt = clock.now();
		if (first === undefined) return;
		this.isPolling = true;
		const wanted = new Map(searched.map(({ watched }) => watched.job as Job).map((job) => [job.job_id, job]));
		const search = new ListSearch(first.watched.jobs, wanted, first.signal, this.requestsOnlyEnded);
		const done = await outcomeOf(search.run());
		this.isPolling = false;
		this.changedAt = clock.now();
		const isStopped = !this.polled.has(first) || first.signal.aborted;
		// If the poll was stopped together with its wait, another wait repeats it immediately.
		if (!done.ok && isStopped) this.changedAt = -Infinity;
		else if (!done.ok || !search.isUseful) this.pausedUntil = clock.now() + LIST_PAUSE_MS;
		if (!done.ok) return;
		this.requests = search.requests;
		this.requestsOnlyEnded = search.requestsOnlyEnded;
		for (const polled of searched) polled.handleList(search.entries.get(polled.watched.job?.job_id ?? ''));
	}
}

/** One search through the job list for the jobs of all waits. */
class ListSearch {
	requests = 0;
	/** What the list says about the wanted jobs. */
	readonly entries = new Map<string, ListEntry>();

	constructor(
		private readonly lister: JobLister,
		private readonly wanted: ReadonlyMap<string, Job>,
		private readonly signal: AbortSignal,
		public requestsOnlyEnded: boolean,
	) {}

	/** Whether the search cost less than reads. */
	get isUseful(): boolean {
		return this.entries.size >= Math.min(LEAST_KNOWN_PER_REQUEST * this.requests, this.wanted.size);
	}

	/** Reads pages as long as that costs less than reading the jobs one by one. @throws as `list` does. */
	async run(): Promise<void> {
		if (!this.requestsOnlyEnded) {
			const newest = await this.readPage({});
			if (!newest.isTruncated) return await this.readFurtherPages(newest);
			this.requestsOnlyEnded = true;
		}
		// Few jobs ended recently, however many are in flight.
		this.markAbsent(await this.readPage({ statuses: TERMINAL_STATUSES }));
	}

	private async readFurtherPages({ nextCursor }: JobPage): Promise<void> {
		const mostPages = 1 + 2 * Math.ceil(this.wanted.size / PAGE_SIZE);
		for (let cursor = nextCursor; cursor !== undefined && this.requests < mostPages && this.entries.size < this.wanted.size;) {
			({ nextCursor: cursor } = await this.readPage({ cursor }));
		}
	}

	private async readPage(filter: Pick<ListOptions, 'cursor' | 'statuses'>): Promise<JobPage> {
		this.requests += 1;
		const page = await this.lister.list({ limit: PAGE_SIZE, ...filter, signal: this.signal });
		for (const job of page.jobs) if (this.wanted.has(job.job_id)) this.entries.set(job.job_id, job);
		return page;
	}

	/** A truncated list would contain an ended job only if that job is newer than the oldest one in it. Without times that is unknown. */
	private markAbsent({ jobs, isTruncated }: JobPage): void {
		const times = jobs.map(createdAt);
		const oldest = times.includes(undefined) ? Infinity : Math.min(...(times as number[]));
		for (const [jobId, job] of this.wanted) {
			const wouldBeListed = !isTruncated || (createdAt(job) ?? -Infinity) > oldest;
			if (wouldBeListed && !this.entries.has(jobId)) this.entries.set(jobId, 'absent');
		}
	}
}
