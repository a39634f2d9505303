import { clock } from '../async/clock';
import { timeOf } from '../comfyui/timestamps';
import type { Job } from '../ports/job';
import { within } from '../async/delay';
import type { Outcome } from '../async/outcome';
import type { ServerCandidate } from './chooseServer';
import { listModels } from './findMisfits';
import { type PoolServer, QUICK_READ_MS } from './poolServer';

/** A queue length is read again after this time, because other programs submit jobs too. */
const QUEUE_TTL_MS = 1_000;
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
export class ServerLoad {
	readonly ownJobs = new Map<Place, OwnJob>();
	/** Queued and running jobs that this run did not submit, and when they were counted. */
	private otherJobs = 0;
	private countedAt = -Infinity;
	private secondsPerJob: number | undefined;
	private loadedModels: readonly string[] = [];
	/** When its current job began, if this run knows that. */
	private startedAt: number | undefined;
	private measuring?: Promise<void>;
	private reading?: Promise<Outcome<number>>;
	private readingSince = 0;
	/** A job was placed without the queue length that is being read, because the server took too long. */
	private wasSkipped = false;
	/** The latest queue length was smaller than the number of jobs of this run. */
	private lacksJobs = false;

	/** @param onLateResponse called when the server responds after it was skipped. */
	constructor(
		readonly server: PoolServer,
		private readonly onLateResponse: () => void,
	) {}

	/** @returns whether the server responds quickly. Reads its queue length unless it was read recently. */
	async responds(): Promise<boolean> {
		const isSilent = this.server.failure !== undefined;
		if (!isSilent && clock.now() - this.countedAt < QUEUE_TTL_MS) return true;
		const reading = this.refresh();
		// A new server first has to be connected, which may take longer.
		if (!isSilent && this.countedAt === -Infinity) return (await reading).ok;
		const patienceMs = isSilent ? 0 : this.readingSince + QUICK_READ_MS - clock.now();
		const read = await within(patienceMs, reading);
		this.wasSkipped ||= read === undefined;
		return read?.ok ?? false;
	}

	/** Reads the queue length. Concurrent calls share one read. */
	async refresh(): Promise<Outcome<number>> {
		if (this.reading === undefined) this.readingSince = clock.now();
		return await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
	}

	private async read(): Promise<Outcome<number>> {
		this.measuring ??= this.measureRecentJobs();
		await this.measuring;
		const length = await this.readQueueLength();
		if (length.ok && this.wasSkipped) {
			this.wasSkipped = false;
			this.onLateResponse();
		}
		return length;
	}

	/** Forgets jobs of this run that the server no longer has in its queue, because nothing read their end. */
	async dropEndedJobs(): Promise<void> {
		const queue = await this.server.ask(async ({ records }) => await records.queue());
		if (!queue.ok) return;
		const queued = new Set([...queue.value.running, ...queue.value.pending].map(({ job_id }) => job_id));
		const placedBefore = clock.now() - ACCEPTED_GRACE_MS;
		for (const [place, { jobId, since }] of this.ownJobs) {
			if (jobId !== undefined && since < placedBefore && !queued.has(jobId)) this.ownJobs.delete(place);
		}
	}

	toCandidate(): ServerCandidate {
		const jobsAhead = this.ownJobs.size + this.otherJobs;
		return {
			jobsAhead,
			ownJobs: this.ownJobs.size,
			secondsPerJob: this.secondsPerJob,
			elapsedSeconds: this.startedAt === undefined ? 0 : (clock.now() - this.startedAt) / 1000,
			loadedModels: this.loadedModels,
		};
	}

	addJob(place: Place, models: readonly string[]): void {
		if (place.jobsAhead === 0) this.startedAt = clock.now();
		this.ownJobs.set(place, { jobId: undefined, models, since: clock.now() });
		this.loadedModels = models;
	}

	/** A job of this run has ended, so the next one begins. */
	noteEnd(job: Job): void {
		this.startedAt = clock.now();
		this.measureJob(job);
	}

	private async readQueueLength(): Promise<Outcome<number>> {
		const ownJobs = this.ownJobs.size;
		const acceptedJobs = [...this.ownJobs.values()].filter(({ jobId }) => jobId !== undefined).length;
		const length = await this.server.ask(async ({ records }) => await records.queueLength());
		if (!length.ok) return length;
		const lackedJobs = this.lacksJobs;
		this.lacksJobs = length.value < acceptedJobs;
		// One time, a job may have ended just before. Two times, the server was restarted.
		if (this.lacksJobs && lackedJobs) await this.dropEndedJobs();
		this.otherJobs = Math.max(0, length.value - ownJobs);
		this.countedAt = clock.now();
		return length;
	}

	/** Its recent jobs show how long a job takes, and which models are loaded. Without them, the first jobs of the run show it. */
	private async measureRecentJobs(): Promise<void> {
		const recent = await this.server.ask(async ({ records }) => await records.recent(MEASURED_JOBS));
		if (!recent.ok) {
			this.measuring = undefined;
			return;
		}
		for (const { job } of recent.value) this.measureJob(job);
		const latest = recent.value.at(-1)?.graph;
		if (latest !== undefined && this.loadedModels.length === 0) this.loadedModels = listModels(latest);
	}

	private measureJob({ status, started_at, completed_at }: Job): void {
		const [start, end] = [timeOf(started_at), timeOf(completed_at)];
		if (status !== 'succeeded' || start === undefined || end === undefined) return;
		const seconds = Math.max(0, end - start) / 1000;
		this.secondsPerJob = this.secondsPerJob === undefined ? seconds : this.secondsPerJob * (1 - NEWEST_WEIGHT) + seconds * NEWEST_WEIGHT;
	}
}
