import { isDeepStrictEqual } from 'node:util';

import { ApiError, StoppedError, UnknownOutcomeError } from '../errors';
import type { ApiGraph, Job } from '../job';
import type { CallOptions, JobPage, JobService, SubmitOptions } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';

/** How far the service's clock may lag behind ours. */
const CLOCK_SKEW_MS = 60_000;
const PAGE_SIZE = 100;
const MOST_PAGES = 10;
/** The lost attempt may still be on its way to becoming a job. */
const SEARCHES_AFTER_MS = [0, 500, 1_500];

export type JobLister = Pick<JobService, 'list'>;

/** Where a lost job may be found. */
export interface LostJobSources {
	jobs: JobService;
	/** Lists the account's jobs where the service itself does not. */
	lister?: JobLister;
}

type LostSubmission = Required<Pick<SubmitOptions, 'firstSentAt'>> & Pick<SubmitOptions, 'idempotencyKey' | 'knownJobIds' | 'signal'>;

/**
 * Looks for the job of a submission whose answer was lost, by its workflow.
 * @throws UnknownOutcomeError unless exactly one job fits.
 */
export async function findLostJob(sources: LostJobSources, graph: ApiGraph, lost: LostSubmission, cause: unknown): Promise<Job> {
	const search = await outcomeOf(onlyMatch(sources, graph, lost));
	if (search.ok && search.value) return search.value;
	if (!search.ok && search.error instanceof StoppedError) throw search.error;
	throw new UnknownOutcomeError(lost.idempotencyKey, { cause: search.ok ? cause : search.error });
}

async function onlyMatch(sources: LostJobSources, graph: ApiGraph, lost: LostSubmission): Promise<Job | undefined> {
	for (const pauseMs of SEARCHES_AFTER_MS) {
		await delay(pauseMs, lost.signal);
		const found = await matches(sources, graph, lost);
		const sinceThen = found.filter(({ created_at }) => created_at !== null && Date.parse(created_at) >= lost.firstSentAt);
		const [job, another] = sinceThen.length > 0 ? sinceThen : found;
		if (job) return another ? undefined : await sources.jobs.get(job.job_id, lost);
	}
	return undefined;
}

async function matches(sources: LostJobSources, graph: ApiGraph, lost: LostSubmission): Promise<Job[]> {
	const found: Job[] = [];
	for await (const job of jobsSince(sources, lost.firstSentAt - CLOCK_SKEW_MS, lost)) {
		if (!lost.knownJobIds?.has(job.job_id) && (await hasWorkflow(sources.jobs, job, graph, lost))) found.push(job);
	}
	return found;
}

async function* jobsSince(sources: LostJobSources, since: number, { signal }: CallOptions): AsyncGenerator<Job> {
	let cursor: string | undefined;
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page = await readPage(sources, { limit: PAGE_SIZE, cursor, signal });
		const recent = page.jobs.filter(({ created_at }) => created_at === null || Date.parse(created_at) >= since);
		yield* recent;
		if (page.nextCursor === undefined || recent.length < page.jobs.length) return;
		cursor = page.nextCursor;
	}
}

async function readPage({ jobs, lister }: LostJobSources, options: Parameters<JobLister['list']>[0]): Promise<JobPage> {
	const page = await outcomeOf(jobs.list(options));
	if (page.ok) return page.value;
	const isOffered = !(page.error instanceof ApiError && page.error.code === 'not_implemented');
	if (isOffered || lister === undefined) throw page.error;
	return await lister.list(options);
}

async function hasWorkflow(jobs: JobService, job: Job, graph: ApiGraph, options: CallOptions): Promise<boolean> {
	const read = await outcomeOf(jobs.workflow(job.job_id, { signal: options.signal }));
	if (read.ok) return read.value.format === 'api' && sameGraph(graph, read.value.workflow);
	// Its retention may have ended meanwhile.
	if (read.error instanceof ApiError && read.error.status === 404) return false;
	throw read.error;
}

/** Deep equality, except that the self-hosted proxy puts a file name where an asset reference was sent. */
export function sameGraph(sent: unknown, read: unknown): boolean {
	if (isAssetReference(sent) && typeof read === 'string') return true;
	if (!isObject(sent) || !isObject(read)) return isDeepStrictEqual(sent, read);
	const keys = Object.keys(sent);
	return (
		Array.isArray(sent) === Array.isArray(read) &&
		keys.length === Object.keys(read).length &&
		keys.every((key) => Object.hasOwn(read, key) && sameGraph(sent[key], read[key]))
	);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isAssetReference = (value: unknown): boolean => isObject(value) && value.__type === 'core/ASSET';
