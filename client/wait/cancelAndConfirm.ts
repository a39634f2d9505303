import { clock } from '../clock';
import { isTerminal, type Job } from '../job';
import { logDecision } from '../observer';
import type { CallOptions, JobService } from '../ports';
import { delay } from '../transport/delay';

const CONFIRM_WITHIN_MS = 10_000;
const FIRST_INTERVAL_MS = 250;
const INTERVAL_GROWTH = 1.5;

/** A self-hosted proxy reports a job that was removed from its queue as `expired`. */
const STOPPED: ReadonlySet<string> = new Set(['canceled', 'expired']);

export interface ConfirmedCancel {
	/** The job as last read. */
	job: Job;
	/** Whether the cancel stopped the job. False if the job ended before, or still runs. */
	confirmed: boolean;
}

/**
 * Cancels a job, and reads it until it has ended or the time is over. @returns the job, and whether the cancel stopped it.
 * @param options.withinMs how long to read the job, in milliseconds (10,000).
 * @throws the errors of `cancel` and `get`; StoppedError.
 */
export async function cancelAndConfirm(
	jobs: JobService,
	jobId: string,
	{ signal, withinMs = CONFIRM_WITHIN_MS }: CallOptions & { withinMs?: number } = {},
): Promise<ConfirmedCancel> {
	const endsAt = clock.now() + withinMs;
	logDecision({ kind: 'cancel_requested', jobId, because: 'requested' });
	let job = await jobs.cancel(jobId, { signal });
	for (let intervalMs = FIRST_INTERVAL_MS; !isTerminal(job.status); intervalMs *= INTERVAL_GROWTH) {
		const remainingMs = endsAt - clock.now();
		if (remainingMs <= 0) break;
		await delay(Math.min(intervalMs, remainingMs), signal);
		job = await jobs.get(job, { signal });
	}
	const confirmed = STOPPED.has(job.status);
	logDecision({ kind: 'cancel_answered', jobId, status: job.status, isConfirmed: confirmed });
	return { job, confirmed };
}
