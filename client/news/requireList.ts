import { ApiError } from '../errors';
import { isListUnsupported } from '../list/listJobs';
import type { CallOptions, JobService } from '../ports';
import { outcomeOf } from '../transport/outcome';

/** Where all jobs are asked for, a service without a list is no missing function but a wrong source. */
export const listErrorOf = (error: unknown): unknown =>
	isListUnsupported(error) ? new ApiError({ ...error, message: error.message, code: 'no_job_list' }) : error;

/** @throws ApiError `no_job_list` where the service keeps no list. */
export async function requireList(jobs: JobService, options?: CallOptions): Promise<void> {
	const listed = await outcomeOf(jobs.list({ limit: 1, ...options }));
	if (!listed.ok) throw listErrorOf(listed.error);
}
