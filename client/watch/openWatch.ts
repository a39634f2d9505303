import { connect, type ConnectSettings } from '../connect';
import { openEngine } from '../engine/connect';
import type { CallOptions } from '../services';
import { watchAccount } from './accountWatch';
import { watchJobs } from './jobsWatch';
import { requireList } from './rereading';
import type { Watch } from './watcher';

/**
 * Where news come from. `hostedAccount`: v1's socket, all jobs of the account. `jobs`: the streams of single v2 jobs.
 * `engine`: a bare ComfyUI's queue and history.
 */
export type WatchSource = 'hostedAccount' | 'jobs' | 'engine';

export interface WatchSettings extends Omit<ConnectSettings, 'interface'> {
	source: WatchSource;
	/** Only these jobs; empty for all that the source knows. */
	jobIds: readonly string[];
	/** Whether a job's exact percent is worth one request for each job of an account. */
	needsPercent: boolean;
}

export interface OpenWatch {
	watch: Watch;
	/** Asks once whether the source is there and accepts the key. @throws as `verifyAccess`. */
	verifyAccess(options?: CallOptions): Promise<void>;
	close(): Promise<void>;
}

/**
 * Prepares a source; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable address; ApiError `unauthorized` for an unusable key.
 */
export function openWatch({ source, jobIds, needsPercent, ...settings }: WatchSettings): OpenWatch {
	if (source === 'engine') return openEngine(settings, jobIds);
	const connection = connect({ interface: source === 'jobs' ? 'v2' : 'v1', ...settings });
	const { jobs, feed } = connection;
	return {
		watch: feed === undefined ? watchJobs(jobs, { jobIds }) : watchAccount({ jobs, feed }, { jobIds, needsPercent }),
		close: async () => await connection.close(),
		verifyAccess: async (options) => {
			await connection.verifyAccess(options);
			if (source === 'jobs' && jobIds.length === 0) await requireList(jobs, options);
			for (const jobId of jobIds) await jobs.get(jobId, options);
		},
	};
}
