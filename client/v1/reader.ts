import { FINISHED_JOBS } from '../comfyui/followJob';
import { jobStatusOf } from '../comfyui/jobRecords';
import type { OutputDecoder } from '../comfyui/outputs';
import { isMissingRoute } from '../comfyui/rejections';
import type { SocketFeed } from '../comfyui/socketFeed';
import { isRecord, requireRecord, type Unchecked } from '../json/decode';
import type { V1 } from '../generated/v1';
import { pathSegment } from '../text/identifiers';
import { isTerminal, type Job } from '../ports/job';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import { LATE_READS } from '../contact/policy';
import { readUntilFinal } from '../contact/retry';
import type { NumberOptions } from '../transport/parseJson';
import { Cache } from '../cache/cache';
import type { V1Api } from './api';
import { decodeStatus, toV1Job, type V1JobFacts, type V1Status } from './decode';

/** Reads jobs over v1: the status from one route, everything else from another route or from the live frames. */
export class V1Reader {
	private readonly recentlyFinishedJobs = new Cache<string, V1Status>(FINISHED_JOBS);

	constructor(
		private readonly api: V1Api,
		private readonly frames: SocketFeed,
		readonly decodeOutputs: OutputDecoder,
	) {}

	/**
	 * Reads the status with one request.
	 * @throws ApiError `not_found` if the job is unknown or deleted; `forbidden` if it belongs to another account.
	 */
	async status(jobId: string, options: CallOptions): Promise<V1Status> {
		return await this.api.read(this.api.url(`/job/${pathSegment(jobId, 'v1', 'not_found')}/status`), decodeStatus, options);
	}

	/** Reads the status for live events. A final status is kept for the read that follows. */
	async statusForEvents(jobId: string, options: CallOptions): Promise<V1Status> {
		const answer = await this.status(jobId, options);
		if (isTerminal(jobStatusOf(answer.serviceStatus))) this.recentlyFinishedJobs.set(jobId, answer);
		return answer;
	}

	/** Reads a job. It needs one request while the job has not finished, or if the frames contained everything. */
	async job(jobId: string, options: CallOptions): Promise<Job> {
		const { serviceStatus, state } = this.recentlyFinishedJobs.take(jobId) ?? (await this.status(jobId, options));
		const facts: V1JobFacts = { jobId, serviceStatus, state };
		if (!isTerminal(jobStatusOf(serviceStatus))) return this.jobOf(facts);
		const liveFacts = this.frames.jobFromEvents(jobId);
		if (liveFacts?.isComplete) return this.jobOf({ ...facts, liveFacts });
		const details = await this.details(jobId, jobStatusOf(serviceStatus) === 'succeeded', options);
		const job = this.jobOf({ ...facts, details, liveFacts: { job_error: liveFacts?.job_error } });
		const areOutputsMissing = job.status === 'succeeded' && !hasOutputs(details);
		return areOutputsMissing ? { ...job, outputs_unavailable: true } : job;
	}

	/** Reads the record of a job; undefined if the service has none (any more). */
	async record(jobId: string, options: CallOptions & NumberOptions): Promise<Unchecked<V1['Job']> | undefined> {
		const url = this.api.url(`/jobs/${pathSegment(jobId, 'v1', 'not_found')}`);
		const read = await outcomeOf(this.api.read(url, (json) => requireRecord<V1['Job']>(json, 'job'), options));
		if (read.ok) return read.value;
		if (isMissingRoute(read.error)) return undefined;
		throw read.error;
	}

	private async details(jobId: string, wantsOutputs: boolean, options: CallOptions): Promise<Unchecked<V1['Job']> | undefined> {
		const read = async () => await this.record(jobId, options);
		const isFinal = (details: Unchecked<V1['Job']> | undefined): boolean => details === undefined || hasOutputs(details);
		return await readUntilFinal(wantsOutputs ? LATE_READS.outputs : [], read, isFinal, options.signal, this.api.http.closed);
	}

	private jobOf(facts: V1JobFacts): Job {
		return toV1Job(facts, this.decodeOutputs);
	}
}

const hasOutputs = (details: Unchecked<V1['Job']> | undefined): boolean => isRecord(details?.outputs) || details?.outputs_count === 0;
