import type { Job } from '../job';
import type { JobService } from '../services';
import { listedJobs, type Listing } from './listedJobs';
import { madeSince } from './readWhereUntold';
import { madeOrBegunAt } from './times';

export interface JobQuery extends Omit<Listing, 'mostPages'> {
	/** Epoch milliseconds. With either of these a job is left out of which nobody knows when it was made. */
	madeAfter?: number;
	madeBefore?: number;
}

/** A service's jobs by status and time, newest first. @throws ApiError where it lists none. @see listsNothing */
export async function* findJobs(jobs: JobService, { madeAfter, madeBefore, ...listing }: JobQuery): AsyncGenerator<Job, void, undefined> {
	const { statuses = [], signal } = listing;
	const isWanted = ({ status }: Job): boolean => statuses.length === 0 || statuses.includes(status);
	const isTimed = madeAfter !== undefined || madeBefore !== undefined;
	const listed = listedJobs(jobs, listing);
	if (!isTimed) {
		for await (const job of listed) if (isWanted(job)) yield job;
		return;
	}
	for await (const job of madeSince(listed, { reader: jobs, since: madeAfter ?? -Infinity, isWanted }, { signal })) {
		if ((madeOrBegunAt(job) ?? Infinity) <= (madeBefore ?? Number.MAX_VALUE)) yield job;
	}
}
