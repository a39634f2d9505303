import { clock } from '../clock';
import { isTerminal, type Job, type JobEvent } from '../job';
import { isListUnsupported } from '../list/listJobs';
import type { JobFeed, JobService } from '../ports';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { growingPauseMs, addJitter } from '../transport/retry';
import { mayPass } from './mayPass';
import type { NewsListener, Watch } from './newsSource';
import { jobsEndedSince } from './recentJobs';
import { reread } from './reread';

/** After the frame that tells of the end the read may lag behind by a moment. */
const SETTLING_MS = [0, 100, 250, 500, 1_000, 2_000, 4_000];
/** A connection that is alive may still miss an end. */
const SAFETY_READ_MS = 60_000;
/** A list may tell times in whole seconds. */
const COARSENESS_MS = 1_000;
const LIST_AGAIN = { firstMs: 1_000, longestMs: 60_000 };
/** A wrong key does not mend itself within seconds. @see mayPass */
const REFUSED_RETRY_MS = 300_000;

export interface AccountWatchOptions {
	/** Only these jobs; empty for all of the account. */
	jobIds: readonly string[];
	/** Ask once for each job's size, so that its percent is exact. */
	needsPercent: boolean;
	safetyReadMs?: number;
}

/** Follows all jobs of an account over its one socket; reads what a lost connection has missed. */
export const watchAccount =
	({ jobs, feed }: { jobs: JobService; feed: JobFeed }, options: AccountWatchOptions): Watch =>
	async (listener, signal) =>
		await new AccountWatch(jobs, feed, options, listener, signal).run();

class AccountWatch {
	private readonly heardAt = new Map<string, number>();
	/** Jobs whose percent would be wrong until their size is known, with the latest frame about it. */
	private readonly unmeasured = new Map<string, unknown>();
	private readonly settling = new Set<string>();
	/** Of whatever ended since then (epoch milliseconds) nothing may have been heard. */
	private missedSince: number | undefined;
	/** The latest sign of life: a connection is dead for long before that is noticed. */
	private aliveAt: number;
	private rereading: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
	private catchingUp: Promise<void> = Promise.resolve();

	constructor(
		private readonly jobs: JobService,
		private readonly feed: JobFeed,
		private readonly options: AccountWatchOptions,
		private readonly listener: NewsListener,
		private readonly signal: AbortSignal,
	) {
		this.missedSince = this.aliveAt = listener.since;
	}

	async run(): Promise<void> {
		const safety = this.rereadQuietJobs();
		await this.feed.follow(
			{
				onConnect: () => this.onConnect(),
				onEvent: (event, jobId, raw) => this.onEvent(event, jobId, raw),
				onTrouble: (error, retryInMs) => {
					this.hasMissed(Math.max(this.listener.since, this.aliveAt - COARSENESS_MS));
					this.listener.onTrouble({ error, retryInMs });
				},
			},
			this.signal,
		);
		await Promise.all([safety, this.catchingUp]);
	}

	private onConnect(): void {
		this.listener.onConnect();
		this.aliveAt = clock.wallNow();
		const known = (this.rereading = this.rereading.then(async () => await this.rereadKnown()));
		this.catchingUp = this.catchingUp.then(async () => await this.catchUp(await known));
	}

	private hasMissed(since: number): void {
		this.missedSince = Math.min(this.missedSince ?? Infinity, since);
	}

	private onEvent(event: JobEvent, jobId: string | null, raw: unknown): void {
		this.aliveAt = clock.wallNow();
		if (jobId === null) return this.listener.onEvent(event, null, raw);
		if (!this.isWanted(jobId) || this.listener.hasEnded(jobId)) return;
		if (!this.heardAt.has(jobId) && this.options.needsPercent) void this.measure(jobId);
		this.heardAt.set(jobId, clock.now());
		if (event.kind === 'progress' && this.unmeasured.has(jobId)) return void this.unmeasured.set(jobId, raw);
		this.listener.onEvent(event, jobId, raw);
		if (event.kind === 'status' && isTerminal(event.status)) void this.settle(jobId);
	}

