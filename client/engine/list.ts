import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { type EntryDecoder, jobPageDecoder, jobStatusOf, minimalJob } from '../comfyui/jobRecords';
import type { OutputDecoder } from '../comfyui/outputs';
import { timestampOf } from '../comfyui/timestamps';
import { isRecord, type Unchecked, without } from '../json/decode';
import type { Engine } from '../generated/engine';
import { isTerminal, type Job } from '../ports/job';
import { createdAt, toOutputNode } from '../list/listJobs';
import type { CallOptions, JobPage, ListOptions, QueueEntry } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { EngineApi } from './api';
import { decodeHistory, decodeHistoryEntry, graphIn, promptIn, unexplainedError } from './history';
import { type EngineReader, isUnknownRoute, toQueuedJob } from './reader';

const PAGE_SIZE = 100;
/** The start of our own cursors, for an engine without a job list. */
const HISTORY_CURSOR = 'history:';

/** Lists the jobs of an engine, newest first: from its job list or, if it has none, from its queue and history. */
export class EngineJobList {
	private hasRoute?: boolean;

	constructor(
		private readonly api: EngineApi,
		private readonly reader: EngineReader,
		private readonly decodeOutputs: OutputDecoder,
	) {}

	/** The engine's own list has no `made_by`, so that needs queue and history. */
	async page({ limit = PAGE_SIZE, cursor = '', withMadeBy = false, signal }: ListOptions): Promise<JobPage> {
		const needsHistory = withMadeBy || this.hasRoute === false || cursor.startsWith(HISTORY_CURSOR);
		const page = needsHistory ? undefined : await this.readOwnPage(limit, Number(cursor), { signal });
		return page ?? (await this.readHistoryPage(limit, Number(cursor.replace(HISTORY_CURSOR, '')), { signal }));
	}

	private async readOwnPage(limit: number, offset: number, options: CallOptions): Promise<JobPage | undefined> {
		const url = this.api.url(`/jobs?limit=${limit}&offset=${offset}`);
		const result = await outcomeOf(this.api.read(url, jobPageDecoder(decodeListEntry, offset), options));
		if (!result.ok && !isUnknownRoute(result.error)) throw result.error;
		this.hasRoute = result.ok;
		return result.ok ? result.value : undefined;
	}

	/**
	 * The history is always read from its newest entry, with whole graphs, so each page reads as much as all pages before
	 * it.
	 */
	private async readHistoryPage(limit: number, offset: number, options: CallOptions): Promise<JobPage> {
		const end = Math.max(limit, 2 * offset);
		const unfinished = await this.readUnfinished(options);
		const entries = await this.api.read(this.api.url(`/history?max_items=${end}`), decodeHistory, options);
		const ended = entries.reverse().map(([jobId, entry]) => this.toEndedJob(jobId, entry));
		const jobs = sortNewestFirst([...unfinished, ...ended]);
		const hasMore = jobs.length > end || entries.length >= end;
		return { jobs: jobs.slice(offset, end), ...(hasMore && { nextCursor: `${HISTORY_CURSOR}${end}` }) };
	}

	private async readUnfinished(options: CallOptions): Promise<Job[]> {
		const { running, pending } = await this.reader.queue(options);
		const toJob = (entry: QueueEntry, part: 'running' | 'pending'): Job => ({
			...toQueuedJob(entry, part),
			first_output_node: toOutputNode(entry.output_node_ids[0], entry.workflow),
		});
		return [...pending.map((entry) => toJob(entry, 'pending')).reverse(), ...running.map((entry) => toJob(entry, 'running'))];
	}

	private toEndedJob(jobId: string, entry: unknown): Job {
		const job = decodeHistoryEntry(jobId, entry, this.decodeOutputs);
		return { ...job, first_output_node: toOutputNode(job.outputs[0]?.node_id, graphIn(promptIn(entry))) };
	}
}

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
