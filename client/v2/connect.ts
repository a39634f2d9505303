import type { Connection, ConnectSettings } from '../connection';
import { connectionParts } from '../connectionParts';
import type { JobLister } from '../list/listedJobs';
import { V2Api } from './api';
import { V2AssetStore } from './assets';
import { JobLabels } from './labels';
import { V2JobService } from './service';
import { verifyV2Access } from './verify';

/** A list of jobs that has to be closed. */
export interface OpenJobLister extends JobLister {
	close(): Promise<void>;
}

/**
 * The v2 interface of any surface. @see connect
 * @param account where to look for jobs whose answer was lost, if this service lists none itself.
 */
export function connectV2(settings: ConnectSettings, account?: OpenJobLister): Connection {
	const { http, address, limits, identity } = connectionParts(settings);
	const api = new V2Api(http, address, limits, settings.keepLinksOnBaseOrigin ?? false);
	return {
		interface: 'v2',
		jobs: new V2JobService(api, identity, JobLabels.at(address, settings), account),
		assets: new V2AssetStore(api),
		verifyAccess: async (options) => {
			await verifyV2Access(api, options);
			return { interface: 'v2', version: null };
		},
		close: async () => void (await Promise.all([http.close(), account?.close()])),
	};
}
