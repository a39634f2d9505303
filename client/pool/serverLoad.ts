import { clock } from '../clock';
import { timeOf } from '../comfyui/timestamps';
import type { Job } from '../job';
import { within } from '../transport/delay';
import type { Outcome } from '../transport/outcome';
import type { PlaceCandidate } from './choosePlace';
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
	readonly own = new Map<Place, OwnJob>();
	/** Queued and running jobs that this run did not submit, and when they were counted. */
	private others = 0;
	private countedAt = -Infinity;
	private seconds: number | undefined;
	private models: readonly string[] = [];
	/** When its current job began, if this run knows that. */
	private startedAt: number | undefined;
	private measuring?: Promise<void>;
	private reading?: Promise<Outcome<number>>;
	private readingSince = 0;
	/** A job did not wait for the queue length that is being read. */
	private hasGivenUp = false;
	/** The latest queue length was smaller than the number of jobs of this run. */
	private lacksJobs = false;

	/** @param onReturn called when the server responds after a job has not waited for it. */
	constructor(
		readonly server: PoolServer,
		private readonly onReturn: () => void,
	) {}

	/** @returns whether the server responds quickly. Reads its queue length unless it was read recently. */
	async responds(): Promise<boolean> {
		const isSilent = this.server.failure !== undefined;
		if (!isSilent && clock.now() - this.countedAt < QUEUE_TTL_MS) return true;
		const done = this.refresh();
		// A new server first has to be connected. It would be left out otherwise.
		if (!isSilent && this.countedAt === -Infinity) return (await done).ok;
		const read = await within(isSilent ? 0 : this.readingSince + QUICK_READ_MS - clock.now(), done);
		this.hasGivenUp ||= read === undefined;
		return read?.ok ?? false;
	}

	/** Reads the queue length. Concurrent calls share one read. */
	async refresh(): Promise<Outcome<number>> {
		if (this.reading === undefined) this.readingSince = clock.now();
		return await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
	}

	private async read(): Promise<Outcome<number>> {
		this.measuring ??= this.measure();
		await this.measuring;
		const counted = await this.count();
		if (counted.ok && this.hasGivenUp) {
			this.hasGivenUp = false;
			this.onReturn();
		}
		return counted;
	}

	/** Forgets jobs of this run that the server no longer has in its queue, because nothing read their end. */
	async dropEnded(): Promise<void> {
		const queue = await this.server.ask(async ({ records }) => await records.queue());
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

	private async count(): Promise<Outcome<number>> {
		const ownJobs = this.own.size;
		const acceptedJobs = [...this.own.values()].filter(({ jobId }) => jobId !== undefined).length;
		const length = await this.server.ask(async ({ records }) => await records.queueLength());
		if (!length.ok) return length;
		const lackedJobs = this.lacksJobs;
		this.lacksJobs = length.value < acceptedJobs;
		// One time, a job may have ended just before. Two times, the server was restarted.
		if (this.lacksJobs && lackedJobs) await this.dropEnded();
		this.others = Math.max(0, length.value - ownJobs);
		this.countedAt = clock.now();
		return length;
	}

	/** Its recent jobs show how long a job takes, and which models are loaded. Without them, the first jobs of the run show it. */
	private async measure(): Promise<void> {
		const recent = await this.server.ask(async ({ records }) => await records.recent(MEASURED_JOBS));
		if (!recent.ok) {
			this.measuring = undefined;
			return;
		}
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
