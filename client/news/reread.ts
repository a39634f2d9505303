import { bareJob } from '../comfyui/bareJob';
import { ApiError, StoppedError } from '../errors';
import type { Job } from '../job';
import type { JobService } from '../ports';
import { outcomeOf } from '../transport/outcome';
import type { NewsListener } from './newsSource';

/** Jobs in flight are read again by and by. */
const READ_LATER_MS = 60_000;

/** Reads one job and tells of it. @returns undefined when it could not be read, which is told too. */
export async function reread(jobs: JobService, jobId: string, listener: NewsListener, signal: AbortSignal): Promise<Job | undefined> {
	const read = await outcomeOf(jobs.get(jobId, { signal }));
	if (read.ok) {
		listener.onJob(read.value);
		return read.value;
	}
	if (read.error instanceof StoppedError) return undefined;
	if (!isUnknownJob(read.error)) {
		listener.onTrouble({ error: read.error, retryInMs: READ_LATER_MS, jobId });
		return undefined;
	}
	// Its retention has ended, or a restarted server has forgotten it: this is the end that can be told.
	if (listener.inFlight().includes(jobId)) listener.onJob(bareJob(jobId, 'v1', 'expired'));
	else listener.onTrouble({ error: read.error, retryInMs: null, jobId });
	return undefined;
}

/** Whether it is certain that the service knows no such job. */
export const isUnknownJob = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
