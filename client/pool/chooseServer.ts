/** The choice of the server for a job. Pure. */
import type { PlacementOptions } from '../ports/jobService';

/** What is known of a server when a job is placed. */
export interface ServerCandidate {
	/** All jobs that are queued or running on it. */
	jobsAhead: number;
	/** How many of these belong to this run, which waits for them. */
	ownJobs: number;
	/** How long one of its recent jobs took on average, in seconds. Undefined if that is unknown. */
	secondsPerJob: number | undefined;
	/** For how long its current job has been running, in seconds. */
	elapsedSeconds: number;
	/** The models of its latest job. */
	loadedModels: readonly string[];
}

export interface JobToPlace extends Pick<PlacementOptions, 'isAwaited' | 'jobsToCome'> {
	models: readonly string[];
	/** Only the running job of a server is ahead of it. */
	atFront?: boolean;
}

/** One runs, and the next one waits in the queue of the server, so that the server does not become idle. */
const MOST_AWAITED_JOBS = 2;

/** Servers that are free within this time of each other are equal. Loading a model takes longer. In seconds. */
const TIE_SECONDS = 1;

/** Smaller differences come from rounding, so they do not decide whether one time is before another. */
const EPSILON = 1e-9;

/** A candidate with its expected times. */
interface Forecast extends ServerCandidate {
	index: number;
	secondsPerJob: number;
	/** In how many seconds the server has finished its jobs. */
	freeIn: number;
	/** In how many seconds this job would finish there. */
	endsIn: number;
}

/**
 * Chooses the server that is expected to be free first. On a tie, a server with the models of the job in memory comes first, then
 * the one that finishes the job first. A server without measured jobs counts as the fastest one, so that it is tried.
 * @returns the index of the candidate. Undefined if the job has to wait. Then each server has two jobs of this run, or the
 *   faster servers will finish all jobs of the run before a slow one would finish this job.
 */
export function chooseServer(candidates: readonly ServerCandidate[], job: JobToPlace): number | undefined {
	const forecasts = toForecasts(job.atFront === true ? candidates.map(withoutWaiting) : candidates);
	const mayTake = (server: Forecast): boolean =>
		!job.isAwaited || (server.ownJobs < MOST_AWAITED_JOBS && !isTooSlow(server, forecasts, job));
	const available = forecasts.filter(mayTake);
	const earliest = Math.min(...available.map(({ freeIn }) => freeIn));
	const ties = available.filter(({ freeIn }) => freeIn <= earliest + TIE_SECONDS);
	const isLoaded = ({ loadedModels }: Forecast): boolean =>
		job.models.length > 0 && job.models.every((name) => loadedModels.includes(name));
	return ties.sort((one, other) => Number(isLoaded(other)) - Number(isLoaded(one)) || one.endsIn - other.endsIn)[0]?.index;
}

const withoutWaiting = (candidate: ServerCandidate): ServerCandidate => ({ ...candidate, jobsAhead: Math.min(candidate.jobsAhead, 1) });

function toForecasts(candidates: readonly ServerCandidate[]): Forecast[] {
	const measured = candidates.flatMap(({ secondsPerJob }) => secondsPerJob ?? []);
	const shortest = measured.length === 0 ? 1 : Math.min(...measured);
	return candidates.map((candidate, index) => {
		const { secondsPerJob = shortest, jobsAhead, elapsedSeconds } = candidate;
		const elapsed = jobsAhead === 0 ? 0 : Math.min(elapsedSeconds, secondsPerJob);
		const freeIn = jobsAhead * secondsPerJob - elapsed;
		return { ...candidate, index, secondsPerJob, freeIn, endsIn: freeIn + secondsPerJob };
	});
}

/** Whether the other servers finish this job and all that follow before this server would finish this job. */
function isTooSlow(server: Forecast, all: readonly Forecast[], { jobsToCome }: JobToPlace): boolean {
	let finishedJobs = 0;
	for (const other of all) {
		if (other.index !== server.index) finishedJobs += countFinishedBefore(server.endsIn, other);
	}
	return finishedJobs > jobsToCome;
}

/** Returns how many further jobs a server finishes before this time, in seconds from now. */
const countFinishedBefore = (seconds: number, { freeIn, secondsPerJob }: Forecast): number =>
	Math.max(0, Math.ceil((seconds - freeIn) / Math.max(secondsPerJob, EPSILON) - EPSILON) - 1);
