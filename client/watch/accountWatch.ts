import { isTerminal, type Job, type JobEvent } from '../job';
import { listsNothing } from '../list/listedJobs';
import type { JobFeed, JobService } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { jobsEndedSince, reread, sizeOfGraph } from './rereading';
import type { Watch, Watcher } from './watcher';

/** After the frame that tells of the end the read may lag behind by a moment. */
const SETTLING_MS = [0, 100, 250, 500, 1_000, 2_000, 4_000];
/** A connection that is alive may still miss an end. */
const SAFETY_READ_MS = 60_000;

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
	async (watcher, signal) =>
		await new AccountWatch(jobs, feed, options, watcher, signal).run();

class AccountWatch {
	private readonly heardAt = new Map<string, number>();
	/** Jobs whose percent would be wrong until their size is known, with the latest frame about it. */
	private readonly unmeasured = new Map<string, unknown>();
	private readonly settling = new Set<string>();
	private lostAt: number | undefined;
	private catchingUp: Promise<void> = Promise.resolve();

	constructor(
		private readonly jobs: JobService,
		private readonly feed: JobFeed,
		private readonly options: AccountWatchOptions,
		private readonly watcher: Watcher,
		private readonly signal: AbortSignal,
	) {}

	async run(): Promise<void> {
		const safety = this.rereadQuietJobs();
		await this.feed.follow(
			{
				onConnect: () => this.onConnect(),
				onEvent: (event, jobId, raw) => this.onEvent(event, jobId, raw),
				onTrouble: (error, retryInMs) => {
					this.lostAt ??= Date.now();
					this.watcher.onTrouble({ error, retryInMs });
				},
			},
			this.signal,
		);
		await Promise.all([safety, this.catchingUp]);
	}

	private onConnect(): void {
		this.watcher.onConnect();
		const since = this.lostAt ?? this.watcher.since;
		this.lostAt = undefined;
		this.catchingUp = this.catchingUp.then(async () => await this.catchUp(since));
	}

	private onEvent(event: JobEvent, jobId: string | null, raw: unknown): void {
		if (jobId === null) return this.watcher.onEvent(event, null, raw);
		if (!this.isWanted(jobId) || this.watcher.hasEnded(jobId)) return;
		if (!this.heardAt.has(jobId) && this.options.needsPercent) void this.measure(jobId);
		this.heardAt.set(jobId, Date.now());
		if (event.kind === 'progress' && this.unmeasured.has(jobId)) return void this.unmeasured.set(jobId, raw);
		this.watcher.onEvent(event, jobId, raw);
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

	/** What happened while nobody listened: jobs that are known, and jobs that came and went. */
	private async catchUp(since: number): Promise<void> {
		const known = new Set([...this.watcher.inFlight(), ...this.options.jobIds.filter((jobId) => !this.watcher.hasEnded(jobId))]);
		for (const jobId of known) await this.read(jobId);
		const listed = await outcomeOf(jobsEndedSince(this.jobs, since, this.signal));
		if (!listed.ok) {
			if (!listsNothing(listed.error) && !this.signal.aborted) this.watcher.onTrouble({ error: listed.error, retryInMs: null });
			return;
		}
		for (const job of listed.value) {
			const jobId = job.job_id;
			if (!this.isWanted(jobId) || known.has(jobId) || this.watcher.hasEnded(jobId)) continue;
			// Lists leave out the outputs, which only a job that has ended has.
			if (isTerminal(job.status)) await this.read(jobId);
			else this.watcher.onJob(job);
		}
	}

	private async rereadQuietJobs(): Promise<void> {
		const { safetyReadMs = SAFETY_READ_MS } = this.options;
		while ((await outcomeOf(delay(safetyReadMs, this.signal))).ok) {
			const before = Date.now() - safetyReadMs;
			for (const jobId of this.watcher.inFlight()) {
				if ((this.heardAt.get(jobId) ?? 0) < before) await this.read(jobId);
			}
			for (const jobId of this.heardAt.keys()) if (this.watcher.hasEnded(jobId)) this.heardAt.delete(jobId);
		}
	}

	private async read(jobId: string): Promise<Job | undefined> {
		if (this.signal.aborted) return undefined;
		return await reread(this.jobs, jobId, this.watcher, this.signal);
	}
}