	private isWanted(jobId: string): boolean {
		const { jobIds } = this.options;
		return jobIds.length === 0 || jobIds.includes(jobId);
	}

	/** Frames tell which nodes run, not how many there will be. */
	private async measure(jobId: string): Promise<void> {
		this.unmeasured.set(jobId, undefined);
		const nodes = await sizeOfGraph(this.jobs, jobId, this.signal);
		const raw = this.unmeasured.get(jobId);
		this.unmeasured.delete(jobId);
		const progress = nodes === undefined ? undefined : this.feed.setTotal(jobId, nodes);
		if (progress !== undefined && !this.signal.aborted) this.onEvent(progress, jobId, raw ?? progress);
	}

	/** Reads a job whose end was told, until it has ended in the service's records too. */
	private async settle(jobId: string): Promise<void> {
		if (this.settling.has(jobId)) return;
		this.settling.add(jobId);
		for (const pauseMs of SETTLING_MS) {
			const waited = await outcomeOf(delay(pauseMs, this.signal));
			if (!waited.ok) break;
			const job = await this.read(jobId);
			if (job === undefined || isTerminal(job.status)) break;
		}
		this.settling.delete(jobId);
	}

	/** What happened to jobs that are known while nobody listened: however long the list of the others may fail. */
	private async rereadKnown(): Promise<ReadonlySet<string>> {
		const known = new Set([...this.listener.inFlight(), ...this.options.jobIds.filter((jobId) => !this.listener.hasEnded(jobId))]);
		for (const jobId of known) await this.read(jobId);
		return known;
	}

	/** Jobs that came and went in the meantime. */
	private async catchUp(known: ReadonlySet<string>): Promise<void> {
		for (const job of await this.missed()) {
			const jobId = job.job_id;
			if (!this.isWanted(jobId) || known.has(jobId) || this.listener.hasEnded(jobId)) continue;
			// Lists leave out the outputs, which only a job that has ended has.
			if (isTerminal(job.status)) await this.read(jobId);
			else this.listener.onJob(job);
		}
	}

	/** Asked for until the service says it: else nobody would ever tell of these. */
	private async missed(): Promise<Job[]> {
		for (let failures = 0; this.missedSince !== undefined && !this.signal.aborted; failures++) {
			const since = this.missedSince;
			this.missedSince = undefined;
			const listed = await outcomeOf(jobsEndedSince(this.jobs, since, this.signal));
			if (listed.ok) return listed.value;
			if (isListUnsupported(listed.error)) return [];
			this.hasMissed(since);
			const retryInMs = mayPass(listed.error) ? addJitter(growingPauseMs(LIST_AGAIN, failures)) : REFUSED_RETRY_MS;
			if (!this.signal.aborted) this.listener.onTrouble({ error: listed.error, retryInMs });
			await outcomeOf(delay(retryInMs, this.signal));
		}
		return [];
	}

	private async rereadQuietJobs(): Promise<void> {
		const { safetyReadMs = SAFETY_READ_MS } = this.options;
		while ((await outcomeOf(delay(safetyReadMs, this.signal))).ok) {
			const before = clock.now() - safetyReadMs;
			for (const jobId of this.listener.inFlight()) {
				if ((this.heardAt.get(jobId) ?? -Infinity) < before) await this.read(jobId);
			}
			for (const jobId of this.heardAt.keys()) if (this.listener.hasEnded(jobId)) this.heardAt.delete(jobId);
		}
	}

	private async read(jobId: string): Promise<Job | undefined> {
		if (this.signal.aborted) return undefined;
		return await reread(this.jobs, jobId, this.listener, this.signal);
	}
}

/** How many nodes a job's graph has; undefined where that cannot be read. */
async function sizeOfGraph(jobs: JobService, jobId: string, signal: AbortSignal): Promise<number | undefined> {
	const read = await outcomeOf(jobs.workflow(jobId, { signal }));
	return read.ok && read.value.format === 'api' ? Object.keys(read.value.workflow).length : undefined;
}
