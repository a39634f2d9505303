import { clock, type Timer } from '../async/clock';
import { isTerminal, type Job } from '../ports/job';
import { runAsShared } from '../log/observer';
import type { CallOptions } from '../ports/jobService';
import { type Waiter, stoppableWait } from '../async/stoppableWait';
import { outcomeOf } from '../async/outcome';
import { chooseServer, type JobToPlace } from './chooseServer';
import type { PoolServer } from './poolServer';
import { type Place, ServerLoad } from './serverLoad';

/** If nothing changes for this time while a job waits for a place, the queues are read. */
const WAITING_READ_MS = 5_000;

/** The place of a job, or why no server responds. */
export type Reservation = { place: Place } | { failures: Array<[PoolServer, unknown]> };

/** A job that waits for a place. */
interface WaitingJob extends Waiter<Reservation> {
	readonly loads: readonly ServerLoad[];
	readonly job: JobToPlace;
	/** None of its servers has responded quickly. */
	awaitsServers: boolean;
}

/**
 * Divides the jobs of one run among the servers. It knows only the jobs of this run, and counts the others by the queue of each
 * server. So several runs and several n8n workers use the same servers without a shared state.
 */
export class Placements {
	private readonly loads: Map<PoolServer, ServerLoad>;
	/** In the order of their submission. */
	private readonly waiting = new Set<WaitingJob>();
	private placing?: Promise<void>;
	/** Something has changed while jobs were placed. */
	private isOutdated = false;
	private nextRead?: Timer;

	/** @param closed fires when the pool is closed. Jobs that wait for a place end then. */
	constructor(
		servers: readonly PoolServer[],
		private readonly closed: AbortSignal,
	) {
		this.loads = new Map(servers.map((server) => [server, new ServerLoad(server, () => this.placeWaiting())]));
	}

	/**
	 * Reserves a place on one of these servers. Waits until one is free. Earlier jobs are placed first.
	 * @returns the failures of the servers if none of them responds.
	 * @throws StoppedError; what made the search for a place fail.
	 */
	async reserve(servers: readonly PoolServer[], job: JobToPlace, { signal }: CallOptions = {}): Promise<Reservation> {
		const reserved = stoppableWait<Reservation>([signal, this.closed], (waiter) => {
			const waiting = { ...waiter, loads: servers.map((server) => this.loadOf(server)), job, awaitsServers: false };
			this.waiting.add(waiting);
			return () => {
				this.waiting.delete(waiting);
				if (this.waiting.size === 0) clearTimeout(this.nextRead);
			};
		});
		this.placeWaiting();
		return await reserved;
	}

	/** Places as many of the waiting jobs as possible. Only one round runs at a time, so that the order is kept. */
	private placeWaiting(): void {
		this.isOutdated = true;
		this.placing ??= this.failWaitingOnError(async () => await this.placeAll()).finally(() => {
			this.placing = undefined;
			if (this.isOutdated) this.placeWaiting();
		});
	}

	/** Never rejects. If the work fails, all waiting jobs fail with its error, so that none of them waits forever. */
	private async failWaitingOnError(work: () => Promise<unknown>): Promise<void> {
		const done = await outcomeOf(runAsShared(work));
		if (done.ok) return;
		this.isOutdated = false;
		for (const waiting of [...this.waiting]) waiting.reject(done.error);
	}

	private async placeAll(): Promise<void> {
		clearTimeout(this.nextRead);
		while (this.isOutdated) {
			this.isOutdated = false;
			const responding = await this.findResponding();
			for (const waiting of [...this.waiting]) {
				const available = waiting.loads.filter((load) => responding.has(load));
				if (available.length > 0) placeOn(available, waiting);
				else void this.failWaitingOnError(async () => await this.awaitServers(waiting));
			}
		}
		if (this.waiting.size > 0)
			this.nextRead = clock.after(WAITING_READ_MS, () => void this.failWaitingOnError(async () => await this.readQueues()));
	}

	/** Returns the servers that respond quickly. */
	private async findResponding(): Promise<Set<ServerLoad>> {
		const wanted = [...new Set([...this.waiting].flatMap(({ loads }) => loads))];
		const areResponding = await Promise.all(wanted.map(async (load) => await load.responds()));
		return new Set(wanted.filter((_, index) => areResponding[index]));
	}

	/** None of the servers of this job has responded quickly. If none responds at all, the job waits no longer. */
	private async awaitServers(waiting: WaitingJob): Promise<void> {
		if (waiting.awaitsServers) return;
		waiting.awaitsServers = true;
		const read = await Promise.all(waiting.loads.map(async (load) => ({ server: load.server, outcome: await load.refresh() })));
		waiting.awaitsServers = false;
		if (read.some(({ outcome }) => outcome.ok)) this.placeWaiting();
		else waiting.resolve({ failures: read.map(({ server, outcome }) => [server, outcome.ok ? undefined : outcome.error]) });
	}

	private async readQueues(): Promise<void> {
		const wanted = new Set([...this.waiting].flatMap(({ loads }) => loads));
		await Promise.all([...wanted].map(async (load) => await load.dropEndedJobs()));
		this.placeWaiting();
	}

	/** The server has accepted the job of this place. If another server has lost the job, its place there is free. */
	accept(place: Place, jobId: string): void {
		for (const { ownJobs } of this.loads.values()) {
			for (const [other, job] of ownJobs) if (job.jobId === jobId && other !== place) ownJobs.delete(other);
		}
		const accepted = this.loadOf(place.server).ownJobs.get(place);
		if (accepted !== undefined) accepted.jobId = jobId;
	}

	/** The place is not used. */
	release(place: Place): void {
		this.loadOf(place.server).ownJobs.delete(place);
		this.placeWaiting();
	}

	/** A job of this server was read. It has no place on the others, and if it has ended, its place is free. */
	noteJob(server: PoolServer, job: Job): void {
		for (const load of this.loads.values()) {
			const isItsServer = load.server === server;
			if (isItsServer && !isTerminal(job.status)) continue;
			for (const [place, { jobId }] of load.ownJobs) {
				if (jobId !== job.job_id) continue;
				load.ownJobs.delete(place);
				if (isItsServer) load.noteEnd(job);
				this.placeWaiting();
			}
		}
	}

	private loadOf(server: PoolServer): ServerLoad {
		const load = this.loads.get(server);
		if (load === undefined) throw new Error('The server is not one of the pool');
		return load;
	}
}

/** Places the job on one of these servers, unless it has to wait. A server that refused a job gets it only if all of them did. */
function placeOn(responding: readonly ServerLoad[], { job, resolve }: WaitingJob): void {
	const accepting = responding.filter(({ server }) => server.refusal === undefined);
	const available = accepting.length > 0 ? accepting : responding;
	const candidates = available.map((load) => load.toCandidate());
	const chosen = chooseServer(candidates, job);
	const load = chosen === undefined ? undefined : available[chosen];
	if (load === undefined) return;
	const place = { server: load.server, jobsAhead: load.toCandidate().jobsAhead };
	load.addJob(place, job.models);
	resolve({ place });
}
