/** The choice of the server for a job. Pure. */

/** What is known of a server when a job is placed. */
export interface PlaceCandidate {
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

export interface JobToPlace {
	models: readonly string[];
	/** Whether the run waits for the job. */
	isAwaited: boolean;
	/** How many jobs of the same run follow. */
	jobsToCome: number;
}

/** One runs, and the next one waits in the queue of the server, so that the server does not become idle. */
const MOST_AWAITED_JOBS = 2;

/** Servers that are free within this time of each other are equal. Loading a model takes longer. In seconds. */
const TIE_SECONDS = 1;

/** Avoids that rounding decides whether one time is before another. */
const EPSILON = 1e-9;

interface Timed extends PlaceCandidate {
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
export function choosePlace(candidates: readonly PlaceCandidate[], job: JobToPlace): number | undefined {
	const timed = toTimed(candidates);
	const open = timed.filter((one) => !job.isAwaited || (one.ownJobs < MOST_AWAITED_JOBS && !isOutrun(one, timed, job)));
	const freeFirst = Math.min(...open.map(({ freeIn }) => freeIn));
	const ties = open.filter(({ freeIn }) => freeIn <= freeFirst + TIE_SECONDS);
	const isLoaded = ({ loadedModels }: Timed): boolean => job.models.length > 0 && job.models.every((name) => loadedModels.includes(name));
	return ties.sort((one, other) => Number(isLoaded(other)) - Number(isLoaded(one)) || one.endsIn - other.endsIn)[0]?.index;
}

function toTimed(candidates: readonly PlaceCandidate[]): Timed[] {
	const measured = candidates.flatMap(({ secondsPerJob }) => secondsPerJob ?? []);
	const shortest = measured.length === 0 ? 1 : Math.min(...measured);
	return candidates.map((candidate, index) => {
		const { secondsPerJob = shortest, jobsAhead, elapsedSeconds } = candidate;
		const done = jobsAhead === 0 ? 0 : Math.min(elapsedSeconds, secondsPerJob);
		const freeIn = jobsAhead * secondsPerJob - done;
		return { ...candidate, index, secondsPerJob, freeIn, endsIn: freeIn + secondsPerJob };
	});
}

/** Whether the other servers finish this job and all that follow before this server would finish this job. */
function isOutrun({ index, endsIn }: Timed, all: readonly Timed[], { jobsToCome }: JobToPlace): boolean {
	const finishedBefore = ({ freeIn, secondsPerJob }: Timed): number =>
		Math.max(0, Math.ceil((endsIn - freeIn) / Math.max(secondsPerJob, EPSILON) - EPSILON) - 1);
	const finished = all.filter((other) => other.index !== index).reduce((sum, other) => sum + finishedBefore(other), 0);
	return finished > jobsToCome;
}
