/** Jobs that several servers may have, because a job ran elsewhere after its server was lost. Pure. */
import { FORGOTTEN_BY_ENGINE, type Job } from '../job';

const BEST_FIRST = ['succeeded', 'running', 'queued', 'canceling', 'failed', 'canceled'];

/** Returns the job with the most useful status; undefined if there is none. */
export const bestOf = <T extends { job: Job }>(found: readonly T[]): T | undefined =>
	[...found].sort((one, other) => rank(one.job) - rank(other.job))[0];

function rank({ status }: Job): number {
	const index = BEST_FIRST.indexOf(status);
	return index === -1 ? BEST_FIRST.length : index;
}

/** Whether the server does not know this job. An engine reports a job that it may have had as expired. */
export const isForgotten = ({ status, job_error: error }: Job): boolean => status === 'expired' && error?.code === FORGOTTEN_BY_ENGINE;
