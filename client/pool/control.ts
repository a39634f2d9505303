/** The server operations of a pool. Each one concerns all servers; `members` has the operations of a single server. */
import type { JsonRecord } from '../decode';
import { isNotFound } from '../errors';
import type { Job } from '../job';
import { createdOrStartedAt } from '../list/listJobs';
import type { CallOptions, JobQueue, QueueEntry, SavedWorkflow, ServerControl, WorkflowLibrary, WorkflowTemplate } from '../ports';
import type { EngineConnection } from '../connection';
import type { EngineRecords, ModelFile, RecentJob, ServerInfo, ServerMaintenance } from '../serverPorts';
import { withServer } from './files';
import { askAll, askFirst, listErrors, listValues, type PoolServer, requireValues, toPoolError } from './poolServer';
import { firstOfEach, joinDefinitions } from './mergeAnswers';

type Work<T> = (connection: EngineConnection, server: PoolServer) => Promise<T>;

/** Returns the results of the servers that respond. @throws the error of the pool if none does. */
const onEach = async <T>(servers: readonly PoolServer[], work: Work<T>, options: CallOptions = {}): Promise<T[]> =>
	requireValues(await askAll(servers, work, options)).map(({ value }) => value);

/** @throws the first failure. */
async function onAll(servers: readonly PoolServer[], work: Work<unknown>, options: CallOptions = {}): Promise<void> {
	const errors = listErrors(await askAll(servers, work, options));
	if (errors.length > 0) throw errors[0];
}

/** Returns the result of the first server that responds and has what is requested. */
const onFirst = async <T>(servers: readonly PoolServer[], work: Work<T>, options: CallOptions = {}): Promise<T> =>
	(await askFirst(servers, work, isNotFound, options)).value;

export class PoolControl implements ServerControl {
	constructor(private readonly servers: readonly PoolServer[]) {}

	async queue(options?: CallOptions): Promise<JobQueue> {
		const queues = await onEach(this.servers, async ({ control }, server) => inPool(await control.queue(options), server), options);
		return { running: queues.flatMap(({ running }) => running), pending: queues.flatMap(({ pending }) => pending) };
	}

	async deleteFromQueue(jobIds: string[], options?: CallOptions): Promise<JsonRecord> {
		await onAll(this.servers, async ({ control }) => await control.deleteFromQueue(jobIds, options), options);
		return {};
	}

	async interrupt(options?: CallOptions): Promise<void> {
		await onAll(this.servers, async ({ control }) => await control.interrupt(options), options);
	}

	async nodeDefinitions(options?: CallOptions & { classes?: readonly string[] }): Promise<Record<string, JsonRecord>> {
		return joinDefinitions(await onEach(this.servers, async ({ control }) => await control.nodeDefinitions(options), options));
	}
}

function inPool({ running, pending }: JobQueue, { address }: PoolServer): JobQueue {
	const withAddress = (entry: QueueEntry): QueueEntry => ({ ...entry, server: address });
	return { running: running.map(withAddress), pending: pending.map(withAddress) };
}

export class PoolRecords implements EngineRecords {
	constructor(
		private readonly servers: readonly PoolServer[],
		private readonly control: ServerControl,
	) {}

	async queue(options?: CallOptions): Promise<JobQueue> {
		return await this.control.queue(options);
	}

	async queueLength(options?: CallOptions): Promise<number> {
		let total = 0;
		for (const length of await onEach(this.servers, async ({ records }) => await records.queueLength(options), options)) total += length;
		return total;
	}

	async history(maxItems: number, options?: CallOptions): Promise<Job[]> {
		return (await this.recent(maxItems, options)).map(({ job }) => job);
	}

	async recent(maxItems: number, options?: CallOptions): Promise<RecentJob[]> {
		const read: Work<RecentJob[]> = async ({ records }, server) =>
			(await records.recent(maxItems, options)).map(({ job, graph }) => ({ job: withServer(job, server), graph }));
		const all = (await onEach(this.servers, read, options)).flat();
		return all.sort((one, other) => (createdOrStartedAt(one.job) ?? 0) - (createdOrStartedAt(other.job) ?? 0)).slice(-maxItems);
	}

	/** @throws if a server does not respond and no other one has the job. */
	async ended(jobId: string, options?: CallOptions): Promise<Job | undefined> {
		const read: Work<Job | undefined> = async ({ records }, server) => {
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

/** The workflows that are saved on any of the servers. Of two with the same path, that of the first server is used. */
export class PoolLibrary implements WorkflowLibrary {
	readonly interface = 'engine';

	constructor(private readonly servers: readonly PoolServer[]) {}

	async list(options?: CallOptions): Promise<SavedWorkflow[]> {
		const lists = await onEach(this.servers, async (connection) => await libraryOf(connection).list(options), options);
		return firstOfEach(lists.flat(), ({ path }) => path);
	}

	async read(path: string, options?: CallOptions): Promise<JsonRecord> {
		return await onFirst(this.servers, async (connection) => await libraryOf(connection).read(path, options), options);
	}

	async templates(options?: CallOptions): Promise<WorkflowTemplate[]> {
		const lists = await onEach(this.servers, async (connection) => await libraryOf(connection).templates(options), options);
		return firstOfEach(lists.flat(), ({ name }) => name);
	}

	async template(name: string, options?: CallOptions): Promise<JsonRecord> {
		return await onFirst(this.servers, async (connection) => await libraryOf(connection).template(name, options), options);
	}
}

function libraryOf({ library }: EngineConnection): WorkflowLibrary {
	if (library === undefined) throw new Error('An engine has a library');
	return library;
}

export class PoolMaintenance implements ServerMaintenance {
	constructor(private readonly servers: readonly PoolServer[]) {}

	/** The first server that responds. */
	async info(options?: CallOptions): Promise<ServerInfo> {
		return await onFirst(this.servers, async ({ maintenance }) => await maintenance.info(options), options);
	}

	async freeMemory(what: { caches: boolean }, options?: CallOptions): Promise<void> {
		await onAll(this.servers, async ({ maintenance }) => await maintenance.freeMemory(what, options), options);
	}

	async modelFolders(options?: CallOptions): Promise<string[]> {
		const all = await onEach(this.servers, async ({ maintenance }) => await maintenance.modelFolders(options), options);
		return [...new Set(all.flat())];
	}

	async models(folder: string, options?: CallOptions): Promise<ModelFile[] | undefined> {
		const all = await onEach(this.servers, async ({ maintenance }) => await maintenance.models(folder, options), options);
		const known = all.filter((files) => files !== undefined);
		return known.length === 0 ? undefined : firstOfEach(known.flat(), ({ name }) => name);
	}

	async clearHistory(jobIds: readonly string[] | 'all', options?: CallOptions): Promise<void> {
		await onAll(this.servers, async ({ maintenance }) => await maintenance.clearHistory(jobIds, options), options);
	}

	async users(options?: CallOptions): Promise<Record<string, string> | undefined> {
		return await onFirst(this.servers, async ({ maintenance }) => await maintenance.users(options), options);
	}
}
