import { type JobLister, listedJobs, listsNothing } from '../list/listedJobs';
import { type JobReader, madeSince } from '../list/readWhereUntold';
import { madeAt } from '../list/times';
import type { Job } from '../job';
import type { CallOptions, JobPage, ListOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';

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
	private hasNoOwnList = false;

	constructor(
		private readonly own: JobLister,
		private readonly ofAccount?: JobLister,
	) {}

	async list(options: ListOptions = {}): Promise<JobPage> {
		if (this.hasNoOwnList && this.ofAccount !== undefined) return await this.ofAccount.list(options);
		const page = await outcomeOf(this.own.list(options));
		if (page.ok) return page.value;
		if (this.ofAccount === undefined || !listsNothing(page.error)) throw page.error;
		this.hasNoOwnList = true;
		return await this.ofAccount.list(options);
	}
}

/**
 * Lists the jobs that were made since a time.
 * @param reader reads jobs whose times are not in the list.
 * @param since returns that time in epoch milliseconds. Called after the first page, which tells the time of the service.
 */
export async function listJobsSince(
	lister: JobLister,
	reader: JobReader,
	since: () => number,
	{ signal }: CallOptions,
): Promise<ListedJobs> {
	let pages = 0;
	let endsTooSoon = false;
	let statusEndsTooSoon = false;
	let isAtEnd = false;
	const list = async (options: ListOptions = {}): Promise<JobPage> => {
		const page = await lister.list(options);
		const hasOlder = page.jobs.some((job) => (madeAt(job) ?? Infinity) < since());
		if (options.statuses !== undefined) statusEndsTooSoon ||= page.isTruncated === true && !hasOlder;
		else endsTooSoon = ++pages >= MOST_PAGES && page.nextCursor !== undefined && !hasOlder;
		return page;
	};
	async function* readList(): AsyncGenerator<Job, void, undefined> {
		yield* listedJobs({ list }, { mostPages: MOST_PAGES, signal });
		isAtEnd = true;
	}
	const made = {
		reader,
		get since() {
			return since();
		},
	};
	const jobs: Job[] = [];
	for await (const job of madeSince(readList(), made, { signal })) jobs.push(job);
	return { jobs, isCutOff: statusEndsTooSoon || (endsTooSoon && isAtEnd), reachesBack: !isAtEnd };
}
