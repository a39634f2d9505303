import { connect } from '../connect';
import type { ConnectSettings } from '../connection';
import type { NewsSource } from './newsSource';
import { requireList } from './requireList';
import { watchAccount } from './watchAccount';
import { watchJobs } from './watchJobs';

/**
 * Where news come from. `hostedAccount`: v1's socket, all jobs of the account. `jobs`: the streams of single v2 jobs, or
 * those jobs of an engine. `engine`: a ComfyUI's queue and history.
 */
export type NewsSourceKind = 'hostedAccount' | 'jobs' | 'engine';

export interface ServiceNewsSettings extends Omit<ConnectSettings, 'interface'> {
	source: Exclude<NewsSourceKind, 'engine'>;
	/** Only these jobs; empty for all that the source knows. */
	jobIds: readonly string[];
	/** Whether a job's exact percent is worth one request for each job of an account. */
	needsPercent: boolean;
}

/**
 * Prepares a source of the hosted service; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable address; ApiError `unauthorized` for an unusable key.
 */
export function openServiceNews({ source, jobIds, needsPercent, ...settings }: ServiceNewsSettings): NewsSource {
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
