import { untilStopped } from '../async/stoppableWait';
import { decodeJobWorkflow, jobStatusOf, minimalJob, QUEUE_STATUSES } from '../comfyui/jobRecords';
import type { OutputDecoder } from '../comfyui/outputs';
import { decodeQueue } from '../comfyui/queueControl';
import { timestampOf } from '../comfyui/timestamps';
import { isRecord, numberOr, recordOf, requireRecord, requireText, type Unchecked, without } from '../json/decode';
import { ApiError, ShapeError, UnreadableAnswerError } from '../errors/errors';
import type { Engine } from '../generated/engine';
import { isPathSegment, pathSegment } from '../text/identifiers';
import { isTerminal, type Job, type JobWorkflow, toJobId } from '../ports/job';
import { readMadeBy } from '../ports/madeBy';
import type { CallOptions, JobQueue, QueueEntry } from '../ports/jobService';
import type { EngineRecords, RecentJob } from '../ports/server';
import { SharedRead } from '../cache/sharedRead';
import { outcomeOf } from '../async/outcome';
import type { NumberOptions } from '../transport/parseJson';
import { isTransient } from '../contact/failures';
import { type EngineApi, readEngineVersion, usesRequestedIds } from './api';
import { decodeHistory, decodeGraph, decodeHistoryEntry, graphIn, promptIn, toHistoryEntry } from './history';
import type { OptionalRoutes } from './optionalRoutes';
import { readAssignedIds } from './promptIds';

/**
 * Reads an engine's jobs: finished ones from its history, the others from its queue. A finished job moves from the
 * queue to the history at once, so reading in this order misses no job.
 */
export class EngineReader implements EngineRecords {
	/**
	 * Whether prompts certainly get the requested id, by an earlier prompt or by the engine's version. Undefined until
	 * one of them is known.
	 */
	usesRequestedIds?: boolean;
	/** The queue contains all waiting graphs, so concurrent reads share one request. */
	private readonly sharedQueue: SharedRead<JobQueue>;
	/** The same with exact numbers. */
	private readonly sharedGraphs: SharedRead<JobQueue>;

	constructor(
		private readonly api: EngineApi,
		private readonly routes: OptionalRoutes,
		private readonly decodeOutputs: OutputDecoder,
	) {
		this.sharedQueue = new SharedRead(async () => await api.read(api.url('/queue'), decodeQueue));
		this.sharedGraphs = new SharedRead(async () => await api.read(api.url('/queue'), decodeQueue, { exactNumbers: true }));
	}

	async queue({ signal }: CallOptions = {}): Promise<JobQueue> {
		return await untilStopped(this.sharedQueue.get(), signal);
	}

	async queueLength(options: CallOptions = {}): Promise<number> {
		return await this.api.read(this.api.url('/prompt'), decodeQueueLength, options);
	}

	async recent(maxItems: number, options: CallOptions = {}): Promise<RecentJob[]> {
		const entries = await this.api.read(this.api.url(`/history?max_items=${maxItems}`), decodeHistory, options);
		return entries.map(([jobId, entry]) => ({
			job: decodeHistoryEntry(jobId, entry, this.decodeOutputs),
			graph: decodeGraph(promptIn(entry)),
		}));
	}

	/** Returns a finished job; undefined if it has not finished or is unknown. */
	async ended(jobId: string, options: CallOptions = {}): Promise<Job | undefined> {
		const entry = await this.historyEntry(jobId, options);
		return entry === undefined ? undefined : decodeHistoryEntry(jobId, entry, this.decodeOutputs);
	}

	/** @returns undefined when the engine does not know the job. */
	async find(jobId: string, options: CallOptions = {}): Promise<Job | undefined> {
		if (!isPathSegment(jobId)) return undefined;
		return (await this.readJobRecord(jobId, options)) ?? (await this.findInQueue(jobId, options)) ?? (await this.ended(jobId, options));
	}

	/**
	 * Finds the job of a submission that requested this id, even if the engine gave it another id. In that case it
	 * searches back to `since` (epoch milliseconds).
	 * @returns undefined if there is none.
	 */
	async findSubmitted(promptId: string, since: number | undefined, options: CallOptions = {}): Promise<Job | undefined> {
		const found = await this.find(promptId, options);
		if (found !== undefined || this.routes.has('jobs')) return found;
		if (await this.certainlyUsesRequestedIds(options)) return undefined;
		const { ids } = await readAssignedIds(this.api, { since, wantedId: promptId }, options);
		const assignedId = ids.get(promptId);
		return assignedId === undefined ? undefined : await this.find(assignedId, options);
	}

	async certainlyUsesRequestedIds(options: CallOptions): Promise<boolean> {
		return (this.usesRequestedIds ??= usesRequestedIds(await this.readVersion(options)));
	}

