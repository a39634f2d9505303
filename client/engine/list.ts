import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { type EntryDecoder, jobPageDecoder, jobStatusOf, minimalJob } from '../comfyui/jobRecords';
import type { OutputDecoder } from '../comfyui/outputs';
import { timeOf, timestampOf } from '../comfyui/timestamps';
import { isRecord, type Unchecked, without } from '../json/decode';
import type { Engine } from '../generated/engine';
import { isTerminal, type Job, type JobStatus } from '../ports/job';
import { createdAt, createdOrStartedAt, toOutputNode } from '../list/listJobs';
import type { CallOptions, JobPage, ListOptions, QueueEntry } from '../ports/jobService';
import { ApiError } from '../errors/errors';
import { outcomeOf } from '../async/outcome';
import { Slots } from '../async/slots';
import { isPathSegment } from '../text/identifiers';
import type { EngineApi } from './api';
import { decodeHistory, decodeHistoryEntry, graphIn, promptIn, unexplainedError } from './history';
import type { OptionalRoutes } from './optionalRoutes';
import { type EngineReader, toQueuedJob } from './reader';

const PAGE_SIZE = 100;
/** The start of our own cursors, for an engine without a job list. */
const HISTORY_CURSOR = 'history:';
/** The most records that are read one by one for one page. */
const SINGLE_READS = 20;
const MOST_CONCURRENT_READS = 6;

/** The part of the job list to read. */
interface ListPart {
	limit: number;
	offset: number;
	/** Statuses in ComfyUI's words. Undefined for all. */
	statuses: string[] | undefined;
}

/** Lists the jobs of an engine, newest first: from its job list or, if it has none, from its queue and history. */
export class EngineJobList {
	constructor(
		private readonly api: EngineApi,
		private readonly routes: OptionalRoutes,
		private readonly reader: EngineReader,
		private readonly decodeOutputs: OutputDecoder,
	) {}

	/**
	 * The engine's own list has no `made_by`. For that it only says which jobs are wanted, and their records come from queue and
	 * history.
	 */
	async page({ limit = PAGE_SIZE, cursor = '', withMadeBy = false, wantedStatuses, wantedSince, signal }: ListOptions): Promise<JobPage> {
		const options = { signal };
		const offset = Number(cursor.replace(HISTORY_CURSOR, ''));
		if (cursor.startsWith(HISTORY_CURSOR)) return await this.readHistoryPage(limit, offset, wantedSince, options);
		const statuses = this.toFilter(wantedStatuses);
		const size = statuses === undefined ? pageEnd(limit, offset) - offset : Math.min(limit, SINGLE_READS);
		const own = await this.readOwnPage({ limit: withMadeBy ? size : limit, offset, statuses }, options);
		// The offset may count only the jobs with these statuses. Then the history repeats jobs, but leaves none out.
		if (own === undefined) return await this.readHistoryPage(limit, offset, wantedSince, options);
		const { page, older } = endAtOlder(own, wantedSince);
		const jobs = withMadeBy ? await this.readRecords(page.jobs, statuses === undefined ? offset : undefined, options) : page.jobs;
		return { ...page, jobs: [...jobs, ...older] };
	}

	/** Returns the statuses in ComfyUI's words; undefined if the list cannot be filtered by them. */
	private toFilter(statuses: readonly JobStatus[] = []): string[] | undefined {
		if (!this.routes.mayHave('statusFilter')) return undefined;
		const words = LISTED_STATUSES.filter((word) => statuses.includes(jobStatusOf(word)));
		return words.length === 0 ? undefined : words;
	}

	/** @returns undefined if the engine has no list, or cannot make it. */
	private async readOwnPage(part: ListPart, options: CallOptions): Promise<JobPage | undefined> {
		const { limit, offset, statuses } = part;
		const path = `/jobs?limit=${limit}&offset=${offset}${statuses === undefined ? '' : `&status=${statuses.join()}`}`;
		const page = await outcomeOf(this.routes.call('jobs', { path }, jobPageDecoder(decodeListEntry, offset), options));
		if (page.ok) return page.value;
		if (statuses === undefined || !(page.error instanceof ApiError && page.error.status === 400)) throw page.error;
		this.routes.noteMissing('statusFilter', page.error);
		return await this.readOwnPage({ ...part, statuses: undefined }, options);
	}

	/**
	 * Returns the records of listed jobs in the same order. Unfinished jobs are in the queue, and the newest finished ones in one
	 * part of the history. The others are read one by one. Jobs that were deleted since are left out.
	 * @param offset of these jobs in the list of all jobs; undefined if the list was filtered.
	 */
	private async readRecords(listed: readonly Job[], offset: number | undefined, options: CallOptions): Promise<Job[]> {
		const endedCount = listed.filter(({ status }) => isTerminal(status)).length;
		const unfinished = endedCount < listed.length ? await this.readUnfinished(options) : [];
		const ended = offset === undefined || endedCount === 0 ? [] : await this.readNewestEnded(offset + endedCount, options);
		const records = new Map([...unfinished, ...ended].map((job) => [job.job_id, job]));
		const slots = new Slots(MOST_CONCURRENT_READS);
		const read = async ({ job_id: jobId }: Job): Promise<Job | undefined> =>
			records.get(jobId) ?? (await slots.run(async () => await this.readEnded(jobId, options), options.signal));
		return (await Promise.all(listed.map(read))).filter((job) => job !== undefined);
	}

