import type { Job, JobEvent, JobWorkflow } from '../job';
import type { OutputDecoder } from '../progress/gathered';
import type { CallOptions, JobPage, JobService, ListOptions, StreamOptions, Submission, SubmitOptions } from '../services';
import { outcomeOf } from '../transport/outcome';
import { V1Account } from './account';
import type { V1Api } from './api';
import { entryDecoder, jobOf, pageDecoder } from './decode';
import { followJob, type StatusEvent } from './events';
import type { JobNews } from './news';
import { JobReader } from './readJob';
import { statusOf } from './statuses';
import { refusedAnswer, submitPrompt } from './submit';
import { isUnavailable, notImplemented } from './unavailable';
import { workflowOf } from './workflow';

/** A refused prompt that has an id all the same is taken out of the queue, if that can be done soon. */
const WITHDRAW_WITHIN_MS = 5_000;

/** Jobs over the v1 interface. */
export class V1JobService implements JobService {
	readonly capabilities = { safeResubmit: false, lateOutputs: true, confirmedCancel: false, cheapList: true };
	private readonly account: V1Account;
	private readonly reader: JobReader;

	constructor(
		private readonly api: V1Api,
		readonly identity: string,
		private readonly news: JobNews,
		private readonly decodeOutputs: OutputDecoder,
	) {
		this.account = new V1Account(api);
		this.reader = new JobReader(api, news, decodeOutputs);
	}

	async submit(submission: Submission, options: SubmitOptions = {}): Promise<Job> {
		const { session } = this.news;
		const sent = await submitPrompt(this.api, submission, options);
		if ('refused' in sent) {
			if (sent.jobId !== undefined) await outcomeOf(this.account.deleteFromQueue([sent.jobId], { signal: AbortSignal.timeout(WITHDRAW_WITHIN_MS) }));
			throw refusedAnswer(sent);
		}
		this.news.expect(sent.jobId, session);
		this.news.setTotal(sent.jobId, Object.keys(submission.graph).length);
		return jobOf({ jobId: sent.jobId, word: sent.word, state: sent.rest }, this.decodeOutputs);
	}

	async get(jobId: string, options: CallOptions = {}): Promise<Job> {
		return await this.reader.job(jobId, options);
	}

	async workflow(jobId: string, options: CallOptions = {}): Promise<JobWorkflow> {
		const record = await this.reader.record(jobId, { ...options, exactNumbers: true });
		const workflow = workflowOf(record?.workflow);
		if (workflow !== undefined) return workflow;
		// A job that is unknown says so itself.
		if (record === undefined) await this.reader.status(jobId, options);
		throw notImplemented('This service does not hand out the workflow of this job');
	}

	/** Whether a running job stops as well is not promised: read it again. @see cancelAndConfirm */
	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = typeof job === 'string' ? job : job.job_id;
		await this.account.deleteFromQueue([jobId], options);
		return await this.get(jobId, options);
	}

	events(job: Job, options: StreamOptions = {}): AsyncIterable<JobEvent> {
		return followJob(this.news, job, async (within) => await this.statusEvent(job.job_id, within), options);
	}

	async list({ limit, cursor, signal }: ListOptions = {}): Promise<JobPage> {
		const url = this.api.url('/jobs');
		const offset = Number(cursor ?? 0);
		if (limit !== undefined) url.searchParams.set('limit', String(limit));
		url.searchParams.set('offset', String(offset));
		const page = await outcomeOf(this.api.read(url, pageDecoder(entryDecoder(this.decodeOutputs), offset), { signal }));
		if (page.ok) return page.value;
		throw isUnavailable(page.error) ? notImplemented('This service does not list jobs', page.error) : page.error;
	}

	private async statusEvent(jobId: string, options: CallOptions): Promise<StatusEvent> {
		const { word } = await this.reader.news(jobId, options);
		return { kind: 'status', status: statusOf(word), service_status: word, queue_position: null };
	}
}
