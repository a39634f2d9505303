import type { Job, JobStatus } from '../job';
import { type JobLister, createdAt } from '../list/listJobs';
import type { JobPage, ListOptions } from '../ports';

const PAGE_SIZE = 100;
const ENDS: readonly JobStatus[] = ['succeeded', 'failed', 'canceled', 'expired'];

/** What is known of the jobs that are waited for, by id. */
export type WantedJobs = ReadonlyMap<string, Job>;

/** One look through a service's list of jobs. */
export class JobLook {
	/** Requests that it took. */
	requests = 0;
	/** Wanted jobs, as they stand in the list. */
	readonly listed = new Map<string, Job>();
	/** Wanted jobs that the list would name if they had ended. */
	readonly silent = new Set<string>();

	/** @param onlyEnds the list has no pages and leaves older jobs out, as an earlier look has found. */
	constructor(
		private readonly lister: JobLister,
		private readonly wanted: WantedJobs,
		private readonly signal: AbortSignal,
		public onlyEnds: boolean,
	) {}

	/** Jobs that it tells something of. */
	get told(): number {
		return this.listed.size + this.silent.size;
	}

	/** Looks for as long as that is less work than reading the jobs one by one. @throws as `list` does. */
	async run(): Promise<void> {
		if (!this.onlyEnds) {
			const newest = await this.page({});
			if (!newest.isTruncated) return await this.furtherPages(newest);
			this.onlyEnds = true;
		}
		// However many are in flight, those that have ended lately are few.
		this.listen(await this.page({ statuses: ENDS }));
	}

	private async furtherPages({ nextCursor }: JobPage): Promise<void> {
		const mostPages = 1 + 2 * Math.ceil(this.wanted.size / PAGE_SIZE);
		for (let cursor = nextCursor; cursor !== undefined && this.requests < mostPages && this.listed.size < this.wanted.size;) {
			({ nextCursor: cursor } = await this.page({ cursor }));
		}
	}

	private async page(which: Pick<ListOptions, 'cursor' | 'statuses'>): Promise<JobPage> {
		this.requests += 1;
		const page = await this.lister.list({ limit: PAGE_SIZE, ...which, signal: this.signal });
		for (const job of page.jobs) if (this.wanted.has(job.job_id)) this.listed.set(job.job_id, job);
		return page;
	}

	/** Where the list is cut off, only a job that is newer than all that is listed would stand there; nobody can say it of one without a time. */
	private listen({ jobs, isTruncated }: JobPage): void {
		const times = jobs.map(createdAt);
		const oldest = times.includes(undefined) ? Infinity : Math.min(...(times as number[]));
		for (const [jobId, job] of this.wanted) {
			const wouldBeListed = !isTruncated || (createdAt(job) ?? -Infinity) > oldest;
			if (wouldBeListed && !this.listed.has(jobId)) this.silent.add(jobId);
		}
	}
}
