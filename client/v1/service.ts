import { clock } from '../async/clock';
import { followJob, type StatusEvent } from '../comfyui/followJob';
import { decodeJobWorkflow, jobPageDecoder, jobStatusOf } from '../comfyui/jobRecords';
import type { OutputDecoder } from '../comfyui/outputs';
import { QueueControl } from '../comfyui/queueControl';
import { isMissingRoute, toRejectionError } from '../comfyui/rejections';
import type { SocketFeed } from '../comfyui/socketFeed';
import { ApiError, notImplemented } from '../errors/errors';
import { type Job, type JobEvent, type JobWorkflow, toJobId } from '../ports/job';
import { madeByNotKept } from '../ports/madeBy';
import type { CallOptions, JobPage, JobService, ListOptions, StreamOptions, NewJob, SubmitOptions } from '../ports/jobService';
import { claimedJobs } from '../recovery/claimedJobs';
import { JobRecovery } from '../recovery/jobRecovery';
import { ownerOf } from '../recovery/searchRequest';
import { STOP_LIMIT_MS } from '../async/grace';
import { outcomeOf } from '../async/outcome';
import type { ServerContact } from '../contact/serverContact';
import type { V1Api } from './api';
import { entryDecoder, toV1Job } from './decode';
import { V1Reader } from './reader';
import { sendPrompt } from './submit';

/** Jobs over the v1 interface. */
export class V1JobService implements JobService {
	readonly capabilities = { canResubmit: false, hasCheapList: true };
	private readonly control: QueueControl;
	private readonly reader: V1Reader;
	private readonly recovery: JobRecovery;

	constructor(
		private readonly api: V1Api,
		readonly identity: string,
		private readonly feed: SocketFeed,
		private readonly decodeOutputs: OutputDecoder,
	) {
		this.control = new QueueControl(api);
		this.recovery = new JobRecovery(this, api);
		this.reader = new V1Reader(api, feed, decodeOutputs);
	}

	get closed(): AbortSignal {
		return this.api.http.closed;
	}

	contactOf(): ServerContact | undefined {
		return this.api.http.contact;
	}

	async submit(newJob: NewJob, options: SubmitOptions = {}): Promise<Job> {
		// v1 sends no key, so errors must not name one.
		const found = await this.recovery.recoverBeforeSending(newJob, {
			...options,
			submissionId: options.submissionId ?? options.idempotencyKey,
			idempotencyKey: undefined,
		});
		if (found !== undefined) {
			this.feed.setTotal(found.job_id, Object.keys(newJob.graph).length);
			return found;
		}
		const { session } = this.feed;
		const sent = await sendPrompt(this.api, newJob, options);
		if ('rejection' in sent) {
			if (sent.jobId !== undefined)
				await outcomeOf(this.control.deleteFromQueue([sent.jobId], { signal: clock.signalAfter(STOP_LIMIT_MS) }));
			throw toRejectionError('v1', sent);
		}
		claimedJobs.claim(sent.jobId, ownerOf(options));
		this.feed.expectJob(sent.jobId, session);
		this.feed.setTotal(sent.jobId, Object.keys(newJob.graph).length);
		return toV1Job({ jobId: sent.jobId, serviceStatus: sent.serviceStatus, state: sent.otherFields }, this.decodeOutputs);
	}

	async get(job: Job | string, options: CallOptions = {}): Promise<Job> {
		return await this.reader.job(toJobId(job), options);
	}

	async workflow(job: Job | string, options: CallOptions = {}): Promise<JobWorkflow> {
		const jobId = toJobId(job);
		const record = await this.reader.record(jobId, { ...options, exactNumbers: true });
		const workflow = decodeJobWorkflow(record?.workflow);
		if (workflow !== undefined) return workflow;
		// If the job is unknown, this read says so.
		if (record === undefined) await this.reader.status(jobId, options);
		throw notImplemented('v1', 'This service does not return the workflow of this job');
	}

	/** Removes the job from the queue. v1 may not stop a running job, so read it again. @see cancelAndConfirm */
	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		await this.control.deleteFromQueue([jobId], options);
		return await this.get(jobId, options);
	}

	events(job: Job, options: StreamOptions = {}): AsyncIterable<JobEvent> {
		return followJob(this.feed, job, { ...options, readStatus: async (within) => await this.statusEvent(job.job_id, within) });
	}

	async list({ limit, cursor, madeInWorkflow, signal }: ListOptions = {}): Promise<JobPage> {
		if (madeInWorkflow !== undefined) throw madeByNotKept('v1');
		const url = this.api.url('/jobs');
		const offset = Number(cursor ?? 0);
		if (limit !== undefined) url.searchParams.set('limit', String(limit));
		url.searchParams.set('offset', String(offset));
		const page = await outcomeOf(this.api.read(url, jobPageDecoder(entryDecoder(this.decodeOutputs), offset), { signal }));
		if (page.ok) return page.value;
		// A web page comes from a gateway and says nothing about the service behind it.
		if (!(page.error instanceof ApiError && isMissingRoute(page.error))) throw page.error;
		throw notImplemented('v1', 'This service does not list jobs', page.error);
	}

	private async statusEvent(jobId: string, options: CallOptions): Promise<StatusEvent> {
		const { serviceStatus } = await this.reader.statusForEvents(jobId, options);
		return { kind: 'status', status: jobStatusOf(serviceStatus), service_status: serviceStatus, queue_position: null };
	}
}
