import type { Job, JobStatus, InterfaceName } from '../job';

/** A job of which nothing but its status is known. */
export const bareJob = (jobId: string, name: InterfaceName, status: JobStatus, serviceStatus = 'unknown'): Job => ({
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
	metrics: null,
	outputs: [],
	job_error: null,
	urls: { self: null, events: null, cancel: null },
});
