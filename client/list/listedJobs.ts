import { ApiError } from '../errors';
import type { Job, JobStatus } from '../job';
import type { CallOptions, JobService, ListOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { madeAt } from './times';

const PAGE_SIZE = 100;

/** A list without pages tells of these one by one. */
const LISTED_STATUSES: readonly JobStatus[] = ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'];

const NO_LIST_CODES: ReadonlySet<string> = new Set(['not_implemented', 'public_deployment_no_list']);

export type JobLister = Pick<JobService, 'list'>;

export interface Listing extends CallOptions, Pick<ListOptions, 'withMadeBy' | 'madeInWorkflow'> {
	pageSize?: number;
	mostPages?: number;
	/** Only these are needed; others may come. Empty for all. */
	statuses?: readonly JobStatus[];
	/** The service does not list all that it has. */
	onTruncated?: () => void;
}

/** Whether a service has said that it lists no jobs. */
export const listsNothing = (error: unknown): error is ApiError => error instanceof ApiError && NO_LIST_CODES.has(error.code);

/** All jobs that a service lists, newest first, each once. */
export async function* listedJobs(lister: JobLister, listing: Listing = {}): AsyncGenerator<Job, void, undefined> {
	const { pageSize = PAGE_SIZE, mostPages = Infinity, withMadeBy, madeInWorkflow, signal, onTruncated } = listing;
	const told = new Set<string>();
	const cursors = new Set<string | undefined>();
	let cursor: string | undefined;
	for (let pages = 0; pages < mostPages && !cursors.has(cursor); pages++) {
		cursors.add(cursor);
		const page = await lister.list({ limit: pageSize, cursor, withMadeBy, madeInWorkflow, signal });
		yield* newOnes(page.jobs, told);
		if (page.isTruncated) {
			yield* newOnes(await listedByStatus(lister, listing), told);
			return onTruncated?.();
		}
		if (page.nextCursor === undefined) return;
		cursor = page.nextCursor;
	}
}

/** A list may move on while it is paged through. */
function* newOnes(jobs: readonly Job[], told: Set<string>): Generator<Job, void, undefined> {
	for (const job of jobs) {
		if (told.has(job.job_id)) continue;
		told.add(job.job_id);
		yield job;
	}
}

/** Services differ in the words that they know. Whatever else fails, jobs would be missing. */
const isUnknownWord = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

/** What a list without pages leaves out may be in the list of its status. */
async function listedByStatus(lister: JobLister, { statuses = [], withMadeBy, madeInWorkflow, signal }: Listing): Promise<Job[]> {
	const found: Job[] = [];
	for (const status of statuses.length === 0 ? LISTED_STATUSES : statuses) {
		const page = await outcomeOf(lister.list({ limit: PAGE_SIZE, statuses: [status], withMadeBy, madeInWorkflow, signal }));
		if (page.ok) found.push(...page.value.jobs);
		else if (!isUnknownWord(page.error)) throw page.error;
	}
	return found.sort((one, other) => (madeAt(other) ?? 0) - (madeAt(one) ?? 0));
}
