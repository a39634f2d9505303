import { timeOf } from '../comfyui/timestamps';
import { isRecord, recordOf, textOr } from '../json/decode';
import { ApiError, isNotFound } from '../errors/errors';
import { isTerminal, type Job, type JobStatus } from '../ports/job';
import type { CallOptions, JobPage, JobService, ListOptions } from '../ports/jobService';
import { delay } from '../async/delay';
import { type Outcome, outcomeOf } from '../async/outcome';
import { LATE_READS } from '../contact/policy';

export interface JobQuery extends Omit<JobListing, 'mostPages' | 'since'> {
	/** Epoch milliseconds. With `madeAfter` or `madeBefore`, jobs without a known time are left out. */
	madeAfter?: number;
	madeBefore?: number;
	/** Called if jobs were listed for `madeInWorkflow`, but none of them has a `made_by`. */
	onNoMadeBy?: (listed: number) => void;
}

/**
 * Lists a service's jobs, newest first, filtered by status, time and n8n workflow.
 * @throws ApiError if the service lists none. @see isListUnsupported
 */
export async function* findJobs(
	jobs: JobService,
	{ madeAfter, madeBefore, onNoMadeBy, ...listing }: JobQuery,
): AsyncGenerator<Job, void, undefined> {
	const { statuses = [], madeInWorkflow, signal } = listing;
	const isWanted = ({ status }: Job): boolean => statuses.length === 0 || statuses.includes(status);
	const isTimed = madeAfter !== undefined || madeBefore !== undefined;
	const all = listAllJobs(jobs, { ...listing, ...(madeAfter !== undefined && { since: () => madeAfter }) });
	const listed = madeInWorkflow === undefined ? all : filterByWorkflow(madeInWorkflow, all, onNoMadeBy);
	if (!isTimed) {
		for await (const job of listed) if (isWanted(job)) yield job;
		return;
	}
	for await (const job of takeJobsSince(listed, { reader: jobs, since: madeAfter ?? -Infinity, isWanted }, { signal })) {
		if ((createdOrStartedAt(job) ?? Infinity) <= (madeBefore ?? Number.MAX_VALUE)) yield job;
	}
}

/** The service may also list jobs of other workflows. */
async function* filterByWorkflow(
	workflowId: string,
	listed: AsyncIterable<Job>,
	onNoMadeBy: JobQuery['onNoMadeBy'],
): AsyncGenerator<Job, void, undefined> {
	let listedCount = 0;
	let labelledCount = 0;
	try {
		for await (const job of listed) {
			listedCount += 1;
			if (job.made_by !== undefined) labelledCount += 1;
			if (job.made_by?.workflow_id === workflowId) yield job;
		}
	} finally {
		if (listedCount > 0 && labelledCount === 0) onNoMadeBy?.(listedCount);
	}
}

const PAGE_SIZE = 100;

/** A list without pages is read once for each of these statuses. */
const LISTED_STATUSES: readonly JobStatus[] = ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'];

const NO_LIST_CODES: ReadonlySet<string> = new Set(['not_implemented', 'public_deployment_no_list']);

export type JobLister = Pick<JobService, 'list'>;

export interface JobListing extends CallOptions, Pick<ListOptions, 'withMadeBy' | 'madeInWorkflow'> {
	pageSize?: number;
	mostPages?: number;
	/** Only jobs with these statuses are needed. The result may contain others. Empty for all. */
	statuses?: readonly JobStatus[];
	/** Returns the time (epoch milliseconds) since which jobs are needed. The result may contain others. */
	since?: () => number;
	/** Called if the service does not list all of its jobs. */
	onTruncated?: () => void;
	/** Called with the addresses of the servers of a pool that did not respond, maybe once for each page. */
	onUnanswered?: (servers: readonly string[]) => void;
}

/** Whether the service said that it lists no jobs. */
export const isListUnsupported = (error: unknown): error is ApiError => error instanceof ApiError && NO_LIST_CODES.has(error.code);

