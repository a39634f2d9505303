/**
 * Recovery of unconfirmed submissions.
 *
 * A submission is unconfirmed if it was sent and no answer arrived. A job may exist, so it must not be sent again without a
 * proof. Interfaces without idempotency keys, and services that may have forgotten a key, cannot give that proof. There the
 * job is searched for in the list of jobs, by the graph that was sent:
 *
 * 1. `listJobsSince.ts` lists the jobs since the time of the first try. A lagging clock of the service is allowed for.
 * 2. `compareGraphs.ts` compares the graph of each job with the graphs that may have been sent, and `judgeOwnership.ts` decides. The
 *    oldest job with the same graph is recovered. Of several equal submissions, each one recovers one job.
 * 3. `claimedJobs.ts` gives each job to one submission only.
 * 4. If no job is found, only a complete list proves that there is none. Otherwise the submission stays unconfirmed, which is an
 *    `UnknownOutcomeError`.
 */
import { isTransient } from '../contact/failures';
import { LATE_READS } from '../contact/policy';
import { StoppedError, UnknownOutcomeError } from '../errors/errors';
import type { ApiGraph, Job, JobWorkflow } from '../ports/job';
import { createdAt, type JobLister, readUnlessDeleted } from '../list/listJobs';
import { logDecision } from '../log/observer';
import { Cache } from '../cache/cache';
import type { CallOptions, JobService, NewJob, SubmitOptions } from '../ports/jobService';
import { delay } from '../async/delay';
import { type Outcome, outcomeOf } from '../async/outcome';
import { claimedJobs } from './claimedJobs';
import { compareGraphs, type GraphMatch } from './compareGraphs';
import { judgeOwnership, type Ownership } from './judgeOwnership';
import { FallbackList, listJobsSince, type ListedJobs } from './listJobsSince';
import { CLOCK_SKEW_MS, isInFuture, mayBeForgotten, ROUNDED_BY_MS, type SearchRequest, sentSince, toSearchRequest } from './searchRequest';

const READS_AT_ONCE = 4;
/** One for each run that searches. */
const MOST_LISTINGS = 100;
/** Older ones are read again. */
const MOST_JOBS = 10_000;

export interface RecoveryRequest extends SearchRequest {
	/** The idempotency key is in use, which proves that a job exists. */
	isJobProven: boolean;
}

/** `possible`: jobs that may be the right one, but that nothing proves. */
type Match = { kind: 'recovered'; job: Job } | { kind: 'none'; possible: Job[] };

/** What is known of the clock of a service. */
export interface ServiceClock {
	/** Whether the service has sent its time. Otherwise no list proves that there is no job since a time of our clock. */
	readonly isClockKnown: boolean;
	/** Converts a time of our clock to the service's clock (both in epoch milliseconds). */
	serviceTime(moment: number): number;
}

/** Searches the jobs of one connection. What was read for one item is not read again for the next. */
export class JobRecovery {
	private readonly lister: JobLister;
	private readonly listings = new Cache<number, Promise<ListedJobs>>({ mostEntries: MOST_LISTINGS });
	private readonly reads = new Cache<string, Promise<Job>>({ mostEntries: MOST_JOBS });
	private readonly workflows = new Cache<string, Promise<JobWorkflow | undefined>>({ mostEntries: MOST_JOBS });

	/**
	 * @param accountList lists the jobs of the account if the service itself has no list.
	 */
	constructor(
		private readonly jobs: JobService,
		private readonly service: ServiceClock,
		accountList?: JobLister,
	) {
		this.lister = new FallbackList(jobs, accountList);
	}

	/**
	 * Recovers the job of a submission that may have been made before, if sending could make a second job.
	 * @returns undefined if it is certain that no job exists.
	 * @throws UnknownOutcomeError if that is not certain.
	 */
	async recoverBeforeSending(newJob: NewJob, options: SubmitOptions): Promise<Job | undefined> {
		const since = sentSince(options);
		if (since === undefined) return undefined;
		const request = toSearchRequest(newJob, options, since);
		return options.earlier?.answerLost === true
			? await this.recoverUnconfirmed({ ...request, isJobProven: false })
			: await this.recoverEarlier(request);
	}

