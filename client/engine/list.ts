import { type EntryDecoder, jobPageDecoder, jobStatusOf, minimalJob } from '../comfyui/jobRecords';
import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { timestampOf } from '../comfyui/timestamps';
import type { OutputDecoder } from '../comfyui/outputs';
import { isRecord, type Told, without } from '../decode';
import type { Engine } from '../generated/engine';
import { isTerminal, type Job } from '../job';
import { outputNodeOf } from '../list/outputNode';
import { madeAt } from '../list/times';
import type { CallOptions, JobPage, ListOptions, QueueEntry } from '../ports';
import { outcomeOf } from '../transport/outcome';
import type { EngineApi } from './api';
import { decodeHistoryEntry, entriesIn, unexplained } from './history';
import { graphOf, promptOf } from './promptEntry';
import { type EngineReader, isNoSuchRoute, queuedJob } from './reader';

const PAGE_SIZE = 100;
/** What a cursor of ours begins with, where an engine has no list of its own. */
const IN_HISTORY = 'history:';

/** Jobs of an engine, newest first: by its own list where it has one, else from its queue and its history. */
export class EngineJobList {
	private hasRoute?: boolean;

	constructor(
		private readonly api: EngineApi,
		private readonly reader: EngineReader,
		private readonly decodeOutputs: OutputDecoder,
	) {}

	/** Its own list tells nothing of where a job comes from. */
	async page({ limit = PAGE_SIZE, cursor = '', withMadeBy = false, signal }: ListOptions): Promise<JobPage> {
		const isOfHistory = withMadeBy || this.hasRoute === false || cursor.startsWith(IN_HISTORY);
		const listed = isOfHistory ? undefined : await this.ownPage(limit, Number(cursor), { signal });
		return listed ?? (await this.pageOfHistory(limit, Number(cursor.replace(IN_HISTORY, '')), { signal }));
	}

	private async ownPage(limit: number, offset: number, options: CallOptions): Promise<JobPage | undefined> {
		const url = this.api.url(`/jobs?limit=${limit}&offset=${offset}`);
		const asked = await outcomeOf(this.api.read(url, jobPageDecoder(decodeListed, offset), options));
		if (!asked.ok && !isNoSuchRoute(asked.error)) throw asked.error;
		this.hasRoute = asked.ok;
		return asked.ok ? asked.value : undefined;
	}

	/** A history is read from its newest entry on, whole graphs and all: so that each further page is as long as all before it. */
	private async pageOfHistory(limit: number, offset: number, options: CallOptions): Promise<JobPage> {
		const end = Math.max(limit, 2 * offset);
		const unfinished = await this.unfinished(options);
		const entries = await this.api.read(this.api.url(`/history?max_items=${end}`), entriesIn, options);
		const ended = entries.reverse().map(([jobId, entry]) => this.endedJob(jobId, entry));
		const jobs = newestFirst([...unfinished, ...ended]);
		const goesOn = jobs.length > end || entries.length >= end;
		return { jobs: jobs.slice(offset, end), ...(goesOn && { nextCursor: `${IN_HISTORY}${end}` }) };
	}

	private async unfinished(options: CallOptions): Promise<Job[]> {
		const { running, pending } = await this.reader.queue(options);
		const jobOf =
			(place: 'running' | 'pending') =>
			(entry: QueueEntry): Job => ({
				...queuedJob(entry, place),
				first_output_node: outputNodeOf(entry.output_node_ids[0], entry.workflow),
			});
		return [...pending.map(jobOf('pending')).reverse(), ...running.map(jobOf('running'))];
	}

	private endedJob(jobId: string, entry: unknown): Job {
		const job = decodeHistoryEntry(jobId, entry, this.decodeOutputs);
		return { ...job, first_output_node: outputNodeOf(job.outputs[0]?.node_id, graphOf(promptOf(entry))) };
	}
}

/** Prompts can be moved to the front. An engine that does not tell when they came is listed in its own order. */
const newestFirst = (jobs: Job[]): Job[] =>
	jobs.every((job) => madeAt(job) !== undefined) ? jobs.sort((one, other) => (madeAt(other) ?? 0) - (madeAt(one) ?? 0)) : jobs;

const decodeListed: EntryDecoder = (entry: Told<Engine['JobSummary']>, jobId, word) => {
	const status = jobStatusOf(word);
	const failure = entry.execution_error;
	return {
		...without(entry, 'id', 'status', 'execution_error'),
		...minimalJob(jobId, 'engine', status, word),
		created_at: timestampOf(entry.create_time),
		started_at: timestampOf(entry.execution_start_time),
		completed_at: isTerminal(status) ? timestampOf(entry.execution_end_time) : null,
		job_error: isRecord(failure) && status === 'failed' ? decodeExecutionError(failure) : unexplained(status),
	};
};