/** Lists all jobs of a service, newest first, each one once. */
export async function* listAllJobs(lister: JobLister, listing: JobListing = {}): AsyncGenerator<Job, void, undefined> {
	const { pageSize = PAGE_SIZE, mostPages = Infinity, withMadeBy, madeInWorkflow, signal, onTruncated } = listing;
	const { statuses: wantedStatuses, since: wantedSince } = listing;
	const listedIds = new Set<string>();
	const cursors = new Set<string | undefined>();
	let cursor: string | undefined;
	for (let pages = 0; pages < mostPages && !cursors.has(cursor); pages++) {
		cursors.add(cursor);
		const page = await lister.list({ limit: pageSize, cursor, wantedStatuses, wantedSince, withMadeBy, madeInWorkflow, signal });
		reportUnanswered(page, listing);
		yield* skipDuplicates(page.jobs, listedIds);
		if (page.isTruncated) {
			yield* skipDuplicates(await listByStatus(lister, listing), listedIds);
			return onTruncated?.();
		}
		if (page.nextCursor === undefined) return;
		cursor = page.nextCursor;
	}
}

function reportUnanswered({ unanswered = [] }: JobPage, { onUnanswered }: JobListing): void {
	if (unanswered.length > 0) onUnanswered?.(unanswered);
}

/** New jobs shift the pages of a list, so a job may appear twice. */
function* skipDuplicates(jobs: readonly Job[], listedIds: Set<string>): Generator<Job, void, undefined> {
	for (const job of jobs) {
		if (listedIds.has(job.job_id)) continue;
		listedIds.add(job.job_id);
		yield job;
	}
}

/** Services differ in the statuses that they know. Any other error would hide jobs. */
const isUnknownStatus = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

/** A list without pages is cut. The list of one status may contain the missing jobs. */
async function listByStatus(lister: JobLister, listing: JobListing): Promise<Job[]> {
	const { statuses = [], withMadeBy, madeInWorkflow, signal } = listing;
	const found: Job[] = [];
	for (const status of statuses.length === 0 ? LISTED_STATUSES : statuses) {
		const page = await outcomeOf(lister.list({ limit: PAGE_SIZE, statuses: [status], withMadeBy, madeInWorkflow, signal }));
		if (!page.ok) {
			if (isUnknownStatus(page.error)) continue;
			throw page.error;
		}
		reportUnanswered(page.value, listing);
		found.push(...page.value.jobs);
	}
	return found.sort((one, other) => (createdAt(other) ?? 0) - (createdAt(one) ?? 0));
}

export type JobReader = Pick<JobService, 'get'>;

/** Whether the entry of a list is already the complete job, so that a read returns nothing more. */
export const isCompleteJob = ({ urls, created_at }: Job): boolean => urls.self !== null && created_at !== null;

/** @returns undefined if the job was deleted after it was listed. */
async function readListed(reader: JobReader, job: Job, { signal }: CallOptions): Promise<Job | undefined> {
	if (isCompleteJob(job)) return job;
	return await readUnlessDeleted(async () => await reader.get(job.job_id, { signal }), signal);
}

/**
 * @param read reads a job that was just listed, or its workflow.
 * @returns undefined if the job was deleted since.
 */
export async function readUnlessDeleted<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
	const outcome = await readAgainIfMissing(read, isDeleted, LATE_READS.listed[0], signal);
	if (outcome.ok) return outcome.value;
	if (!isDeleted(outcome.error)) throw outcome.error;
	return undefined;
}

/** Services that start, and gateways in front of them, may answer 404 for a moment. Only a repeated 404 counts. */
export async function readAgainIfMissing<T>(
	read: () => Promise<T>,
	isMissing: (error: unknown) => boolean,
	afterMs: number,
	signal?: AbortSignal,
): Promise<Outcome<T>> {
	const first = await outcomeOf(read());
	if (first.ok || !isMissing(first.error)) return first;
	const waited = await outcomeOf(delay(afterMs, signal));
	return waited.ok ? await outcomeOf(read()) : waited;
}