	/**
	 * Recovers the job that an earlier process may have made, and claims it.
	 * @returns undefined if it is certain that no job exists.
	 * @throws UnknownOutcomeError if the list does not prove it.
	 */
	async recoverEarlier(request: SearchRequest): Promise<Job | undefined> {
		logDecision({ kind: 'recovery_started', by: 'workflow' });
		const search = await outcomeOf(this.searchEarlier(request));
		if (!search.ok) throw toUnconfirmedError(search, request);
		const { match, listed } = search.value;
		if (match.kind === 'recovered') return match.job;
		const isTimeUsable = this.service.isClockKnown && !isInFuture(request.since);
		const isComplete = !listed.isCutOff && match.possible.length === 0 && isTimeUsable;
		if (!isComplete || (mayBeForgotten(request.since) && !listed.reachesBack)) throw toUnconfirmedError(search, request);
		return undefined;
	}

	/**
	 * Recovers the job of a submission whose answer was lost, and claims it.
	 * @throws UnknownOutcomeError if no job matches.
	 */
	async recoverUnconfirmed(request: RecoveryRequest): Promise<Job> {
		logDecision({ kind: 'recovery_started', by: 'workflow', error: request.cause });
		const search = await outcomeOf(this.searchUnconfirmed(request));
		if (search.ok && search.value !== undefined) return search.value;
		throw toUnconfirmedError(search, request);
	}

	/**
	 * Judges a job that the key of a submission led to.
	 * @throws StoppedError, and failures that another read may not meet.
	 */
	async judge(job: Job, graph: ApiGraph, options: CallOptions): Promise<Ownership> {
		const read = await outcomeOf(this.readWorkflow(job, options));
		if (!read.ok && (read.error instanceof StoppedError || isTransient(read.error))) throw read.error;
		const workflow = read.ok ? read.value : undefined;
		return judgeOwnership(workflow && compareGraphs(graph, workflow.workflow), 'key');
	}

	private async searchEarlier(request: SearchRequest): Promise<{ match: Match; listed: ListedJobs }> {
		const listed = await this.listOnce(request);
		return { match: await this.recoverFirstSame(listed.jobs.filter(isAlive), request), listed };
	}

	/**
	 * Returns the job that this process gave to the submission in an earlier try, with any status. Otherwise returns a
	 * canceled job only if no other job matches, because it may belong to an equal submission.
	 */
	private async searchUnconfirmed(request: RecoveryRequest): Promise<Job | undefined> {
		let canceled: Job[] = [];
		for (const pauseMs of [0, ...LATE_READS.submission]) {
			await delay(pauseMs, request.signal, this.jobs.closed);
			const { jobs } = await (pauseMs === 0 && request.before !== undefined ? this.listOnce(request) : this.list(request));
			const own = await this.recoverFirstSame(
				jobs.filter(({ job_id: id }) => claimedJobs.isOwnedBy(id, request.owner)),
				request,
			);
			if (own.kind === 'recovered') return own.job;
			canceled = jobs.filter((job) => !isAlive(job));
			const match = await this.recoverFirstSame(jobs.filter(isAlive), request);
			if (match.kind === 'recovered') return match.job;
			// A job without a time may be ours, or much older.
			if (match.possible.some((job) => createdAt(job) === undefined)) return undefined;
			if (match.possible.length > 0) return await this.recoverOnlyPossible(match.possible, request);
		}
		const match = await this.recoverFirstSame(canceled, request);
		return match.kind === 'recovered' ? match.job : undefined;
	}

	/** If the key proves that a job exists and only one job is possible, that job is the right one. */
	private async recoverOnlyPossible([only, another]: Job[], request: RecoveryRequest): Promise<Job | undefined> {
		if (only === undefined || another !== undefined || !request.isJobProven) return undefined;
		const job = await this.claim(only, request);
		if (job !== undefined) request.onEvent?.({ type: 'recovered' });
		return job;
	}

	/** Claims a job with the same graph: the one that it has claimed before, otherwise the first free one. */
	private async recoverFirstSame(listed: readonly Job[], request: SearchRequest): Promise<Match> {
		const { graph, owner, laterIds = [], knownJobIds } = request;
		const ownerNow = ({ job_id: id }: Job): unknown => [owner, ...laterIds].find((one) => claimedJobs.isOwnedBy(id, one));
		const mayBeOwn = (job: Job): boolean =>
			knownJobIds?.has(job.job_id) !== true && (ownerNow(job) !== undefined || claimedJobs.isFreeFor(job.job_id, owner));
		const sorted = sortForSearch(listed.filter(mayBeOwn), this.service.serviceTime(request.since));
		const isClaimed = (job: Job): boolean => ownerNow(job) !== undefined;
		const candidates = [...sorted.filter(isClaimed), ...sorted.filter((job) => !isClaimed(job))];
		const possible: Job[] = [];
		for await (const { job, match } of this.compareWithJobs(candidates, graph, request)) {
			const ownership = judgeOwnership(match, createdAt(job) === undefined ? 'untimed' : 'list');
			if (ownership === 'unclear' && mayBeOwn(job)) possible.push(job);
			if (ownership !== 'own') continue;
			const laterId = laterIds.find((id) => claimedJobs.isOwnedBy(job.job_id, id));
			const claimed = await this.claim(job, { ...request, owner: laterId ?? owner });
			if (claimed === undefined) continue;
			request.onEvent?.({ type: 'recovered', laterId });
			return { kind: 'recovered', job: claimed };
		}
		return { kind: 'none', possible };
	}