	/**
	 * The history is always read from its newest entry, with whole graphs, so each page reads as much as all pages before
	 * it.
	 */
	private async readHistoryPage(limit: number, offset: number, since: ListOptions['wantedSince'], options: CallOptions): Promise<JobPage> {
		const unfinished = await this.readUnfinished(options);
		for (let end = pageEnd(limit, offset); ; end *= 2) {
			const ended = await this.readNewestEnded(end, options);
			// A job that finishes between the two reads is in both.
			const endedIds = new Set(ended.map(({ job_id }) => job_id));
			const all = sortNewestFirst([...unfinished.filter(({ job_id }) => !endedIds.has(job_id)), ...ended]);
			const jobs = all.slice(offset, end);
			const hasMoreEnded = ended.length >= end;
			if (hasMoreEnded && since !== undefined && mayLackNewer(jobs, ended, since())) continue;
			return { jobs, ...((hasMoreEnded || all.length > end) && { nextCursor: `${HISTORY_CURSOR}${end}` }) };
		}
	}

	private async readUnfinished(options: CallOptions): Promise<Job[]> {
		const { running, pending } = await this.reader.queue(options);
		const toJob = (entry: QueueEntry, part: 'running' | 'pending'): Job => ({
			...toQueuedJob(entry, part),
			first_output_node: toOutputNode(entry.output_node_ids[0], entry.workflow),
		});
		return [...pending.map((entry) => toJob(entry, 'pending')).reverse(), ...running.map((entry) => toJob(entry, 'running'))];
	}

	/** Returns the finished jobs, the one that finished last first. */
	private async readNewestEnded(count: number, options: CallOptions): Promise<Job[]> {
		const entries = await this.api.read(this.api.url(`/history?max_items=${count}`), decodeHistory, options);
		return entries.reverse().map(([jobId, entry]) => this.toEndedJob(jobId, entry));
	}

	/** @returns undefined if the history does not have the job. */
	private async readEnded(jobId: string, options: CallOptions): Promise<Job | undefined> {
		const entry = isPathSegment(jobId) ? await this.reader.historyEntry(jobId, options) : undefined;
		return entry === undefined ? undefined : this.toEndedJob(jobId, entry);
	}

	private toEndedJob(jobId: string, entry: unknown): Job {
		const job = decodeHistoryEntry(jobId, entry, this.decodeOutputs);
		return { ...job, first_output_node: toOutputNode(job.outputs[0]?.node_id, graphIn(promptIn(entry))) };
	}
}

/** The statuses of ComfyUI's list. */
const LISTED_STATUSES: readonly string[] = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'];

/** A page of whole records is as large as all pages before it: the history can only be read from its newest entry. */
const pageEnd = (limit: number, offset: number): number => Math.max(limit, 2 * offset);

const isOlder = (job: Job, since: number): boolean => (createdOrStartedAt(job) ?? Infinity) < since;

/** Ends a page of a list that is sorted by time at the first older job, which shows that the list goes back far enough. */
function endAtOlder(page: JobPage, since: ListOptions['wantedSince']): { page: JobPage; older: Job[] } {
	const moment = since?.() ?? -Infinity;
	const end = page.jobs.findIndex((job) => isOlder(job, moment));
	return end === -1 ? { page, older: [] } : { page: { jobs: page.jobs.slice(0, end) }, older: page.jobs.slice(end, end + 1) };
}

/**
 * Whether an older job comes in the list before newer ones that were not read. The history is in the order in which jobs ended,
 * and a job can pass others in the queue. But a job that ended before a time was also made before it.
 */
const mayLackNewer = (jobs: readonly Job[], ended: readonly Job[], since: number): boolean =>
	jobs.some((job) => isOlder(job, since)) && !ended.some(({ completed_at }) => (timeOf(completed_at) ?? Infinity) < since);

/**
 * Prompts can be moved to the front of the queue, so jobs are sorted by time. If the engine reports no times, its own
 * order stays.
 */
const sortNewestFirst = (jobs: Job[]): Job[] =>
	jobs.every((job) => createdAt(job) !== undefined) ? jobs.sort((one, other) => (createdAt(other) ?? 0) - (createdAt(one) ?? 0)) : jobs;

const decodeListEntry: EntryDecoder = (entry: Unchecked<Engine['JobSummary']>, jobId, serviceStatus) => {
	const status = jobStatusOf(serviceStatus);
	const failure = entry.execution_error;
	return {
		...without(entry, 'id', 'status', 'execution_error'),
		...minimalJob(jobId, 'engine', status, serviceStatus),
		created_at: timestampOf(entry.create_time),
		started_at: timestampOf(entry.execution_start_time),
		completed_at: isTerminal(status) ? timestampOf(entry.execution_end_time) : null,
		job_error: isRecord(failure) && status === 'failed' ? decodeExecutionError(failure) : unexplainedError(status),
	};
};
