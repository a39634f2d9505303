/** The words v1 has for a job's state; three of its documents disagree. */
import type { Behaviour } from '../behaviour';
import type { Job } from '../service/job';

type Words = (job: Job) => string;

/** Whether the engine has begun with a node. */
const executing = ({ progress }: Job): boolean => progress !== null && (progress.current_node !== null || progress.nodes_done > 0);

const VOCABULARIES: Readonly<Record<Behaviour['v1StatusWords'], (isNext: (job: Job) => boolean) => Words>> = {
	specification: (isNext) => (job) => {
		if (job.status === 'queued') return isNext(job) ? 'submitted' : 'queued_waiting';
		if (job.status === 'running') return executing(job) ? 'executing' : 'preparing';
		return { canceling: 'cancel_requested', succeeded: 'success', failed: 'error', canceled: 'cancelled', expired: 'lost' }[job.status];
	},
	openapi: (isNext) => (job) => {
		if (job.status === 'queued') return isNext(job) ? 'pending' : 'waiting_to_dispatch';
		return {
			running: 'in_progress',
			canceling: 'in_progress',
			succeeded: 'completed',
			failed: 'error',
			canceled: 'cancelled',
			expired: 'error',
		}[job.status];
	},
	jobs: () => jobsWord,
};

/** The word of the job list and the job read, always. */
export const jobsWord: Words = ({ status }) =>
	({
		queued: 'pending',
		running: 'in_progress',
		canceling: 'in_progress',
		succeeded: 'completed',
		failed: 'failed',
		canceled: 'cancelled',
		expired: 'failed',
	})[status];

export const JOBS_WORDS = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'];

/** The word of the status route. @param isNext whether a queued job is the next to run. */
export const statusWord = (job: Job, vocabulary: Behaviour['v1StatusWords'], isNext: (job: Job) => boolean): string =>
	VOCABULARIES[vocabulary](isNext)(job);
