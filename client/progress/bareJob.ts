import type { Job, JobStatus, SourceName } from '../job';

/** A job of which nothing but its status is known. */
export const bareJob = (jobId: string, name: SourceName, status: JobStatus, serviceStatus = 'unknown'): Job => ({
	job_id: jobId,
	interface: name,
	status,
	service_status: serviceStatus,
	created_at: null,
	started_at: null,
	completed_at: null,
	expires_at: null,
	queue_position: null,
	progress: null,
	outputs: [],
	job_error: null,
	urls: { self: null, events: null, cancel: null },
});
