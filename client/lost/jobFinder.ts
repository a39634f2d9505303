import { clock } from '../clock';
import { StoppedError, UnknownOutcomeError } from '../errors';
import type { ApiGraph, Job, JobWorkflow } from '../job';
import { type JobLister, createdAt, readUnlessDeleted } from '../list/listJobs';
import { logDecision } from '../observer';
import type { CallOptions, JobService } from '../ports';
import { delay } from '../transport/delay';
import { type Outcome, outcomeOf } from '../transport/outcome';
import { AnyList, type Walk, walkSince } from './jobWalk';
import { type Likeness, likenessOf } from './likeness';
import { getOrLoad } from '../sharedRead';
import { takenJobs } from './takenJobs';

/** How far the service's clock may lag behind ours. */
export const CLOCK_SKEW_MS = 60_000;
/** Some lists round times down to seconds. */
const ROUNDED_BY_MS = 1_000;
/** The lost attempt may still be on its way to becoming a job. */
const SEARCHES_AFTER_MS = [0, 500, 1_500];
const READS_AT_ONCE = 4;
/** Services keep keys and jobs for a day; clocks differ. */
const SURELY_KEPT_MS = 23 * 60 * 60 * 1000;

/** A submission that somebody may have made, and its job. */
export interface Sought extends CallOptions {
	graph: ApiGraph;
	/** When it may first have been sent (epoch milliseconds). */
	since: number;
	/** Whose the job will be: no other gets it. */
	owner: unknown;
	/** Jobs that belong to others. */
	knownJobIds?: ReadonlySet<string>;
	/** Other ids that it may have been sent under, after stops that n8n lost. */
	laterIds?: readonly string[];
	/** What was sent under one of `laterIds`, if not the same graph. */
	graphFor?(laterId: string): Promise<ApiGraph>;
	/** Called when its job is found, with the later id that it has. */
	onFound?(laterId?: string): void;
	/** Named when nothing is found. */
	key?: string;
	/** What is to be said when nothing is found of what a process has sent that is gone. */
	before?: UnknownOutcomeError['before'];
	/** Why nobody knows. */
	cause?: unknown;
}

export interface LostSubmission extends Sought {
	/** Its key is in use: it has a job. */
	isProven: boolean;
}

interface Match {
	job: Job;
	likeness: Likeness;
}

/** A canceled job brings no result. */
const isAlive = ({ status }: Job): boolean => status !== 'canceled' && status !== 'canceling';

/** Whether a key of then may be forgotten by now, and the job's record gone. */
export const isPastKeeping = (since: number): boolean => clock.wallNow() - since > SURELY_KEPT_MS;

/** Our clock has been set back since: no list tells what is younger than that. */
export const isYetToCome = (since: number): boolean => since > clock.wallNow() + ROUNDED_BY_MS;

/**
 * Finds the job of a submission by its workflow, among those that the service lists. One for each connection: what has
 * been read for one item is not read for the next.
 */
export class JobFinder {
	private readonly lister: JobLister;
	private readonly walks = new Map<number, Promise<Walk>>();
	private readonly reads = new Map<string, Promise<Job>>();
	private readonly workflows = new Map<string, Promise<JobWorkflow | undefined>>();

	/**
	 * @param ofAccount lists the account's jobs where the service itself does not.
	 * @param serviceTime a moment of our clock by the service's, as far as it has told its own.
	 */
	constructor(
		private readonly jobs: JobService,
		ofAccount?: JobLister,
		private readonly serviceTime: (moment: number) => number = (moment) => moment,
	) {
		this.lister = new AnyList(jobs, ofAccount);
	}

	/**
	 * The job of a submission that a process may have made which is gone by now; it is the caller's then.
	 * @returns undefined where there is none, for certain.
	 * @throws UnknownOutcomeError where the service does not tell enough.
	 */
	async earlier(sought: Sought): Promise<Job | undefined> {
		logDecision({ kind: 'looks_for_job', by: 'workflow' });
		const looked = await outcomeOf(this.earlierMatch(sought));
		if (!looked.ok) throw doubtOf(looked, sought);
		const { job, isCertain, reachesBack } = looked.value;
		if (job !== undefined) return job;
		if (!isCertain || (isPastKeeping(sought.since) && !reachesBack)) throw doubtOf(looked, sought);
		return undefined;
	}

	/**
	 * The job of a submission whose answer was lost; it is the caller's then.
	 * @throws UnknownOutcomeError unless one is found that fits.
	 */
	async lost(sought: LostSubmission): Promise<Job> {
		logDecision({ kind: 'looks_for_job', by: 'workflow', error: sought.cause });
		const found = await outcomeOf(this.lostMatch(sought));
		if (found.ok && found.value !== undefined) return found.value;
		throw doubtOf(found, sought);
	}

	private async earlierMatch(sought: Sought): Promise<{ job?: Job; isCertain: boolean; reachesBack: boolean }> {
		const { jobs, isCutOff, reachesBack } = await this.sharedWalk(sought);
		const { job, others } = await this.firstSame(jobs.filter(isAlive), sought);
		return { job, isCertain: !isCutOff && others.length === 0 && !isYetToCome(sought.since), reachesBack };
	}

