import type { TrackedFeed } from '../comfyui/socketFeed';
import { FINISHED_JOB_TTL_MS } from '../comfyui/followJob';
import { TtlCache } from '../ttlCache';
import type { OutputDecoder } from '../comfyui/outputs';
import { jobStatusOf } from '../comfyui/jobRecords';
import { isMissingRoute } from '../comfyui/rejections';
import { isRecord, requireRecord, type Told } from '../decode';
import type { V1 } from '../generated/v1';
import { isTerminal, type Job } from '../job';
import { pathSegment } from '../pathSegment';
import type { CallOptions } from '../ports';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import type { NumberOptions } from '../transport/parseJson';
import type { V1Api } from './api';
import { decodeStatus, jobOf, type StatusAnswer, type ToldOfJob } from './decode';

/** The status may be known before the outputs are. */
const OUTPUTS_AFTER_MS = [0, 300, 1_000];

/** Reads jobs as v1 tells of them: the status by one route, everything else by another or by the frames. */
export class V1Reader {
	private readonly recentlyFinishedJobs = new TtlCache<string, StatusAnswer>(FINISHED_JOB_TTL_MS);

	constructor(
		private readonly api: V1Api,
		private readonly frames: TrackedFeed,
		readonly decodeOutputs: OutputDecoder,
	) {}

	/** One request. @throws ApiError `not_found` when unknown, or past its retention; `forbidden` when not ours. */
	async status(jobId: string, options: CallOptions): Promise<StatusAnswer> {
		return await this.api.read(this.api.url(`/job/${pathSegment(jobId, 'v1', 'not_found')}/status`), decodeStatus, options);
	}

	/** The same, for news: what it says of the end need not be read again. */
	async news(jobId: string, options: CallOptions): Promise<StatusAnswer> {
		const answer = await this.status(jobId, options);
		if (isTerminal(jobStatusOf(answer.word))) this.recentlyFinishedJobs.set(jobId, answer);
		return answer;
	}

	/** One request while the job has not ended, or when the frames have told all. */
	async job(jobId: string, options: CallOptions): Promise<Job> {
		const { word, state } = this.recentlyFinishedJobs.take(jobId) ?? (await this.status(jobId, options));
		const facts: ToldOfJob = { jobId, word, state };
		if (!isTerminal(jobStatusOf(word))) return this.jobOf(facts);
		const heard = this.frames.jobFromEvents(jobId);
		if (heard?.isComplete) return this.jobOf({ ...facts, heard });
		const details = await this.details(jobId, jobStatusOf(word) === 'succeeded', options);
		const job = this.jobOf({ ...facts, details, heard: { job_error: heard?.job_error } });
		const areMissing = job.status === 'succeeded' && !areOutputsTold(details);
		return areMissing ? { ...job, outputs_unavailable: true } : job;
	}

	/** The job's own record; undefined where the service has none (any more). */
	async record(jobId: string, options: CallOptions & NumberOptions): Promise<Told<V1['Job']> | undefined> {
		const url = this.api.url(`/jobs/${pathSegment(jobId, 'v1', 'not_found')}`);
		const read = await outcomeOf(this.api.read(url, (json) => requireRecord<V1['Job']>(json, 'job'), options));
		if (read.ok) return read.value;
		if (isMissingRoute(read.error)) return undefined;
		throw read.error;
	}

	private async details(jobId: string, wantsOutputs: boolean, options: CallOptions): Promise<Told<V1['Job']> | undefined> {
		let details: Told<V1['Job']> | undefined;
		for (const pauseMs of wantsOutputs ? OUTPUTS_AFTER_MS : [0]) {
			await delay(pauseMs, options.signal);
			details = await this.record(jobId, options);
			if (details === undefined || areOutputsTold(details)) break;
		}
		return details;
	}

	private jobOf(facts: ToldOfJob): Job {
		return jobOf(facts, this.decodeOutputs);
	}
}

const areOutputsTold = (details: Told<V1['Job']> | undefined): boolean => isRecord(details?.outputs) || details?.outputs_count === 0;
