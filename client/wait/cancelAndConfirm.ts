import { clock } from '../async/clock';
import { POLICIES } from '../contact/policy';
import { pauseBetweenReads } from '../contact/retry';
import { isTerminal, type Job } from '../ports/job';
import { logDecision } from '../log/observer';
import type { CallOptions, JobService } from '../ports/jobService';
import { delay } from '../async/delay';

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
	{ signal, withinMs = POLICIES.cancel.budgetMs }: CallOptions & { withinMs?: number } = {},
): Promise<ConfirmedCancel> {
	const endsAt = clock.now() + withinMs;
	logDecision({ kind: 'cancel_requested', jobId, because: 'requested' });
	let job = await jobs.cancel(jobId, { signal });
	for (let reads = 1; !isTerminal(job.status); reads++) {
		const remainingMs = endsAt - clock.now();
		if (remainingMs <= 0) break;
		await delay(Math.min(pauseBetweenReads(POLICIES.cancel, reads), remainingMs), signal, jobs.closed);
		job = await jobs.get(job, { signal });
	}
	const confirmed = STOPPED.has(job.status);
	logDecision({ kind: 'cancel_answered', jobId, status: job.status, isConfirmed: confirmed });
	return { job, confirmed };
}
