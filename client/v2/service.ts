import { SubmissionQueue } from '../concurrency/submissionQueue';
import { ConnectionError, isNotFound, notImplemented, UnreadableAnswerError } from '../errors/errors';
import { pathSegment } from '../text/identifiers';
import { isTerminal, type Job, type JobEvent, type JobWorkflow, toJobId } from '../ports/job';
import type { JobLister } from '../list/listJobs';
import { madeByNotKept, WORKFLOW_LABEL } from '../ports/madeBy';
import { logDecision } from '../log/observer';
import type { CallOptions, JobPage, JobService, ListOptions, StreamOptions, NewJob, SubmitOptions } from '../ports/jobService';
import { JobRecovery } from '../recovery/jobRecovery';
import { outcomeOf } from '../async/outcome';
import { LATE_READS } from '../contact/policy';
import type { ServerContact } from '../contact/serverContact';
import type { V2Api } from './api';
import { decodeJob, decodeWorkflow, pageDecoder } from './decode';
import { readJobEvents, withEndCheck } from './events';
import type { JobLabels } from './labels';
import { submitJob } from './submit';

/** The API proxy rejects larger pages. */
const MAX_PAGE_SIZE = 100;

/** Jobs over the v2 interface: the hosted service, deployments and the API proxy. */
export class V2JobService implements JobService {
	readonly capabilities = { canResubmit: true, hasCheapList: true };

	private readonly queue: SubmissionQueue;
	private readonly recovery: JobRecovery;
	private openStreams = 0;

	/** @param lister lists the account's jobs if this service has no list. An unconfirmed submission is searched there. */
	constructor(
		private readonly api: V2Api,
		readonly identity: string,
		private readonly labels: JobLabels,
		lister?: JobLister,
	) {
		this.queue = new SubmissionQueue(api.http.closed);
		this.recovery = new JobRecovery(this, api, lister);
	}

	get closed(): AbortSignal {
		return this.api.http.closed;
	}

	contactOf(): ServerContact | undefined {
		return this.api.http.contact;
	}

	async submit(newJob: NewJob, options: SubmitOptions = {}): Promise<Job> {
		return await submitJob({ api: this.api, recovery: this.recovery, queue: this.queue, labels: this.labels }, newJob, options);
	}

	async get(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const answer = await this.read(job, options);
		if (answer.status !== 'expired') return answer;
		const [inMs] = LATE_READS.expired;
		logDecision({ kind: 'read_repeated', jobId: answer.job_id, status: answer.status, inMs });
		await this.api.pause(inMs, options.signal);
		return await this.read(job, options);
	}

	async workflow(job: Job | string, options: CallOptions = {}): Promise<JobWorkflow> {
		const jobId = toJobId(job);
		const outcome = await outcomeOf(this.api.read(this.url(jobId, '/workflow'), decodeWorkflow, { ...options, exactNumbers: true }));
		if (outcome.ok) return outcome.value;
		if (!lacksRoute(outcome.error)) throw outcome.error;
		// A server of this interface can read the job. Any other server's failure says what it is.
		await this.get(jobId, options);
		throw notImplemented('v2', 'This server does not return workflows', outcome.error);
	}

	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const { job_id, urls } = typeof job === 'string' ? await this.get(job, options) : job;
		const url = urls.cancel === null ? this.url(job_id, '/cancel') : this.api.link(urls.cancel);
		return this.freeSlotIfEnded(
			await this.api.repeat(() => this.api.call({ method: 'POST', url, signal: options.signal }, decodeJob), options),
		);
	}

	async *events(job: Job, options: StreamOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
		const url = job.urls.events === null ? this.url(job.job_id, '/events') : this.api.link(job.urls.events);
		const events = withEndCheck({
			...options,
			open: (signal) => readJobEvents(this.api, url, { ...options, signal }),
			readJob: async (signal) => await this.get(job, { signal }),
			openStreams: () => this.openStreams,
		});
		this.openStreams += 1;
		try {
			for await (const event of events) {
				const hasEnded = event.kind === 'status' && isTerminal(event.status);
				if (hasEnded) this.queue.markEnded(job.job_id);
				yield event;
				if (hasEnded) return;
			}
		} finally {
			this.openStreams -= 1;
		}
		throw new ConnectionError({
			trouble: 'lost',
			origin: url.origin,
			mayHaveArrived: true,
			message: 'The event stream ended before the job',
		});
	}

	async list({ limit = MAX_PAGE_SIZE, cursor, statuses, madeInWorkflow, signal }: ListOptions = {}): Promise<JobPage> {
		if (madeInWorkflow !== undefined && !this.labels.areStored) throw madeByNotKept('v2');
		const url = this.api.url('/jobs');
		const pageSize = Math.min(limit, MAX_PAGE_SIZE);
		url.searchParams.set('limit', String(pageSize));
		if (cursor !== undefined) url.searchParams.set('cursor', cursor);
		if (madeInWorkflow !== undefined && this.labels.canFilter) url.searchParams.set(`metadata[${WORKFLOW_LABEL}]`, madeInWorkflow);
		if (statuses !== undefined) url.searchParams.set('status', statuses.join(','));
		try {
			const page = await this.api.read(url, pageDecoder(pageSize), { signal });
			page.jobs.forEach((job) => this.freeSlotIfEnded(job));
			return page;
		} catch (error) {
			throw lacksRoute(error) ? notImplemented('v2', 'This service does not list jobs', error) : error;
		}
	}

	private async read(job: Job | string, options: CallOptions): Promise<Job> {
		const jobId = toJobId(job);
		const url = (typeof job === 'string' ? undefined : this.selfLink(job)) ?? this.url(jobId);
		const read = await outcomeOf(this.api.read(url, decodeJob, options));
		if (read.ok) return this.freeSlotIfEnded(read.value);
		if (isNotFound(read.error)) this.queue.markEnded(jobId);
		throw read.error;
	}

	/**
	 * The job's own link, if it is below the base address. Other links are not followed: a wait depends on this read, and a
	 * proxy behind another server writes an address that may not be reachable.
	 */
	private selfLink({ urls: { self } }: Job): URL | undefined {
		const { origin, prefix } = this.api.address;
		return self?.startsWith(`${origin}${prefix}/`) ? this.api.link(self) : undefined;
	}

	/** A finished job frees a slot for another submission. */
	private freeSlotIfEnded(job: Job): Job {
		if (isTerminal(job.status)) this.queue.markEnded(job.job_id);
		return job;
	}

	private url(jobId: string, rest = ''): URL {
		return this.api.url(`/jobs/${pathSegment(jobId, 'v2')}${rest}`);
	}
}

/** Whether the server does not have this route: older servers answer 404 or 405 without the error envelope. */
const lacksRoute = (error: unknown): error is UnreadableAnswerError =>
	error instanceof UnreadableAnswerError && error.facts.reason !== 'html' && [404, 405].includes(error.status);
