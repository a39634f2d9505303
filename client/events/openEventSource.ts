import { connect } from '../connect/connect';
import type { ConnectSettings, ServerConnection } from '../connection/connection';
import { POLICIES } from '../contact/policy';
import { StoppedError } from '../errors/errors';
import { findServer, type ServerSettings } from '../connect/findServer';
import type { InterfaceName } from '../ports/job';
import { openPool, type PoolSettings } from '../pool/openPool';
import type { CallOptions, JobService } from '../ports/jobService';
import { type EventSource, repeatUntilDone, requireList, type Watch } from './eventSource';
import { watchAccount } from './watchAccount';
import { watchEngine } from './watchEngine';
import { watchJobs } from './watchJobs';

/**
 * Where events come from. `hostedAccount`: v1's socket, all jobs of the account. `jobs`: the event streams of single v2
 * jobs, or single jobs of an engine. `engine`: the queue and history of a ComfyUI.
 */
export type EventSourceKind = 'hostedAccount' | 'jobs' | 'engine';

export interface ServiceEventsSettings extends Omit<ConnectSettings, 'interface'> {
	source: Exclude<EventSourceKind, 'engine'>;
	/** Only these jobs; empty for all jobs that the source knows. */
	jobIds: readonly string[];
	/** Whether to make one request for each job of an account, so that its percentage is exact. */
	needsPercent: boolean;
}

/**
 * Returns a source of the hosted service. Sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable address; ApiError `unauthorized` for an unusable key.
 */
export function openServiceEvents({ source, jobIds, needsPercent, ...settings }: ServiceEventsSettings): EventSource {
	const connection = connect({ interface: source === 'jobs' ? 'v2' : 'v1', ...settings });
	const { jobs, feed } = connection;
	return {
		interface: connection.interface,
		watch: untilClosed(jobs, feed === undefined ? watchJobs(jobs, { jobIds }) : watchAccount({ jobs, feed }, { jobIds, needsPercent })),
		close: async () => await connection.close(),
		verifyAccess: async (options) => {
			await connection.verifyAccess(options);
			if (source === 'jobs' && jobIds.length === 0) await requireList(jobs, options);
			for (const jobId of jobIds) await jobs.get(jobId, options);
		},
	};
}

/** Returns a source of a self-hosted server, which may start long after the trigger. Its interface is found when it answers. */
export const openServerEvents = (settings: ServerSettings, jobIds: readonly string[]): EventSource =>
	new ServerEventSource(settings, jobIds);

/** Returns a source of a pool. It reports the jobs of all servers, and continues while some of them do not respond. */
export function openPoolEvents(settings: PoolSettings, jobIds: readonly string[]): EventSource {
	const pool = openPool(settings);
	return {
		interface: pool.interface,
		watch: untilClosed(pool.jobs, watchEngine(pool, jobIds)),
		close: async () => await pool.close(),
		verifyAccess: async (options) => {
			await pool.verifyAccess(options);
			for (const jobId of jobIds) await pool.jobs.get(jobId, options);
		},
	};
}

/** Returns a watch that also ends when its connection is closed. */
const untilClosed =
	({ closed }: Pick<JobService, 'closed'>, watch: Watch): Watch =>
	async (listener, signal) =>
		await watch(listener, AbortSignal.any([signal, closed]));

class ServerEventSource implements EventSource {
	private connection?: ServerConnection;
	private readonly closing = new AbortController();

	constructor(
		private readonly settings: ServerSettings,
		private readonly jobIds: readonly string[],
	) {}

	/** Until the server is found, the likeliest interface. */
	get interface(): InterfaceName {
		return this.connection?.interface ?? (this.settings.wanted === 'engine' ? 'engine' : 'v2');
	}

	readonly watch: Watch = untilClosed({ closed: this.closing.signal }, async (listener, signal) => {
		const search = async () => await this.search({ signal });
		const connection = (this.connection ??= await repeatUntilDone(search, POLICIES.search, listener, signal));
		if (connection === undefined) return;
		const watch =
			connection.interface === 'engine' ? watchEngine(connection, this.jobIds) : watchJobs(connection.jobs, { jobIds: this.jobIds });
		await watch(listener, signal);
	});

	async verifyAccess(options: CallOptions = {}): Promise<void> {
		this.connection ??= await this.search(options);
		const { jobs, interface: name } = this.connection;
		if (name === 'v2' && this.jobIds.length === 0) await requireList(jobs, options);
		for (const jobId of this.jobIds) await jobs.get(jobId, options);
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.connection?.close();
	}

	/** @throws as `findServer`; StoppedError if the source was closed during the search. */
	private async search(options: CallOptions): Promise<ServerConnection> {
		const { connection } = await findServer(this.settings, { ...options, patienceMs: 0 });
		if (!this.closing.signal.aborted) return connection;
		await connection.close();
		throw new StoppedError();
	}
}
