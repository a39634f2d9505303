import { decodeJobWorkflow, jobStatusOf, minimalJob, QUEUE_STATUSES } from '../comfyui/jobRecords';
import { timestampOf } from '../comfyui/timestamps';
import type { OutputDecoder } from '../comfyui/outputs';
import { decodeQueue } from '../comfyui/queueControl';
import { isMissingRoute } from '../comfyui/rejections';
import { isRecord, requireRecord, requireText, type Told, without } from '../decode';
import { ApiError, UnreadableAnswerError } from '../errors';
import type { Engine } from '../generated/engine';
import type { Job, JobWorkflow } from '../job';
import { madeByIn } from '../madeBy';
import { isPathSegment, pathSegment } from '../pathSegment';
import type { CallOptions, EngineRecords, JobQueue, QueueEntry } from '../ports';
import { untilStopped } from '../transport/abort';
import { outcomeOf } from '../transport/outcome';
import type { NumberOptions } from '../transport/parseJson';
import { isTransient } from '../transport/retry';
import type { EngineApi } from './api';
import { readGivenIds } from './givenIds';
import { decodeHistory, decodeHistoryEntry, historyEntryOf } from './history';
import { graphOf, promptOf } from './promptEntry';
import { SharedRead } from './sharedRead';
import { engineVersion, keepsIds } from './system';

/**
 * Reads what an engine knows: jobs that have ended from its history, the others from its queue. A job goes from the queue
 * to the history at once, so that who looks in this order misses none.
 */
export class EngineReader implements EngineRecords {
	/** Whether prompts surely get the id that was asked for: an engine has shown it, or its version says so. Undefined until either was asked. */
	keepsIds?: boolean;
	/** Newer engines have routes for single jobs; undefined until one was asked for. */
	private hasJobRoutes?: boolean;
	/** It holds all waiting graphs, so that many items read it together. */
	private readonly sharedQueue: SharedRead<JobQueue>;
	private readonly closing = new AbortController();

	constructor(
		private readonly api: EngineApi,
		private readonly decodeOutputs: OutputDecoder,
	) {
		this.sharedQueue = new SharedRead(async () => await api.read(api.url('/queue'), decodeQueue, { signal: this.closing.signal }));
	}

	/** Whether it is worth asking by the routes for single jobs. */
	get mayHaveJobRoutes(): boolean {
		return this.hasJobRoutes !== false;
	}

	async queue({ signal }: CallOptions = {}): Promise<JobQueue> {
		return await untilStopped(this.sharedQueue.get(), signal);
	}

	/** The newest jobs that have ended. */
	async history(maxItems: number, options: CallOptions = {}): Promise<Job[]> {
		return await this.api.read(this.api.url(`/history?max_items=${maxItems}`), (json) => decodeHistory(json, this.decodeOutputs), options);
	}

	/** Undefined while a job has not ended, and when nobody knows it. */
	async ended(jobId: string, options: CallOptions = {}): Promise<Job | undefined> {
		const entry = await this.historyEntry(jobId, options);
		return entry === undefined ? undefined : decodeHistoryEntry(jobId, entry, this.decodeOutputs);
	}

	/** @returns undefined when the engine does not know the job. */
	async find(jobId: string, options: CallOptions = {}): Promise<Job | undefined> {
		if (!isPathSegment(jobId)) return undefined;
		const asked = this.mayHaveJobRoutes ? await this.askForJob(jobId, options) : undefined;
		return asked ?? (await this.waiting(jobId, options)) ?? (await this.ended(jobId, options));
	}

	/**
	 * The job of a submission that asked for this id, whichever it was given. Engines that give ids of their own are looked
	 * through as far as to `since` (epoch milliseconds). @returns undefined where there is none.
	 */
	async findSubmitted(promptId: string, since: number | undefined, options: CallOptions = {}): Promise<Job | undefined> {
		const found = await this.find(promptId, options);
		if (found !== undefined || this.hasJobRoutes === true) return found;
		if (await this.surelyKeepsIds(options)) return undefined;
		const { ids } = await readGivenIds(this.api, { since, wanted: promptId }, options);
		const ownId = ids.get(promptId);
		return ownId === undefined ? undefined : await this.find(ownId, options);
	}

	async surelyKeepsIds(options: CallOptions): Promise<boolean> {
		return (this.keepsIds ??= keepsIds(await this.version(options)));
	}

