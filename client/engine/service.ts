import { clock } from '../clock';
import { minimalJob } from '../comfyui/jobRecords';
import { FINISHED_JOB_TTL_MS, followJob, type StatusEvent, toStatusEvent } from '../comfyui/followJob';
import type { TrackedFeed } from '../comfyui/socketFeed';
import { TtlCache } from '../ttlCache';
import { isDerivedId } from '../derivedId';
import { ApiError } from '../errors';
import { FORGOTTEN_BY_ENGINE, isTerminal, type Job, type JobEvent, type JobWorkflow, toJobId } from '../job';
import type { CallOptions, JobPage, JobService, ListOptions, StreamOptions, Submission, SubmitOptions } from '../ports';
import { STOP_LIMIT_MS } from '../transport/grace';
import type { ServerContact } from '../transport/serverContact';
import type { EngineApi } from './api';
import type { ClientId } from './clientId';
import type { EngineControl } from './control';
import type { EarlierPrompts } from './earlierPrompts';
import type { EngineJobList } from './list';
import type { EngineReader } from './reader';
import { submitPrompt } from './submit';
import { wokenByQueue } from './wokenByQueue';

/** What an engine forgot is told as expired, for this reason. */
const FORGOTTEN = {
	code: FORGOTTEN_BY_ENGINE,
	message:
		'The engine does not know this job any more: it was restarted, its history was cleared, or somebody took the job out of its queue',
	node_id: null,
	class_type: null,
	traceback: null,
};

/** So many look at the queue together: it holds all waiting graphs, where a job's own read is small. */
const SHARED_FROM = 4;

export interface EngineParts {
	api: EngineApi;
	reader: EngineReader;
	list: EngineJobList;
	earlier: EarlierPrompts;
	control: EngineControl;
	feed: TrackedFeed;
	/** Of the feed's socket: an engine tells of a job only to the client that submitted it. */
	clientId: ClientId;
}

/** Jobs of a bare ComfyUI. */
export class EngineJobService implements JobService {
	readonly capabilities = { safeResubmit: true, cheapList: false };
	/** They were there, so that one that is missing has been forgotten. */
	private readonly seen = new Set<string>();
	/** A waiting job that is taken out of the queue leaves no trace in the engine. */
	private readonly canceled = new Set<string>();
	private readonly recentlyFinishedJobs = new TtlCache<string, Job>(FINISHED_JOB_TTL_MS);

	private following = 0;

	constructor(
		readonly identity: string,
		private readonly parts: EngineParts,
	) {}

	get contact(): ServerContact | undefined {
		return this.parts.api.http.contact;
	}

	async submit(submission: Submission, options: SubmitOptions = {}): Promise<Job> {
		const withdraw = async (jobId: string) => await this.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
		const { session } = this.parts.feed;
		const job = await submitPrompt({ ...this.parts, withdraw }, submission, options);
		this.parts.feed.expectJob(job.job_id, session);
		this.seen.add(job.job_id);
		this.parts.feed.setTotal(job.job_id, Object.keys(submission.graph).length);
		return job;
	}

	async get(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		return this.recentlyFinishedJobs.take(jobId) ?? (await this.read(jobId, options));
	}

	async workflow(jobId: string, options: CallOptions = {}): Promise<JobWorkflow> {
		const workflow = await this.parts.reader.workflow(jobId, options);
		if (workflow === undefined) throw unknownJob();
		return workflow;
	}

	/** A waiting job is taken out of the queue, a running one is interrupted; no other job is touched. */
	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		const { control, reader } = this.parts;
		const wasThere = reader.mayHaveJobRoutes ? await control.cancelByRoute(jobId, options) : undefined;
		if (wasThere === true) this.canceled.add(jobId);
		if (wasThere === undefined) await this.cancelInQueue(jobId, options);
		return await this.get(jobId, options);
	}

	async *events(job: Job, options: StreamOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
		const readStatus = async (within: CallOptions): Promise<StatusEvent> => await this.statusEvent(job.job_id, within);
		this.following += 1;
		try {
			yield* followJob(wokenByQueue(this.parts.feed, job.job_id, readStatus), job, readStatus, options);
		} finally {
			this.following -= 1;
		}
	}

	async list(options: ListOptions = {}): Promise<JobPage> {
		return await this.parts.list.page(options);
	}

	private async read(jobId: string, options: CallOptions): Promise<Job> {
		const job = await this.parts.reader.find(jobId, options);
		if (job === undefined) return this.missing(jobId);
		this.seen.add(jobId);
		return this.canceled.has(jobId) && !isTerminal(job.status) ? { ...job, status: 'canceling' } : job;
	}

	/** Twice, because a job may begin to run between the look and the request. */
	private async cancelInQueue(jobId: string, options: CallOptions): Promise<void> {
		const { reader, control } = this.parts;
		for (let looks = 0; looks < 2; looks++) {
			const { running, pending } = await reader.queue(options);
			const isIn = (entries: typeof running) => entries.some(({ job_id }) => job_id === jobId);
			if (isIn(running)) {
				this.canceled.add(jobId);
				return await control.interruptPrompt(jobId, options);
			}
			if (!isIn(pending)) return;
			this.canceled.add(jobId);
			await control.deleteFromQueue([jobId], options);
		}
	}

	private missing(jobId: string): Job {
		if (this.canceled.has(jobId)) return minimalJob(jobId, 'engine', 'canceled', 'deleted');
		// The proxy and other programs give random ids; derived ones stand for jobs that were submitted.
		if (!this.seen.has(jobId) && !isDerivedId(jobId)) throw unknownJob();
		return { ...minimalJob(jobId, 'engine', 'expired'), job_error: FORGOTTEN };
	}

	private async statusEvent(jobId: string, options: CallOptions): Promise<StatusEvent> {
		const waiting =
			this.following >= SHARED_FROM && !this.canceled.has(jobId) ? await this.parts.reader.waiting(jobId, options) : undefined;
		if (waiting !== undefined) return toStatusEvent(waiting);
		const job = await this.read(jobId, options);
		if (isTerminal(job.status)) this.recentlyFinishedJobs.set(jobId, job);
		return toStatusEvent(job);
	}
}

/** Neither seen nor made by us. */
export const unknownJob = (): ApiError =>
	new ApiError({ interface: 'engine', code: 'job_not_found', status: 404, message: FORGOTTEN.message });
