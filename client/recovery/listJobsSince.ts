import type { Job } from '../ports/job';
import {
	createdAt,
	isListUnsupported,
	type JobLister,
	type JobReader,
	listAllJobs,
	takeJobsSince,
	type MadeSinceFilter,
} from '../list/listJobs';
import type { CallOptions, JobPage, ListOptions } from '../ports/jobService';
import { SupportMemory } from '../requests/supportMemory';
import { outcomeOf } from '../async/outcome';

const MOST_PAGES = 10;

/** The jobs that a service listed, newest first. */
export interface ListedJobs {
	jobs: Job[];
	/** The search ended before it reached older jobs, so that jobs may be missing. */
	isCutOff: boolean;
	/** The list contains older jobs too, so that none is missing because of its age. */
	reachesBack: boolean;
}

/** The list of the service, or of the account if the service has no list. */
export class FallbackList implements JobLister {
	private readonly support = new SupportMemory<'list'>();

	constructor(
		private readonly serviceList: JobLister,
		private readonly accountList?: JobLister,
	) {}

	async list(options: ListOptions = {}): Promise<JobPage> {
		if (this.accountList !== undefined && this.support.isSupported('list') === false) return await this.accountList.list(options);
		const page = await outcomeOf(this.serviceList.list(options));
		if (page.ok) return page.value;
		if (this.accountList === undefined || !isListUnsupported(page.error)) throw page.error;
		this.support.note('list', false);
		return await this.accountList.list(options);
	}
}

/**
 * Lists the jobs that were made since a time.
 * @param reader reads jobs whose times are not in the list.
 * @param toSince returns that time in epoch milliseconds. Called after the first page, which contains the time of the service.
 */
export async function listJobsSince(
	lister: JobLister,
	reader: JobReader,
	toSince: () => number,
	options: CallOptions,
): Promise<ListedJobs> {
	return await new JobListSearch(lister, reader, toSince).run(options);
}

class JobListSearch implements MadeSinceFilter {
	private pages = 0;
	/** The last page that may be read is followed by more pages, and contains no older job. */
	private lacksPages = false;
	/** The list of a status is truncated, and contains no older job. */
	private lacksEntries = false;
	/** All listed jobs were made since then. */
	private isExhausted = false;

	constructor(
		private readonly lister: JobLister,
		readonly reader: JobReader,
		private readonly toSince: () => number,
	) {}

	get since(): number {
		return this.toSince();
	}

	async run(options: CallOptions): Promise<ListedJobs> {
		const jobs: Job[] = [];
		for await (const job of takeJobsSince(this.readList(options), this, options)) jobs.push(job);
		return { jobs, isCutOff: this.lacksEntries || (this.lacksPages && this.isExhausted), reachesBack: !this.isExhausted };
	}

	/** `takeJobsSince` ends this generator early when it meets an older job. */
	private async *readList({ signal }: CallOptions): AsyncGenerator<Job, void, undefined> {
		const list = async (options: ListOptions = {}): Promise<JobPage> => await this.readPage(options);
		yield* listAllJobs({ list }, { mostPages: MOST_PAGES, since: () => this.since, signal });
		this.isExhausted = true;
	}

	private async readPage(options: ListOptions): Promise<JobPage> {
		const page = await this.lister.list(options);
		const hasOlder = page.jobs.some((job) => (createdAt(job) ?? Infinity) < this.since);
		if (options.statuses !== undefined) this.lacksEntries ||= page.isTruncated === true && !hasOlder;
		else this.lacksPages = ++this.pages >= MOST_PAGES && page.nextCursor !== undefined && !hasOlder;
		return page;
	}
}
