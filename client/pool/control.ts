/** What a pool offers in addition to jobs and files. Each request goes to all servers; `members` has the operations of a single server. */
import { firstOfEach, type JsonRecord } from '../json/decode';
import { isNotFound } from '../errors/errors';
import type { Job } from '../ports/job';
import type { CallOptions, JobQueue, SavedWorkflow, WorkflowLibrary, WorkflowTemplate } from '../ports/jobService';
import type { NodeReplacements, ServerClasses } from '../ports/serverControl';
import type { EngineConnection } from '../connection/connection';
import type { ServerMaintenance, ServerRecords } from '../ports/server';
import { withServer } from './files';
import { askAll, askFirst, listErrors, listValues, type PoolServer, requireValues, toPoolError } from './poolServer';
import { joinDefinitions } from './mergeAnswers';

type Work<T> = (connection: EngineConnection, server: PoolServer) => Promise<T>;

/** Returns the results of the servers that respond. @throws the error of the pool if none does. */
const onEach = async <T>(servers: readonly PoolServer[], work: Work<T>, options: CallOptions = {}): Promise<T[]> =>
	requireValues(await askAll(servers, work, options)).map(({ value }) => value);

/** Returns the result of the first server that responds and has what is requested. */
const onFirst = async <T>(servers: readonly PoolServer[], work: Work<T>, options: CallOptions = {}): Promise<T> =>
	(await askFirst(servers, work, isNotFound, options)).value;

/** Returns the definitions and replacements of all servers. Of two replacements of a class, that of the first server is used. */
export const poolControl = (servers: readonly PoolServer[]): ServerClasses => ({
	nodeDefinitions: async (options) =>
		joinDefinitions(await onEach(servers, async ({ control }) => await control.nodeDefinitions(options), options)),
	nodeReplacements: async (options) => {
		const all = await onEach(servers, async ({ control }) => await control.nodeReplacements(options), options);
		return Object.assign({}, ...all.reverse()) as NodeReplacements;
	},
});

export class PoolRecords implements ServerRecords {
	constructor(private readonly servers: readonly PoolServer[]) {}

	async queue(options?: CallOptions): Promise<JobQueue> {
		const queues = await onEach(this.servers, async ({ records }) => await records.queue(options), options);
		return { running: queues.flatMap(({ running }) => running), pending: queues.flatMap(({ pending }) => pending) };
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
		const lists = await onEach(this.servers, async ({ library }) => await library.list(options), options);
		return firstOfEach(lists.flat(), ({ path }) => path);
	}

	async read(path: string, options?: CallOptions): Promise<JsonRecord> {
		return await onFirst(this.servers, async ({ library }) => await library.read(path, options), options);
	}

	async templates(options?: CallOptions): Promise<WorkflowTemplate[]> {
		const lists = await onEach(this.servers, async ({ library }) => await library.templates(options), options);
		return firstOfEach(lists.flat(), ({ name }) => name);
	}

	async template(name: string, options?: CallOptions): Promise<JsonRecord> {
		return await onFirst(this.servers, async ({ library }) => await library.template(name, options), options);
	}
}

/** Returns the folders of all servers. */
export const poolMaintenance = (servers: readonly PoolServer[]): Pick<ServerMaintenance, 'modelFolders'> => ({
	modelFolders: async (options) => {
		const all = await onEach(servers, async ({ maintenance }) => await maintenance.modelFolders(options), options);
		return [...new Set(all.flat())];
	},
});