	/**
	 * Returns the job that this process gave to the submission in an earlier try, whatever has become of it. Else it returns a
	 * canceled job only if no other job fits, because it may belong to an equal submission.
	 */
	private async lostMatch(sought: LostSubmission): Promise<Job | undefined> {
		let canceled: Job[] = [];
		for (const pauseMs of SEARCHES_AFTER_MS) {
			await delay(pauseMs, sought.signal);
			const { jobs } = await (pauseMs === 0 && sought.before !== undefined ? this.sharedWalk(sought) : this.walk(sought));
			const own = await this.firstSame(
				jobs.filter(({ job_id: id }) => takenJobs.isOf(id, sought.owner)),
				sought,
			);
			if (own.job !== undefined) return own.job;
			canceled = jobs.filter((one) => !isAlive(one));
			const { job, others } = await this.firstSame(jobs.filter(isAlive), sought);
			if (job !== undefined) return job;
			// One of which nobody knows when it was made may be ours, or yesterday's.
			if (others.some((other) => createdAt(other.job) === undefined)) return undefined;
			const [only, another] = others;
			if (only === undefined) continue;
			const onlyJob = another === undefined && sought.isProven ? await this.taken(only.job, sought) : undefined;
			if (onlyJob !== undefined) sought.onFound?.();
			return onlyJob;
		}
		return (await this.firstSame(canceled, sought)).job;
	}

	/** Takes the first job that is free and the same. `others` may be the one as well. */
	private async firstSame(listed: readonly Job[], sought: Sought): Promise<{ job?: Job; others: Match[] }> {
		const { owner, knownJobIds } = sought;
		const isFree = ({ job_id: id }: Job): boolean => takenJobs.isFreeFor(id, owner) && knownJobIds?.has(id) !== true;
		const candidates = inOrder(listed.filter(isFree), this.serviceTime(sought.since));
		const others = new Map<string, Match>();
		if (candidates.length === 0) return { others: [] };
		for await (const { graph, laterId } of graphsOf(sought)) {
			for (let index = 0; index < candidates.length; index += READS_AT_ONCE) {
				const some = candidates.slice(index, index + READS_AT_ONCE);
				const matches = await Promise.all(some.map(async (job) => await this.matchOf(job, graph, sought)));
				for (const match of matches) {
					if (match === undefined || !isFree(match.job)) continue;
					const isIt = match.likeness === 'same' && createdAt(match.job) !== undefined;
					const job = isIt ? await this.taken(match.job, sought) : undefined;
					if (job !== undefined) {
						sought.onFound?.(laterId);
						return { job, others: [] };
					}
					if (!isIt) others.set(match.job.job_id, match);
				}
			}
		}
		return { others: [...others.values()] };
	}

	/** Undefined for what is another job. */
	private async matchOf(job: Job, graph: ApiGraph, { signal }: CallOptions): Promise<Match | undefined> {
		const workflow = await this.workflow(job.job_id, { signal });
		const likeness = workflow?.format === 'api' ? likenessOf(graph, workflow.workflow) : 'other';
		return likeness === 'other' ? undefined : { job, likeness };
	}

	/** As it stands now; undefined if another was faster, or its retention has ended meanwhile. */
	private async taken({ job_id: jobId }: Job, { owner, signal }: Sought): Promise<Job | undefined> {
		const job = takenJobs.take(jobId, owner)
			? await readUnlessDeleted(async () => await this.jobs.get(jobId, { signal }), signal)
			: undefined;
		if (job !== undefined) logDecision({ kind: 'found_again', by: 'workflow', jobId });
		return job;
	}

	/** What was made before a run began is the same for all its items. */
	private async sharedWalk(sought: Sought): Promise<Walk> {
		return await getOrLoad(this.walks, sought.since, async () => await this.walk(sought));
	}

	private async walk({ since, signal }: Sought): Promise<Walk> {
		const reader = { get: async (jobId: string) => await this.read(jobId, { signal }) };
		return await walkSince(this.lister, reader, () => this.serviceTime(since) - CLOCK_SKEW_MS, { signal });
	}

	private async read(jobId: string, options: CallOptions): Promise<Job> {
		return await getOrLoad(this.reads, jobId, async () => await this.jobs.get(jobId, options));
	}

	private async readWorkflow(jobId: string, options: CallOptions): Promise<JobWorkflow | undefined> {
		return await readUnlessDeleted(async () => await this.jobs.workflow(jobId, options), options.signal);
	}

	private async workflow(jobId: string, options: CallOptions): Promise<JobWorkflow | undefined> {
		return await getOrLoad(this.workflows, jobId, async () => await this.readWorkflow(jobId, options));
	}
}

/** Yields the graphs that may have been sent: that of the submission itself, then that of each later id. */
async function* graphsOf({
	graph,
	laterIds = [],
	graphFor,
}: Sought): AsyncGenerator<{ graph: ApiGraph; laterId?: string }, void, undefined> {
	yield { graph };
	if (graphFor === undefined) return;
	for (const laterId of laterIds) yield { graph: await graphFor(laterId), laterId };
}

/**
 * Those that were made since then first, the oldest before the others: of several equal submissions each finds one, as
 * those that began later can only have a later one. Then those that a lagging clock may have dated back.
 */
function inOrder(jobs: readonly Job[], since: number): Job[] {
	const at = (job: Job): number => createdAt(job) ?? Infinity;
	const isSince = (job: Job): boolean => at(job) >= since - ROUNDED_BY_MS;
	const sorted = jobs.toSorted((one, other) => at(one) - at(other));
	return [...sorted.filter(isSince), ...sorted.filter((job) => !isSince(job)).reverse()];
}

function doubtOf(found: Outcome<unknown>, { key, cause, before }: Sought): unknown {
	if (!found.ok && found.error instanceof StoppedError) return found.error;
	return new UnknownOutcomeError(key, { cause: found.ok ? cause : found.error, before });
}
