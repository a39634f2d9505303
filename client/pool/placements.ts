import { clock } from '../clock';
import { timeOf } from '../comfyui/timestamps';
import { isTerminal, type Job } from '../job';
import type { CallOptions } from '../ports';
import { untilStopped } from '../transport/abort';
import { delay } from '../transport/delay';
import { type Outcome, outcomeOf } from '../transport/outcome';
import { choosePlace, type JobToPlace, type PlaceCandidate } from './choosePlace';
import { listModels } from './findMisfits';
import type { PoolServer } from './poolServer';

/** A queue length is read again after this time, because other programs submit jobs too. */
const QUEUE_TTL_MS = 1_000;
/** While a job waits for a place, the queues are read in these intervals. The end of a job of this run ends the pause. */
const WAITING_READ_MS = 5_000;
/** How many finished jobs are read to estimate how long a job takes. */
const MEASURED_JOBS = 5;
/** The weight of the newest measured job in the average. */
const NEWEST_WEIGHT = 0.4;
/** A queue that was read just after a submission may not show the job yet. */
const ACCEPTED_GRACE_MS = 5_000;

/** A place for a job on a server, until the job ends. */
export interface Place {
	readonly server: PoolServer;
	readonly jobsAhead: number;
}

interface OwnJob {
	jobId: string | undefined;
	models: readonly string[];
	since: number;
}

/** What is known of the jobs of one server. */
class ServerLoad {
	readonly own = new Map<Place, OwnJob>();
	/** Queued and running jobs that this run did not submit, and when they were counted. */
	private others = 0;
	private countedAt = -Infinity;
	private seconds: number | undefined;
	private models: readonly string[] = [];
	/** When its current job began, if this run knows that. */
	private startedAt: number | undefined;
	private measuring?: Promise<void>;
	private counting?: Promise<Outcome<unknown>>;

	constructor(readonly server: PoolServer) {}

	/** @returns the failure if the server does not report the length of its queue. */
	async refresh(options: CallOptions): Promise<Outcome<unknown>> {
		this.measuring ??= this.measure();
		await untilStopped(this.measuring, options.signal);
		if (clock.now() - this.countedAt < QUEUE_TTL_MS) return { ok: true, value: undefined };
		this.counting ??= this.count().finally(() => (this.counting = undefined));
		return await untilStopped(this.counting, options.signal);
	}

	/** Forgets jobs of this run that the server no longer has in its queue, because nothing read their end. */
	async dropEnded(options: CallOptions): Promise<void> {
		const queue = await this.server.ask(async ({ records }) => await records.queue(options), options);
		if (!queue.ok) return;
		const queued = new Set([...queue.value.running, ...queue.value.pending].map(({ job_id }) => job_id));
		const latest = clock.now() - ACCEPTED_GRACE_MS;
		for (const [place, { jobId, since }] of this.own) {
			if (jobId !== undefined && since < latest && !queued.has(jobId)) this.own.delete(place);
		}
	}

	toCandidate(): PlaceCandidate {
		const jobsAhead = this.own.size + this.others;
		return {
			jobsAhead,
			ownJobs: this.own.size,
			secondsPerJob: this.seconds,
			elapsedSeconds: this.startedAt === undefined ? 0 : (clock.now() - this.startedAt) / 1000,
			loadedModels: this.models,
		};
	}

	add(place: Place, models: readonly string[]): void {
		if (place.jobsAhead === 0) this.startedAt = clock.now();
		this.own.set(place, { jobId: undefined, models, since: clock.now() });
		this.models = models;
	}

	end(job: Job): void {
		this.startedAt = clock.now();
		this.addMeasured(job);
	}

	private async count(): Promise<Outcome<unknown>> {
		const ownJobs = this.own.size;
		const length = await this.server.ask(async ({ records }) => await records.queueLength());
		if (!length.ok) return length;
		this.others = Math.max(0, length.value - ownJobs);
		this.countedAt = clock.now();
		return length;
	}