	/** @returns undefined when the engine does not know the job. */
	async workflow(jobId: string, options: CallOptions = {}): Promise<JobWorkflow | undefined> {
		return decodeJobWorkflow(withoutMarks((await this.graphOfWaiting(jobId, options)) ?? (await this.graphOfEnded(jobId, options))));
	}

	/** Ends what many share, which no single caller's signal can. */
	close(): void {
		this.closing.abort();
	}

	/** Null where the engine, or a reverse proxy in front of it, does not tell. */
	private async version(options: CallOptions): Promise<string | null> {
		const asked = await outcomeOf(this.api.repeat(async () => await engineVersion(this.api, options), options));
		if (asked.ok) return asked.value;
		if (isRefused(asked.error)) return null;
		throw asked.error;
	}

	/** A job that waits or runs: whoever asks at the same time shares one read. */
	async waiting(jobId: string, options: CallOptions): Promise<Job | undefined> {
		const { running, pending } = await this.queue(options);
		const entry = find(running, jobId);
		if (entry !== undefined) return queuedJob(entry, 'running');
		const position = pending.findIndex(({ job_id }) => job_id === jobId);
		const waiting = pending[position];
		return waiting && { ...queuedJob(waiting, 'pending'), queue_position: position + 1 };
	}

	private async historyEntry(jobId: string, options: CallOptions & NumberOptions): Promise<unknown> {
		const url = this.api.url(`/history/${pathSegment(jobId, 'engine')}`);
		const entryIn = (json: unknown): unknown => {
			const entries = requireRecord(json, 'history');
			return Object.hasOwn(entries, jobId) ? entries[jobId] : undefined;
		};
		return await this.api.read(url, entryIn, options);
	}

	private async graphOfEnded(jobId: string, options: CallOptions): Promise<unknown> {
		return graphOf(promptOf(await this.historyEntry(jobId, { ...options, exactNumbers: true })));
	}

	private async graphOfWaiting(jobId: string, options: CallOptions): Promise<unknown> {
		const { running, pending } = await this.api.read(this.api.url('/queue'), decodeQueue, { ...options, exactNumbers: true });
		return find([...running, ...pending], jobId)?.workflow;
	}

	/** One small request in place of two, where the route is there. Undefined proves nothing: a proxy may have answered. */
	private async askForJob(jobId: string, options: CallOptions): Promise<Job | undefined> {
		const url = this.api.url(`/jobs/${pathSegment(jobId, 'engine')}`);
		const asked = await outcomeOf(this.api.read(url, decodeJobRecord, options));
		if (!asked.ok && !isNoSuchRoute(asked.error)) throw asked.error;
		this.hasJobRoutes = asked.ok || asked.error instanceof ApiError;
		if (!asked.ok) return undefined;
		const { job, word } = asked.value;
		if (isRecord(job.execution_status)) return decodeHistoryEntry(jobId, historyEntryOf(job), this.decodeOutputs);
		const { extra_data: extraData }: Told<Engine['JobWorkflow']> = isRecord(job.workflow) ? job.workflow : {};
		return { ...minimalJob(jobId, 'engine', jobStatusOf(word), word), created_at: timestampOf(job.create_time), ...madeByIn(extraData) };
	}
}

function decodeJobRecord(value: unknown): { job: Told<Engine['Job']>; word: string } {
	const job = requireRecord<Engine['Job']>(value, 'job');
	return { job, word: requireText(job.status, 'status') };
}

export const queuedJob = ({ job_id: jobId, created_at, made_by }: QueueEntry, place: keyof typeof QUEUE_STATUSES): Job => ({
	...minimalJob(jobId, 'engine', QUEUE_STATUSES[place].status, QUEUE_STATUSES[place].service_status),
	created_at,
	...(made_by && { made_by }),
});

const isRefused = (error: unknown): boolean => (error instanceof ApiError || error instanceof UnreadableAnswerError) && !isTransient(error);

/** A web page or another product's JSON, too: if nobody is logged in, the other reads tell. */
export const isNoSuchRoute = (error: unknown): boolean =>
	isMissingRoute(error) || (error instanceof UnreadableAnswerError && !isTransient(error));

const find = (entries: readonly QueueEntry[], jobId: string): QueueEntry | undefined => entries.find(({ job_id }) => job_id === jobId);

/** The graph as it was sent: an engine notes in its nodes whether they had changed, and would believe that when it is sent again. */
const withoutMarks = (graph: unknown): unknown =>
	isRecord(graph)
		? Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, isRecord(node) ? without(node, 'is_changed') : node]))
		: graph;
