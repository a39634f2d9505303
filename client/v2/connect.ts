import type { Connection, ConnectSettings } from '../connect';
import type { JobLister } from '../list/listedJobs';
import { openParts } from '../openParts';
import { connectV1 } from '../v1/connect';
import { V2Api } from './api';
import { V2AssetStore } from './assets';
import { V2JobService } from './service';
import { verifyV2Access } from './verify';

/** The v2 interface of any surface. @see connect */
export function connectV2(settings: ConnectSettings): Connection {
	const { http, address, limits, identity } = openParts(settings);
	const api = new V2Api(http, address, limits, settings.keepLinksOnBaseOrigin ?? false);
	const account = settings.hostedUrl === undefined ? undefined : new AccountJobs({ ...settings, interface: 'v1', baseUrl: settings.hostedUrl });
	return {
		interface: 'v2',
		jobs: new V2JobService(api, identity, account),
		assets: new V2AssetStore(api),
		verifyAccess: async (options) => {
			await verifyV2Access(api, options);
			return { interface: 'v2', version: null };
		},
		close: async () => void (await Promise.all([http.close(), account?.close()])),
	};
}

/** The account's v1 list of jobs. It is needed so rarely that the way to it is opened only then. */
class AccountJobs implements JobLister {
	private connection?: Connection;

	constructor(private readonly settings: ConnectSettings) {}

	async list(...options: Parameters<JobLister['list']>): ReturnType<JobLister['list']> {
		this.connection ??= connectV1(this.settings);
		return await this.connection.jobs.list(...options);
	}

	async close(): Promise<void> {
		await this.connection?.close();
	}
}
