import { clock } from '../async/clock';
import { FINISHED_JOBS, followJob, type StatusEvent, toStatusEvent } from '../comfyui/followJob';
import { minimalJob } from '../comfyui/jobRecords';
import type { SocketFeed } from '../comfyui/socketFeed';
import { ApiError } from '../errors/errors';
import { isDerivedId } from '../text/identifiers';
import { FORGOTTEN_BY_ENGINE, isTerminal, type Job, type JobEvent, type JobLog, type JobWorkflow, toJobId } from '../ports/job';
import type { CallOptions, JobPage, ListOptions, StreamOptions, NewJob, SubmitOptions } from '../ports/jobService';
import type { EngineJobs, EarlierJob } from '../ports/server';
import { JobRecovery } from '../recovery/jobRecovery';
import { unansweredSince } from '../requests/submissionSeries';
import { STOP_LIMIT_MS } from '../async/grace';
import type { ServerContact } from '../contact/serverContact';
import { Cache } from '../cache/cache';
import type { EngineApi } from './api';
import { EngineCancels } from './cancels';
import type { ClientId } from './clientId';
import type { EngineControl } from './control';
import type { EarlierPrompts } from './earlierPrompts';
import type { EngineJobList } from './list';
import type { EngineReader } from './reader';
import { toPromptId } from './promptIds';
import { readServerLog } from './serverLog';
import { findEarlierPrompt, submitPrompt } from './submit';

/** The error of a job that the engine has forgotten. Such a job is reported as expired. */
const FORGOTTEN = {
	code: FORGOTTEN_BY_ENGINE,
	message: 'ComfyUI no longer has this job: it was restarted, its history was cleared, or the job was removed from its queue',
	node_id: null,
	class_type: null,
	traceback: null,
};

/** A trigger keeps its connection for months. Older jobs are forgotten. */
const MOST_JOBS = 10_000;

/**
 * From this number of followed jobs on, they share reads of the queue. It contains all waiting graphs, while the read
 * of one job is small.
 */
const SHARED_READS_FROM = 4;

export interface EngineParts {
	api: EngineApi;
	reader: EngineReader;
	list: EngineJobList;
	earlier: EarlierPrompts;
	control: EngineControl;
	feed: SocketFeed;
	/** The id of the feed's socket. An engine sends the events of a job only to the client that submitted it. */
	clientId: ClientId;
}

/** Jobs of a bare ComfyUI. */
export class EngineJobService implements EngineJobs {
	readonly capabilities = { canResubmit: true, hasCheapList: false };
	/** Jobs that the engine has reported. If one is missing later, the engine has forgotten it. */
	private readonly knownJobIds = new Cache<string, true>({ mostEntries: MOST_JOBS });
	private readonly recentlyFinishedJobs = new Cache<string, Job>(FINISHED_JOBS);

	private readonly recovery: JobRecovery;
	private readonly cancels: EngineCancels;

	private followedJobs = 0;

	constructor(
		readonly identity: string,
		private readonly parts: EngineParts,
	) {
		this.recovery = new JobRecovery(this, parts.api);
		this.cancels = new EngineCancels(parts.control, parts.reader);
	}

	get closed(): AbortSignal {
		return this.parts.api.http.closed;
	}

	contactOf(): ServerContact | undefined {
		return this.parts.api.http.contact;
	}

	async submit(newJob: NewJob, options: SubmitOptions = {}): Promise<Job> {
		const withdraw = async (jobId: string) => await this.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
		const { session } = this.parts.feed;
		const job = await submitPrompt({ ...this.parts, recovery: this.recovery, withdraw }, newJob, options);
		this.parts.feed.expectJob(job.job_id, session);
		this.knownJobIds.set(job.job_id, true);
		this.parts.feed.setTotal(job.job_id, Object.keys(newJob.graph).length);
		return job;
	}

	async findEarlier(newJob: NewJob, options: SubmitOptions): Promise<EarlierJob | undefined> {
		const { idempotencyKey, submissionId } = options;
		const parts = { ...this.parts, recovery: this.recovery };
		return await findEarlierPrompt(parts, toPromptId(idempotencyKey ?? submissionId), newJob, options, unansweredSince(options));
	}

	async get(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		return this.recentlyFinishedJobs.take(jobId) ?? (await this.read(jobId, options));
	}

	async workflow(job: Job | string, options: CallOptions = {}): Promise<JobWorkflow> {
		const workflow = await this.parts.reader.workflow(job, options);
		if (workflow === undefined) throw unknownJobError();
		return workflow;
	}

	/** The log of the server: ComfyUI does not separate what its jobs print. */
	async log(_job: Job, options: CallOptions = {}): Promise<JobLog> {
		return await readServerLog(this.parts.api, options);
	}

	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		await this.cancels.cancel(jobId, this.knownJobIds.has(jobId), options);
		return await this.get(jobId, options);
	}

	async *events(job: Job, options: StreamOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
		this.followedJobs += 1;
		try {
			const readStatus = async (within: CallOptions): Promise<StatusEvent> => await this.statusEvent(job.job_id, within);
			yield* followJob(this.parts.feed, job, { ...options, readStatus, readsOnQueueChange: true });
		} finally {
			this.followedJobs -= 1;
		}
	}

	async list(options: ListOptions = {}): Promise<JobPage> {
		return await this.parts.list.page(options);
	}

	private async read(jobId: string, options: CallOptions): Promise<Job> {
		const job = await this.parts.reader.find(jobId, options);
		if (job === undefined) return this.toMissingJob(jobId);
		this.knownJobIds.set(jobId, true);
		return this.cancels.hasCanceled(jobId) && !isTerminal(job.status) ? { ...job, status: 'canceling' } : job;
	}

	private toMissingJob(jobId: string): Job {
		if (this.cancels.hasCanceled(jobId)) return minimalJob(jobId, 'engine', 'canceled', 'deleted');
		// The API proxy and other programs use random ids. A derived id belongs to a job that this package submitted.
		if (!this.knownJobIds.has(jobId) && !isDerivedId(jobId)) throw unknownJobError();
		return { ...minimalJob(jobId, 'engine', 'expired'), job_error: FORGOTTEN };
	}

	private async statusEvent(jobId: string, options: CallOptions): Promise<StatusEvent> {
		const sharesReads = this.followedJobs >= SHARED_READS_FROM && !this.cancels.hasCanceled(jobId);
		const unfinished = sharesReads ? await this.parts.reader.findInQueue(jobId, options) : undefined;
		if (unfinished !== undefined) return toStatusEvent(unfinished);
		const job = await this.read(jobId, options);
		if (isTerminal(job.status)) this.recentlyFinishedJobs.set(jobId, job);
		return toStatusEvent(job);
	}
}

/** The error for a job that is neither known nor submitted by this package. */
export const unknownJobError = (): ApiError =>
	new ApiError({ interface: 'engine', code: 'job_not_found', status: 404, message: FORGOTTEN.message });
