import { connect, type ConnectSettings } from '../connect';
import type { ServerSettings } from '../findServer';
import type { InterfaceName } from '../job';
import type { CallOptions } from '../services';
import { watchAccount } from './accountWatch';
import { watchJobs } from './jobsWatch';
import { requireList } from './rereading';
import { ServerWatch } from './serverWatch';
import type { Watch } from './watcher';

/**
 * Where news come from. `hostedAccount`: v1's socket, all jobs of the account. `jobs`: the streams of single v2 jobs, or
 * those jobs of an engine. `engine`: a ComfyUI's queue and history.
 */
export type WatchSource = 'hostedAccount' | 'jobs' | 'engine';

export interface WatchSettings extends Omit<ConnectSettings, 'interface'> {
	source: Exclude<WatchSource, 'engine'>;
	/** Only these jobs; empty for all that the source knows. */
	jobIds: readonly string[];
	/** Whether a job's exact percent is worth one request for each job of an account. */
	needsPercent: boolean;
}

export interface OpenWatch {
	/** What is spoken to, as far as is known. */
	readonly interface: InterfaceName;
	watch: Watch;
	/** Asks once whether the source is there and accepts the key. @throws as `verifyAccess`. */
	verifyAccess(options?: CallOptions): Promise<void>;
	close(): Promise<void>;
}

/**
 * Prepares a source of the hosted service; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable address; ApiError `unauthorized` for an unusable key.
 */
export function openWatch({ source, jobIds, needsPercent, ...settings }: WatchSettings): OpenWatch {
	const connection = connect({ interface: source === 'jobs' ? 'v2' : 'v1', ...settings });
	const { jobs, feed } = connection;
	return {
		interface: connection.interface,
		watch: feed === undefined ? watchJobs(jobs, { jobIds }) : watchAccount({ jobs, feed }, { jobIds, needsPercent }),
		close: async () => await connection.close(),
		verifyAccess: async (options) => {
			await connection.verifyAccess(options);
			if (source === 'jobs' && jobIds.length === 0) await requireList(jobs, options);
			for (const jobId of jobIds) await jobs.get(jobId, options);
		},
	};
}

/** The same for a server of one's own; what it is will be looked for. */
export const openServerWatch = (settings: ServerSettings, jobIds: readonly string[]): OpenWatch => new ServerWatch(settings, jobIds);