	/** Yields the jobs in the same order, each with its match. Reads some of them at the same time. */
	private async *compareWithJobs(
		jobs: readonly Job[],
		graph: ApiGraph,
		options: CallOptions,
	): AsyncGenerator<{ job: Job; match: GraphMatch }, void, undefined> {
		for (let start = 0; start < jobs.length; start += READS_AT_ONCE) {
			const batch = jobs.slice(start, start + READS_AT_ONCE);
			yield* await Promise.all(batch.map(async (job) => ({ job, match: await this.compareWithJob(job, graph, options) })));
		}
	}

	private async compareWithJob(job: Job, graph: ApiGraph, { signal }: CallOptions): Promise<GraphMatch> {
		const workflow = await this.readWorkflow(job, { signal });
		return workflow?.format === 'api' ? compareGraphs(graph, workflow.workflow) : 'different';
	}

	/** Claims a job, and reads it. @returns undefined if another submission claimed it first, or if its retention has ended. */
	private async claim({ job_id: jobId }: Job, { owner, signal }: SearchRequest): Promise<Job | undefined> {
		if (!claimedJobs.claim(jobId, owner)) return undefined;
		const job = await readUnlessDeleted(async () => await this.jobs.get(jobId, { signal }), signal);
		if (job !== undefined) logDecision({ kind: 'job_recovered', by: 'workflow', jobId });
		return job;
	}

	/** Lists once for all items of a run, because jobs from before the run do not change. */
	private async listOnce(request: SearchRequest): Promise<ListedJobs> {
		return await this.listings.getOrLoad(request.since, async () => await this.list(request));
	}

	private async list({ since, signal }: SearchRequest): Promise<ListedJobs> {
		const reader = { get: async (jobId: string) => await this.reads.getOrLoad(jobId, async () => await this.jobs.get(jobId, { signal })) };
		return await listJobsSince(this.lister, reader, () => this.service.serviceTime(since) - CLOCK_SKEW_MS, { signal });
	}

	private async readWorkflow(job: Job, options: CallOptions): Promise<JobWorkflow | undefined> {
		const read = async () => await readUnlessDeleted(async () => await this.jobs.workflow(job, options), options.signal);
		return await this.workflows.getOrLoad(job.job_id, read);
	}
}

/** A canceled job has no result. */
const isAlive = ({ status }: Job): boolean => status !== 'canceled' && status !== 'canceling';

const hasNoResult = ({ status }: Job): boolean => status === 'failed' || status === 'expired';

/**
 * Sorts the jobs since then first, oldest first: of several equal submissions each one finds a job, because a submission that
 * began later can only have a later job. Jobs before then follow, newest first, because the service's clock may lag. Jobs without
 * a result come last, because another job may have taken their place.
 */
function sortForSearch(jobs: readonly Job[], since: number): Job[] {
	const at = (job: Job): number => createdAt(job) ?? Infinity;
	const isSince = (job: Job): boolean => at(job) >= since - ROUNDED_BY_MS;
	const sorted = jobs.toSorted((one, other) => at(one) - at(other));
	const inOrder = [...sorted.filter(isSince), ...sorted.filter((job) => !isSince(job)).reverse()];
	return [...inOrder.filter((job) => !hasNoResult(job)), ...inOrder.filter(hasNoResult)];
}

/** Returns the stop itself, or the error of a submission that stays unconfirmed. */
function toUnconfirmedError(search: Outcome<unknown>, { key, cause, before }: SearchRequest): unknown {
	if (!search.ok && search.error instanceof StoppedError) return search.error;
	return new UnknownOutcomeError(key, { cause: search.ok ? cause : search.error, before });
}
