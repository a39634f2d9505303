import type { EngineConnection, PoolConnection } from '../connection/connection';
import { unknownJobError } from '../engine/service';
import { outcomeOf } from '../async/outcome';
import { Cache } from '../cache/cache';
import { reportUnknown, type SourceListener, type Watch } from './eventSource';
import { ServerWatch, type WatchedServer } from './serverWatch';

/**
 * Watches all jobs of an engine, or of all servers of a pool. Each server has its own socket and its own reads, so a server that does
 * not respond does not affect the others.
 */
export const watchEngine =
	(connection: EngineConnection | PoolConnection, jobIds: readonly string[] = []): Watch =>
	async (listener, signal) =>
		await new EngineWatch(connection, jobIds, listener, signal).run();

/** A trigger runs for months. Older jobs are searched for again. */
const MOST_SEARCHED = 10_000;

class EngineWatch {
	private readonly servers: readonly ServerWatch[];
	/** Jobs that were searched for because they were in no queue → whether all servers answered. */
	private readonly searched = new Cache<string, boolean>({ mostEntries: MOST_SEARCHED });

	constructor(
		private readonly connection: EngineConnection | PoolConnection,
		private readonly jobIds: readonly string[],
		private readonly listener: SourceListener,
		private readonly signal: AbortSignal,
	) {
		const servers: readonly WatchedServer[] =
			'members' in connection ? connection.members : [{ open: async () => await Promise.resolve(connection) }];
		const onRead = async (isBack: boolean): Promise<void> => await this.findMissingJobs(isBack);
		this.servers = servers.map((server) => new ServerWatch(server, { jobIds, listener, signal, onRead }));
	}

	async run(): Promise<void> {
		await Promise.all(this.servers.map(async (server) => await server.run()));
	}

	/** Reports jobs in flight and chosen jobs that are in no queue, even if they ended before the trigger began. */
	private async findMissingJobs(isBack: boolean): Promise<void> {
		if (isBack) for (const [jobId, isAnswered] of this.searched.list()) if (!isAnswered) this.searched.delete(jobId);
		const wanted = [...new Set([...this.listener.inFlight(), ...this.jobIds])];
		const queued = wanted.filter((jobId) => this.servers.some((server) => server.queued.has(jobId)));
		for (const jobId of queued) this.searched.delete(jobId);
		const missing = wanted.filter((jobId) => !queued.includes(jobId) && !this.searched.has(jobId) && !this.listener.hasEnded(jobId));
		if (missing.length === 0) return;
		for (const jobId of missing) this.searched.set(jobId, true);
		const search = await outcomeOf(this.search(missing));
		if (search.ok) return;
		for (const jobId of missing) this.searched.delete(jobId);
		throw search.error;
	}

	private async search(jobIds: readonly string[]): Promise<void> {
		// Another server of a pool may have taken a job since its queue was read.
		const { running, pending } = await this.connection.records.queue({ signal: this.signal });
		const queued = new Set([...running, ...pending].map(({ job_id }) => job_id));
		for (const jobId of jobIds) {
			if (queued.has(jobId)) this.searched.delete(jobId);
			else this.searched.set(jobId, await this.reportEndOf(jobId));
		}
	}

	/** Reports an unknown job once. @returns false if a silent server may have the job. @throws if a read fails, and no server is silent. */
	private async reportEndOf(jobId: string): Promise<boolean> {
		const { listener, signal } = this;
		const ended = await outcomeOf(this.connection.records.ended(jobId, { signal }));
		if (!ended.ok) {
			if (this.servers.some(({ isSilent }) => isSilent)) return false;
			throw ended.error;
		}
		if (ended.value !== undefined) listener.onJob(ended.value);
		else reportUnknown(listener, jobId, 'engine', unknownJobError());
		return true;
	}
}
