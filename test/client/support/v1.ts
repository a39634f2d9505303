import { waitForJob, type ApiGraph, type ServerConnection, type Job } from '../../../client';

export const PROMPT = 'POST /api/prompt';
export const STATUS = 'GET /api/job/:id/status';
export const JOB = 'GET /api/jobs/:id';
export const QUEUE = 'POST /api/queue';
export const VIEW = 'GET /api/view';

/** Submits, and reads until the job has ended. */
export async function finished({ jobs }: ServerConnection, graph: ApiGraph): Promise<Job> {
	const { job_id } = await jobs.submit({ graph });
	const { job } = await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 60_000 });
	return job;
}
