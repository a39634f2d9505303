import type { Job } from '../job';
import type { JobService } from '../ports';
import { listedJobs, type Listing } from './listedJobs';
import { madeSince } from './readWhereUntold';
import { madeOrBegunAt } from './times';

export interface JobQuery extends Omit<Listing, 'mostPages'> {
	/** Epoch milliseconds. With either of these a job is left out of which nobody knows when it was made. */
	madeAfter?: number;
	madeBefore?: number;
	/** So many were listed for `madeInWorkflow`, and none of them tells where it comes from. */
	onUntold?: (listed: number) => void;
}

/** A service's jobs by status, time and where they come from, newest first. @throws ApiError where it lists none. @see listsNothing */
export async function* findJobs(
	jobs: JobService,
	{ madeAfter, madeBefore, onUntold, ...listing }: JobQuery,
): AsyncGenerator<Job, void, undefined> {
	const { statuses = [], madeInWorkflow, signal } = listing;
	const isWanted = ({ status }: Job): boolean => statuses.length === 0 || statuses.includes(status);
	const isTimed = madeAfter !== undefined || madeBefore !== undefined;
	const all = listedJobs(jobs, listing);
	const listed = madeInWorkflow === undefined ? all : madeIn(madeInWorkflow, all, onUntold);
	if (!isTimed) {
		for await (const job of listed) if (isWanted(job)) yield job;
		return;
	}
	for await (const job of madeSince(listed, { reader: jobs, since: madeAfter ?? -Infinity, isWanted }, { signal })) {
		if ((madeOrBegunAt(job) ?? Infinity) <= (madeBefore ?? Number.MAX_VALUE)) yield job;
	}
}

/** A service may list others as well. */
async function* madeIn(
	workflowId: string,
	listed: AsyncIterable<Job>,
	onUntold: JobQuery['onUntold'],
): AsyncGenerator<Job, void, undefined> {
	let [all, told] = [0, 0];
	try {
		for await (const job of listed) {
			all += 1;
			if (job.made_by !== undefined) told += 1;
			if (job.made_by?.workflow_id === workflowId) yield job;
		}
	} finally {
		if (all > 0 && told === 0) onUntold?.(all);
	}
}