	/** @returns undefined when the engine does not know the job. */
	async workflow(job: Job | string, options: CallOptions = {}): Promise<JobWorkflow | undefined> {
		const jobId = toJobId(job);
		const isEnded = typeof job !== 'string' && isTerminal(job.status);
		const graph = (isEnded ? undefined : await this.readQueuedGraph(jobId, options)) ?? (await this.readEndedGraph(jobId, options));
		return decodeJobWorkflow(withoutChangeMarks(graph));
	}

	/** Returns the version; null if the engine, or a reverse proxy in front of it, does not report it. */
	private async readVersion(options: CallOptions): Promise<string | null> {
		const result = await outcomeOf(this.api.repeat(async () => await readEngineVersion(this.api, options), options));
		if (result.ok) return result.value;
		if (isFinalError(result.error)) return null;
		throw result.error;
	}

	/** Returns a queued or running job. Concurrent calls share one read of the queue. */
	async findInQueue(jobId: string, options: CallOptions): Promise<Job | undefined> {
		const { running, pending } = await this.queue(options);
		const entry = findEntry(running, jobId);
		if (entry !== undefined) return toQueuedJob(entry, 'running');
		const position = pending.findIndex(({ job_id }) => job_id === jobId);
		const queued = pending[position];
		return queued && { ...toQueuedJob(queued, 'pending'), queue_position: position + 1 };
	}

	/** Returns the entry of a finished job as it was sent; undefined if there is none. */
	async historyEntry(jobId: string, options: CallOptions & NumberOptions): Promise<unknown> {
		const url = this.api.url(`/history/${pathSegment(jobId, 'engine')}`);
		const entryIn = (json: unknown): unknown => {
			const entries = requireRecord(json, 'history');
			return Object.hasOwn(entries, jobId) ? entries[jobId] : undefined;
		};
		return await this.api.read(url, entryIn, options);
	}

	private async readEndedGraph(jobId: string, options: CallOptions): Promise<unknown> {
		return graphIn(promptIn(await this.historyEntry(jobId, { ...options, exactNumbers: true })));
	}

	private async readQueuedGraph(jobId: string, options: CallOptions): Promise<unknown> {
		const { running, pending } = await untilStopped(this.sharedGraphs.get(), options.signal);
		return findEntry([...running, ...pending], jobId)?.workflow;
	}

	/**
	 * Reads a job with one small request, if the route exists. Undefined proves nothing, because a proxy may have
	 * answered.
	 */
	private async readJobRecord(jobId: string, options: CallOptions): Promise<Job | undefined> {
		const record = await this.routes.call('jobs', { path: `/jobs/${pathSegment(jobId, 'engine')}` }, decodeJobRecord, options);
		if (record === undefined) return undefined;
		const { job, serviceStatus } = record;
		if (isRecord(job.execution_status)) return decodeHistoryEntry(jobId, toHistoryEntry(job), this.decodeOutputs);
		const { extra_data: extraData } = recordOf<Engine['JobWorkflow']>(job.workflow);
		return {
			...minimalJob(jobId, 'engine', jobStatusOf(serviceStatus), serviceStatus),
			created_at: timestampOf(job.create_time),
			...readMadeBy(extraData),
		};
	}
}

function decodeJobRecord(value: unknown): { job: Unchecked<Engine['Job']>; serviceStatus: string } {
	const job = requireRecord<Engine['Job']>(value, 'job');
	return { job, serviceStatus: requireText(job.status, 'status') };
}

function decodeQueueLength(value: unknown): number {
	const { exec_info: info } = requireRecord(value, 'response');
	const length = isRecord(info) ? numberOr(info.queue_remaining, undefined) : undefined;
	if (length === undefined) throw new ShapeError('response has no queue length');
	return length;
}

export const toQueuedJob = ({ job_id: jobId, created_at, made_by }: QueueEntry, part: keyof typeof QUEUE_STATUSES): Job => ({
	...minimalJob(jobId, 'engine', QUEUE_STATUSES[part].status, QUEUE_STATUSES[part].service_status),
	created_at,
	...(made_by && { made_by }),
});

const isFinalError = (error: unknown): boolean =>
	(error instanceof ApiError || error instanceof UnreadableAnswerError) && !isTransient(error);

const findEntry = (entries: readonly QueueEntry[], jobId: string): QueueEntry | undefined => entries.find(({ job_id }) => job_id === jobId);

/**
 * Returns the graph as it was submitted. An engine adds `is_changed` to nodes, and would trust that value in a new
 * submission.
 */
const withoutChangeMarks = (graph: unknown): unknown =>
	isRecord(graph)
		? Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, isRecord(node) ? without(node, 'is_changed') : node]))
		: graph;
