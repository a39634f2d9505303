import { type JobLister, type JobReader, listAllJobs, isListUnsupported, createdAt, listJobsSince } from '../list/listJobs';
import type { Job } from '../job';
import type { CallOptions, JobPage, ListOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';

const MOST_PAGES = 10;

/** The jobs that a service lists since then, newest first. */
export interface Walk {
	jobs: Job[];
	/** There may be more of them. */
	isCutOff: boolean;
	/** Older ones are listed behind them, so that none of these is missing because of its age. */
	reachesBack: boolean;
}

/** The service's own list, else the account's. */
export class AnyList implements JobLister {
	private ownIsNone = false;

	constructor(
		private readonly own: JobLister,
		private readonly ofAccount?: JobLister,
	) {}

	async list(options: ListOptions = {}): Promise<JobPage> {
		if (this.ownIsNone && this.ofAccount !== undefined) return await this.ofAccount.list(options);
		const page = await outcomeOf(this.own.list(options));
		if (page.ok) return page.value;
		if (this.ofAccount === undefined || !isListUnsupported(page.error)) throw page.error;
		this.ownIsNone = true;
		return await this.ofAccount.list(options);
	}
}

/**
 * @param reader asked for jobs whose times are not listed.
 * @param since asked once something was listed.
 */
export async function walkSince(lister: JobLister, reader: JobReader, since: () => number, { signal }: CallOptions): Promise<Walk> {
	let pages = 0;
	let endsTooSoon = false;
	let statusEndsTooSoon = false;
	let isDrained = false;
	const list = async (options: ListOptions = {}): Promise<JobPage> => {
		const page = await lister.list(options);
		const hasOlder = page.jobs.some((job) => (createdAt(job) ?? Infinity) < since());
		if (options.statuses !== undefined) statusEndsTooSoon ||= page.isTruncated === true && !hasOlder;
		else endsTooSoon = ++pages >= MOST_PAGES && page.nextCursor !== undefined && !hasOlder;
		return page;
	};
	async function* listed(): AsyncGenerator<Job, void, undefined> {
		yield* listAllJobs({ list }, { mostPages: MOST_PAGES, signal });
		isDrained = true;
	}
	const made = {
		reader,
		get since() {
			return since();
		},
	};
	const jobs: Job[] = [];
	for await (const job of listJobsSince(listed(), made, { signal })) jobs.push(job);
	return { jobs, isCutOff: statusEndsTooSoon || (endsTooSoon && isDrained), reachesBack: !isDrained };
}
