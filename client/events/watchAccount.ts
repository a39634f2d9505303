import { clock } from '../async/clock';
import { LATE_READS, POLICIES } from '../contact/policy';
import { readUntilFinal } from '../contact/retry';
import { isTerminal, type Job, type JobEvent } from '../ports/job';
import { isListUnsupported } from '../list/listJobs';
import type { JobFeed, JobService } from '../ports/jobService';
import { ROUNDED_BY_MS } from '../recovery/searchRequest';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { allowsId } from './event';
import { findJobsEndedSince, readAndReport, repeatUntilDone, type SourceListener, type Watch } from './eventSource';

/** An open connection may still miss the end of a job. */
const SAFETY_READ_MS = 60_000;

export interface AccountWatchOptions {
	/** Only these jobs; empty for all jobs of the account. */
	jobIds: readonly string[];
	/** Read the graph of each job once, so that its percentage is exact. */
	needsPercent: boolean;
	safetyReadMs?: number;
}

/** Watches all jobs of an account over one socket, and reads what was missed while the socket was down. */
export const watchAccount =
	({ jobs, feed }: { jobs: JobService; feed: JobFeed }, options: AccountWatchOptions): Watch =>
	async (listener, signal) =>
		await new AccountWatch(jobs, feed, options, listener, signal).run();

class AccountWatch {
	/** Job → time of its latest event, by the clock. */
	private readonly lastEventAt = new Map<string, number>();
	/** Jobs whose percentage would be wrong until the size of their graph is known → the latest message about their progress. */
	private readonly unmeasured = new Map<string, unknown>();
	/** Jobs whose end is being read. */
	private readonly ending = new Set<string>();
	/** The ends of jobs since then (epoch milliseconds) may have been missed; undefined if none. */
	private missedSince: number | undefined;
	/** The time of the latest message. A connection may be lost for a while before that is noticed. */
	private aliveAt: number;
	private readingKnown: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
	private catchingUp: Promise<void> = Promise.resolve();

	constructor(
		private readonly jobs: JobService,
		private readonly feed: JobFeed,
		private readonly options: AccountWatchOptions,
		private readonly listener: SourceListener,
		private readonly signal: AbortSignal,
	) {
		this.missedSince = this.aliveAt = listener.since;
	}

	async run(): Promise<void> {
		const safetyReads = this.readQuietJobs();
		await this.feed.follow(
			{
				onConnect: () => this.onConnect(),
				onEvent: (event, jobId, raw) => this.onEvent(event, jobId, raw),
				onTrouble: (error, retryInMs) => {
					this.markMissed(Math.max(this.listener.since, this.aliveAt - ROUNDED_BY_MS));
					this.listener.onTrouble({ error, retryInMs });
				},
			},
			this.signal,
		);
		await Promise.all([safetyReads, this.catchingUp]);
	}

	private onConnect(): void {
		this.listener.onConnect();
		this.aliveAt = clock.wallNow();
		const known = (this.readingKnown = this.readingKnown.then(async () => await this.readKnownJobs()));
		this.catchingUp = this.catchingUp.then(async () => await this.catchUp(await known));
	}

	private markMissed(since: number): void {
		this.missedSince = Math.min(this.missedSince ?? Infinity, since);
	}

	private onEvent(event: JobEvent, jobId: string | null, raw: unknown): void {
		this.aliveAt = clock.wallNow();
		if (jobId === null) return this.listener.onEvent(event, null, raw);
		if (!allowsId(this.options.jobIds, jobId) || this.listener.hasEnded(jobId)) return;
		if (!this.lastEventAt.has(jobId) && this.options.needsPercent) void this.measure(jobId);
		this.lastEventAt.set(jobId, clock.now());
		if (event.kind === 'progress' && this.unmeasured.has(jobId)) return void this.unmeasured.set(jobId, raw);
		this.listener.onEvent(event, jobId, raw);
		if (event.kind === 'status' && isTerminal(event.status)) void this.readEnd(jobId);
	}

	/** Events say which nodes run, not how many nodes the graph has. */
	private async measure(jobId: string): Promise<void> {
		this.unmeasured.set(jobId, undefined);
		const nodes = await readGraphSize(this.jobs, jobId, this.signal);
		const raw = this.unmeasured.get(jobId);
		this.unmeasured.delete(jobId);
		const progress = nodes === undefined ? undefined : this.feed.setTotal(jobId, nodes);
		if (progress !== undefined && !this.signal.aborted) this.onEvent(progress, jobId, raw ?? progress);
	}

	/** Reads a job after the event about its end, until the read shows the end as well. */
	private async readEnd(jobId: string): Promise<void> {
		if (this.ending.has(jobId)) return;
		this.ending.add(jobId);
		const hasEnded = (job: Job | undefined): boolean => job === undefined || isTerminal(job.status);
		await outcomeOf(readUntilFinal(LATE_READS.end, async () => await this.read(jobId), hasEnded, this.signal));
		this.ending.delete(jobId);
	}

	/** Reads the known jobs after a reconnect. This does not depend on the list, which may fail for long. */
	private async readKnownJobs(): Promise<ReadonlySet<string>> {
		const known = new Set([...this.listener.inFlight(), ...this.options.jobIds.filter((jobId) => !this.listener.hasEnded(jobId))]);
		for (const jobId of known) await this.read(jobId);
		return known;
	}

	/** Reports jobs that began, and maybe ended, while the socket was down. */
	private async catchUp(known: ReadonlySet<string>): Promise<void> {
		for (const job of await this.listMissedJobs()) {
			const jobId = job.job_id;
			if (!allowsId(this.options.jobIds, jobId) || known.has(jobId) || this.listener.hasEnded(jobId)) continue;
			// Lists contain no outputs, which only a finished job has.
			if (isTerminal(job.status)) await this.read(jobId);
			else this.listener.onJob(job);
		}
	}

	/** Repeats the list until it succeeds, because these jobs are not reported otherwise. */
	private async listMissedJobs(): Promise<Job[]> {
		const list = async (): Promise<Job[]> => {
			const since = this.missedSince;
			if (since === undefined) return [];
			this.missedSince = undefined;
			const listed = await outcomeOf(findJobsEndedSince(this.jobs, since, this.signal));
			if (listed.ok) return listed.value;
			if (isListUnsupported(listed.error)) return [];
			this.markMissed(since);
			throw listed.error;
		};
		return (await repeatUntilDone(list, POLICIES.trigger, this.listener, this.signal)) ?? [];
	}

	private async readQuietJobs(): Promise<void> {
		const { safetyReadMs = SAFETY_READ_MS } = this.options;
		while ((await outcomeOf(delay(safetyReadMs, this.signal))).ok) {
			const before = clock.now() - safetyReadMs;
			for (const jobId of this.listener.inFlight()) {
				if ((this.lastEventAt.get(jobId) ?? -Infinity) < before) await this.read(jobId);
			}
			for (const jobId of this.lastEventAt.keys()) if (this.listener.hasEnded(jobId)) this.lastEventAt.delete(jobId);
		}
	}

	private async read(jobId: string): Promise<Job | undefined> {
		if (this.signal.aborted) return undefined;
		return await readAndReport(this.jobs, jobId, this.listener, this.signal);
	}
}

/** Returns the number of nodes in a job's graph; undefined if it cannot be read. */
async function readGraphSize(jobs: JobService, jobId: string, signal: AbortSignal): Promise<number | undefined> {
	const read = await outcomeOf(jobs.workflow(jobId, { signal }));
	return read.ok && read.value.format === 'api' ? Object.keys(read.value.workflow).length : undefined;
}