	/** Its recent jobs show how long a job takes, and which models are loaded. Without them, the first jobs of the run show it. */
	private async measure(): Promise<void> {
		const recent = await this.server.ask(async ({ records }) => await records.recent(MEASURED_JOBS));
		if (!recent.ok) return;
		for (const { job } of recent.value) this.addMeasured(job);
		const latest = recent.value.at(-1)?.graph;
		if (latest !== undefined && this.models.length === 0) this.models = listModels(latest);
	}

	private addMeasured({ status, started_at, completed_at }: Job): void {
		const [start, end] = [timeOf(started_at), timeOf(completed_at)];
		if (status !== 'succeeded' || start === undefined || end === undefined) return;
		const seconds = Math.max(0, end - start) / 1000;
		this.seconds = this.seconds === undefined ? seconds : this.seconds * (1 - NEWEST_WEIGHT) + seconds * NEWEST_WEIGHT;
	}
}

/**
 * Divides the jobs of one run among the servers. It knows only the jobs of this run, and counts the others by the queue of each
 * server. So several runs and several n8n workers use the same servers without a shared state.
 */
export class Placements {
	private readonly loads: Map<PoolServer, ServerLoad>;
	private readonly waiting = new Set<() => void>();

	constructor(servers: readonly PoolServer[]) {
		this.loads = new Map(servers.map((server) => [server, new ServerLoad(server)]));
	}

	/**
	 * Reserves a place on one of these servers. Waits until one is free.
	 * @returns the failure of each server if none of them responds.
	 * @throws StoppedError.
	 */
	async reserve(servers: readonly PoolServer[], job: JobToPlace, options: CallOptions = {}): Promise<Place | Map<PoolServer, unknown>> {
		for (;;) {
			const loads = servers.map((server) => this.loadOf(server));
			const answers = await Promise.all(loads.map(async (load) => await load.refresh(options)));
			const failures = new Map(answers.flatMap((one, index) => (one.ok ? [] : [[servers[index] as PoolServer, one.error] as const])));
			const open = loads.filter(({ server }) => !failures.has(server));
			if (open.length === 0) return failures;
			const candidates = open.map((load) => load.toCandidate());
			const chosen = choosePlace(candidates, job);
			const load = chosen === undefined ? undefined : open[chosen];
			if (load !== undefined) {
				const place = { server: load.server, jobsAhead: load.toCandidate().jobsAhead };
				load.add(place, job.models);
				return place;
			}
			if (!(await this.waitForChange(options.signal))) await Promise.all(open.map(async (one) => await one.dropEnded(options)));
		}
	}

	/** The server has accepted the job of this place. */
	accept(place: Place, jobId: string): void {
		const own = this.loadOf(place.server).own.get(place);
		if (own !== undefined) own.jobId = jobId;
	}

	/** The place is not used. */
	release(place: Place): void {
		this.loadOf(place.server).own.delete(place);
		this.notify();
	}

	/** A job was read. If it has ended, its place is free. */
	noteJob(server: PoolServer, job: Job): void {
		if (!isTerminal(job.status)) return;
		const load = this.loadOf(server);
		for (const [place, { jobId }] of load.own) {
			if (jobId !== job.job_id) continue;
			load.own.delete(place);
			load.end(job);
			this.notify();
		}
	}

	private loadOf(server: PoolServer): ServerLoad {
		const load = this.loads.get(server);
		if (load === undefined) throw new Error('The server is not one of the pool');
		return load;
	}

	private notify(): void {
		for (const wake of [...this.waiting]) wake();
	}

	/** @returns false if nothing has changed for a while. @throws StoppedError. */
	private async waitForChange(signal: AbortSignal | undefined): Promise<boolean> {
		const changed = new AbortController();
		const wake = (): void => changed.abort();
		this.waiting.add(wake);
		try {
			const either = signal === undefined ? changed.signal : AbortSignal.any([signal, changed.signal]);
			const slept = await outcomeOf(delay(WAITING_READ_MS, either));
			if (signal?.aborted && !slept.ok) throw slept.error;
			return !slept.ok;
		} finally {
			this.waiting.delete(wake);
		}
	}
}
