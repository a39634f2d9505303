import type { Job } from '../ports/job';
import type { CallOptions, JobQueue } from '../ports/jobService';
import type { ServerRecords } from '../ports/server';
import { withServer } from './poolFiles';
import { askAll, askEach, listErrors, listValues, type PoolServer, type PoolWork, toPoolError } from './poolServer';

/** The queues and histories of all servers. */
export class PoolRecords implements ServerRecords {
	constructor(private readonly servers: readonly PoolServer[]) {}

	async queue(options?: CallOptions): Promise<JobQueue> {
		const queues = await askEach(this.servers, async ({ records }) => await records.queue(options), options);
		return { running: queues.flatMap(({ running }) => running), pending: queues.flatMap(({ pending }) => pending) };
	}

	/** @throws if a server does not respond and no other one has the job. */
	async ended(jobId: string, options?: CallOptions): Promise<Job | undefined> {
		const read: PoolWork<Job | undefined> = async ({ records }, server) => {
			const job = await records.ended(jobId, options);
			return job && withServer(job, server);
		};
		const answers = await askAll(this.servers, read, options);
		const job = listValues(answers).find(({ value }) => value !== undefined)?.value;
		const errors = listErrors(answers);
		if (job === undefined && errors.length > 0) throw toPoolError(errors);
		return job;
	}
}
