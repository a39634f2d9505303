import { createdAt, type JobLister } from '../list/listJobs';
import type { Job, JobStatus } from '../ports/job';
import type { JobPage, ListOptions } from '../ports/jobService';

/** What the job list says about a job: its entry, or that the list would contain the job if it had ended. */
export type ListEntry = Job | 'absent';

const PAGE_SIZE = 100;
const TERMINAL_STATUSES: readonly JobStatus[] = ['succeeded', 'failed', 'canceled', 'expired'];
/** A list that says less for each request costs more than reads. */
const LEAST_KNOWN_PER_REQUEST = 2;

/** One search through the job list for the jobs of all waits. */
export class ListSearch {
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
