import type { Job, JobStatus } from '../job';
import { createdAt, type JobLister } from '../list/listJobs';
import type { JobPage, ListOptions } from '../ports';
import type { Poller } from './poller';
import type { ListPollResult, ListStatus } from './pollScheduler';

const PAGE_SIZE = 100;
const TERMINAL_STATUSES: readonly JobStatus[] = ['succeeded', 'failed', 'canceled', 'expired'];

export interface ListPoll {
	result: ListPollResult;
	statuses: ReadonlyMap<Poller, ListStatus>;
}

/** Returns the waits whose job a poll of the list can search for. */
export const findSearchable = (pollers: Iterable<Poller>): Poller[] =>
	[...pollers].filter(({ isIdle, isJobKnown, parts }) => isIdle && isJobKnown && !parts.signal.aborted);

/** Reads the job list once for all waits of a connection, which replaces a read for each job. */
export class SharedListPoll {
	/** The list has no pages, and is longer than one answer. Then only jobs that ended are requested. */
	private requestsOnlyEnded = false;

	/** @param first one of the waits, whose service and signal are used. @throws as `list` does. */
	async run(first: Poller, searched: readonly Poller[]): Promise<ListPoll> {
		const wanted = new Map(searched.map(({ parts }) => parts.job() as Job).map((job) => [job.job_id, job]));
		const search = new ListSearch(first.parts.jobs, wanted, first.parts.signal, this.requestsOnlyEnded);
		await search.run();
		this.requestsOnlyEnded = search.requestsOnlyEnded;
		return {
			result: { requests: search.requests, known: search.listed.size + search.absent.size, searched: searched.length },
			statuses: new Map(searched.map((poller) => [poller, search.statusOf(poller.parts.job()?.job_id ?? '')])),
		};
	}
}

/** One search through the job list for the jobs of all waits. */
class ListSearch {
	requests = 0;
	/** Wanted jobs that the list contains. */
	readonly listed = new Map<string, Job>();
	/** Wanted jobs that the list would contain if they had ended. */
	readonly absent = new Set<string>();

	constructor(
		private readonly lister: JobLister,
		private readonly wanted: ReadonlyMap<string, Job>,
		private readonly signal: AbortSignal,
		public requestsOnlyEnded: boolean,
	) {}

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

	statusOf(jobId: string): ListStatus {
		const job = this.listed.get(jobId);
		if (job !== undefined) return { kind: 'listed', job };
		return { kind: this.absent.has(jobId) ? 'absent' : 'unknown' };
	}

	private async readFurtherPages({ nextCursor }: JobPage): Promise<void> {
		const mostPages = 1 + 2 * Math.ceil(this.wanted.size / PAGE_SIZE);
		for (let cursor = nextCursor; cursor !== undefined && this.requests < mostPages && this.listed.size < this.wanted.size;) {
			({ nextCursor: cursor } = await this.readPage({ cursor }));
		}
	}

	private async readPage(filter: Pick<ListOptions, 'cursor' | 'statuses'>): Promise<JobPage> {
		this.requests += 1;
		const page = await this.lister.list({ limit: PAGE_SIZE, ...filter, signal: this.signal });
		for (const job of page.jobs) if (this.wanted.has(job.job_id)) this.listed.set(job.job_id, job);
		return page;
	}

	/** A truncated list would contain an ended job only if that job is newer than the oldest one in it. Without times that is unknown. */
	private markAbsent({ jobs, isTruncated }: JobPage): void {
		const times = jobs.map(createdAt);
		const oldest = times.includes(undefined) ? Infinity : Math.min(...(times as number[]));
		for (const [jobId, job] of this.wanted) {
			const wouldBeListed = !isTruncated || (createdAt(job) ?? -Infinity) > oldest;
			if (wouldBeListed && !this.listed.has(jobId)) this.absent.add(jobId);
		}
	}
}
