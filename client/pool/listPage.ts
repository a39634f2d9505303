/** One list of jobs from the lists of several servers. Pure. */
import { isRecord, numberOr, textOr } from '../decode';
import type { Job } from '../job';
import { createdOrStartedAt } from '../list/listJobs';
import type { JobPage } from '../ports';

/** How far one server's list was read: the cursor of its page, and how many jobs of this page were returned already. */
export interface ListPosition {
	cursor?: string;
	skip: number;
}

/** By address. A server without an entry has no more jobs. */
export type ListPositions = Readonly<Record<string, ListPosition>>;

/** Returns the positions in a cursor. Without a cursor, all lists begin. */
export function decodePositions(cursor: string | undefined, addresses: readonly string[]): ListPositions {
	if (cursor === undefined) return Object.fromEntries(addresses.map((address) => [address, { skip: 0 }]));
	const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
	return Object.fromEntries(
		Object.entries(isRecord(decoded) ? decoded : {}).flatMap(([address, position]) =>
			isRecord(position) ? [[address, { cursor: textOr(position.cursor, undefined), skip: numberOr(position.skip, 0) }]] : [],
		),
	);
}

/** The page of one server, and the position at which it was read. */
export interface ServerPage {
	address: string;
	position: ListPosition;
	page: JobPage;
}

/**
 * Merges the pages, newest first. It ends where one page is used up and has a successor, because the next job may be on that.
 * @param limit the most jobs to return.
 */
export function mergePages(pages: readonly ServerPage[], limit: number): Pick<JobPage, 'jobs' | 'nextCursor'> {
	const rests = pages.map(({ address, position, page }) => ({
		address,
		position,
		page,
		jobs: page.jobs.slice(position.skip),
		used: 0,
	}));
	const jobs: Job[] = [];
	const isUsedUp = ({ jobs: rest, used }: { jobs: Job[]; used: number }): boolean => used >= rest.length;
	while (jobs.length < limit && !rests.some((rest) => isUsedUp(rest) && rest.page.nextCursor !== undefined)) {
		const [newest] = rests.filter((rest) => !isUsedUp(rest)).sort((one, other) => nextTime(other) - nextTime(one));
		const job = newest?.jobs[newest.used];
		if (newest === undefined || job === undefined) break;
		jobs.push(job);
		newest.used += 1;
	}
	const positions = rests.flatMap((rest): Array<[string, ListPosition]> => {
		const { address, position, page, used } = rest;
		if (!isUsedUp(rest)) return [[address, { ...position, skip: position.skip + used }]];
		return page.nextCursor === undefined ? [] : [[address, { cursor: page.nextCursor, skip: 0 }]];
	});
	if (positions.length === 0) return { jobs };
	return { jobs, nextCursor: Buffer.from(JSON.stringify(Object.fromEntries(positions))).toString('base64url') };
}

/** A job whose time is unknown has just been submitted. */
function nextTime({ jobs, used }: { jobs: Job[]; used: number }): number {
	const job = jobs[used];
	return (job === undefined ? undefined : createdOrStartedAt(job)) ?? Number.MAX_VALUE;
}