const isDeleted = (error: unknown): boolean => isNotFound(error) && !isListUnsupported(error);

export interface MadeSinceFilter {
	reader: JobReader;
	/** Epoch milliseconds. Read for each job, because the list may show how far the service's clock is behind. */
	readonly since: number;
	/** Called before a job is read. */
	isWanted?: (job: Job) => boolean;
}

/**
 * Returns the jobs that were made since this time. It stops at the first older job, because the list is sorted by time.
 * Jobs that have no time, even after a read, are included.
 */
export async function* takeJobsSince(
	listed: AsyncIterable<Job>,
	made: MadeSinceFilter,
	options: CallOptions = {},
): AsyncGenerator<Job, void, undefined> {
	const { reader, isWanted = () => true } = made;
	const isOld = (job: Job): boolean => (createdOrStartedAt(job) ?? Infinity) < made.since;
	for await (const job of listed) {
		if (isOld(job)) return;
		if (!isWanted(job)) continue;
		const timed = createdOrStartedAt(job) === undefined ? await readListed(reader, job, options) : job;
		if (timed === undefined) continue;
		if (isOld(timed)) return;
		yield timed;
	}
}

/** @returns the job if it has not finished, or has finished since this time (epoch milliseconds). */
export async function skipIfEndedBefore(reader: JobReader, job: Job, since: number, options: CallOptions = {}): Promise<Job | undefined> {
	if (!isTerminal(job.status)) return job;
	const isRecent = hasEndedSince(job, since);
	if (isRecent !== undefined) return isRecent ? job : undefined;
	const read = await readListed(reader, job, options);
	return read !== undefined && (!isTerminal(read.status) || hasEndedSince(read, since)) ? read : undefined;
}

/** When a job was made (epoch milliseconds); undefined if that is unknown. Such a job is neither new nor old. */
export const createdAt = ({ created_at }: Job): number | undefined => timeOf(created_at);

/** When a job was made or, as older engines report only that, when it started (epoch milliseconds). */
export const createdOrStartedAt = (job: Job): number | undefined => createdAt(job) ?? timeOf(job.started_at);

/** Whether a finished job has finished since this time; undefined if its times do not say. */
function hasEndedSince(job: Job, since: number): boolean | undefined {
	const endedAt = timeOf(job.completed_at);
	if (endedAt !== undefined) return endedAt >= since;
	if ((createdAt(job) ?? -Infinity) >= since) return true;
	// The latest change of the job is its end, or a later one.
	if ((timeOf(job.update_time) ?? Infinity) < since) return false;
	return undefined;
}

/** A node of a job's workflow, with the fields that a list contains. */
export interface OutputNode {
	node_id: string;
	title: string | null;
	class_type: string | null;
}

/** @param graph the job's workflow, if it is known. */
export function toOutputNode(nodeId: string | undefined, graph?: unknown): OutputNode | null {
	if (nodeId === undefined) return null;
	const node = isRecord(graph) && isRecord(graph[nodeId]) ? graph[nodeId] : {};
	const meta = recordOf(node._meta);
	return { node_id: nodeId, title: textOr(meta.title, null), class_type: textOr(node.class_type, null) };
}

/** Returns the first node with outputs of a listed job; null if the list does not say. */
export function findFirstOutputNode({
	first_output_node: listed,
	preview_output: preview,
	outputs,
}: Job & { first_output_node?: OutputNode | null }): OutputNode | null {
	if (listed !== undefined) return listed;
	const shown = isRecord(preview) ? textOr(preview.nodeId, undefined) : undefined;
	return toOutputNode(shown ?? textOr(outputs[0]?.node_id, undefined));
}
