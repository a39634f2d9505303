import { isDeepStrictEqual } from 'node:util';

import { ApiError, StoppedError, UnknownOutcomeError } from '../errors';
import type { ApiGraph, Job } from '../job';
import { isExactNumber, isSameNumber } from '../json/numbers';
import { type JobLister, listedJobs, listsNothing } from '../list/listedJobs';
import { madeSince } from '../list/readWhereUntold';
import { madeAt } from '../list/times';
import type { CallOptions, JobPage, JobService, ListOptions, SubmitOptions } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';

/** How far the service's clock may lag behind ours. */
const CLOCK_SKEW_MS = 60_000;
const MOST_PAGES = 10;
/** The lost attempt may still be on its way to becoming a job. */
const SEARCHES_AFTER_MS = [0, 500, 1_500];

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
	const search = await outcomeOf(new LostJobSearch(sources, graph, lost).onlyMatch());
	if (search.ok && search.value) return search.value;
	if (!search.ok && search.error instanceof StoppedError) throw search.error;
	throw new UnknownOutcomeError(lost.idempotencyKey, { cause: search.ok ? cause : search.error });
}

class LostJobSearch {
	/** Each candidate is read once: neither its workflow nor when it was made ever changes. */
	private readonly looks = new Map<string, Promise<Job | undefined>>();
	private readonly reads = new Map<string, Promise<Job>>();

	constructor(
		private readonly sources: LostJobSources,
		private readonly graph: ApiGraph,
		private readonly lost: LostSubmission,
	) {}

	async onlyMatch(): Promise<Job | undefined> {
		for (const pauseMs of SEARCHES_AFTER_MS) {
			await delay(pauseMs, this.lost.signal);
			const found = await this.matches();
			// One of which nobody knows when it was made may be ours, or yesterday's.
			if (found.some((job) => madeAt(job) === undefined)) return undefined;
			const sinceThen = found.filter((job) => this.isMadeSince(job, this.lost.firstSentAt));
			const [job, another] = sinceThen.length > 0 ? sinceThen : found;
			if (job) return another ? undefined : job;
		}
		return undefined;
	}

	private async matches(): Promise<Job[]> {
		const since = this.lost.firstSentAt - CLOCK_SKEW_MS;
		const isWanted = ({ job_id }: Job): boolean => this.lost.knownJobIds?.has(job_id) !== true;
		const reader = { get: async (jobId: string) => await this.read(jobId) };
		const lister = { list: async (options: ListOptions = {}) => await this.list(options) };
		const listed = listedJobs(lister, { mostPages: MOST_PAGES, signal: this.lost.signal });
		const found: Job[] = [];
		for await (const { job_id } of madeSince(listed, { reader, since, isWanted })) {
			const match = await onceFor(this.looks, job_id, async () => await this.look(job_id));
			// Lists may round.
			if (match !== undefined && (madeAt(match) === undefined || this.isMadeSince(match, since))) found.push(match);
		}
		return found;
	}

	/** A page of the service's own list, else of the account's. */
	private async list(options: ListOptions): Promise<JobPage> {
		const { jobs, lister } = this.sources;
		const page = await outcomeOf(jobs.list(options));
		if (page.ok) return page.value;
		if (lister === undefined || !listsNothing(page.error)) throw page.error;
		return await lister.list(options);
	}

	/** The job with its own times, if its workflow is the one that was sent. */
	private async look(jobId: string): Promise<Job | undefined> {
		const { jobs } = this.sources;
		return (await hasWorkflow(jobs, jobId, this.graph, this.lost)) ? await this.read(jobId) : undefined;
	}

	private async read(jobId: string): Promise<Job> {
		return await onceFor(this.reads, jobId, async () => await this.sources.jobs.get(jobId, { signal: this.lost.signal }));
	}

	private isMadeSince(job: Job, since: number): boolean {
		return (madeAt(job) ?? -Infinity) >= since;
	}
}

async function onceFor<T>(kept: Map<string, Promise<T>>, id: string, work: () => Promise<T>): Promise<T> {
	const one = kept.get(id) ?? work();
	kept.set(id, one);
	return await one;
}

async function hasWorkflow(jobs: JobService, jobId: string, graph: ApiGraph, options: CallOptions): Promise<boolean> {
	const read = await outcomeOf(jobs.workflow(jobId, { signal: options.signal }));
	if (read.ok) return read.value.format === 'api' && sameGraph(graph, read.value.workflow);
	// Its retention may have ended meanwhile.
	if (read.error instanceof ApiError && read.error.status === 404) return false;
	throw read.error;
}

/** Deep equality, except that the self-hosted proxy puts a file name where an asset reference was sent, and that services may keep decimals as doubles. */
export function sameGraph(sent: unknown, read: unknown): boolean {
	if (isAssetReference(sent) && typeof read === 'string') return true;
	if (isExactNumber(sent) || isExactNumber(read)) return isSameNumber(sent, read);
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
