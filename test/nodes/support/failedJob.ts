import type { Job, JobError } from '../../../client';

/** A job of v1 that failed. */
export const failedJob = (job_error: Partial<JobError> | null, changes: Partial<Job> = {}): Job => ({
	job_id: 'j1',
	interface: 'v1',
	status: 'failed',
	service_status: 'error',
	created_at: null,
	started_at: null,
	completed_at: null,
	expires_at: null,
	queue_position: null,
	progress: null,
	outputs: [],
	job_error: job_error && { code: 'unknown', message: 'words', node_id: null, class_type: null, traceback: null, ...job_error },
	urls: { self: null, events: null, cancel: null },
	...changes,
});
