import type { Connection, ConnectSettings } from './connection';
import { connectEngine } from './engine/connect';
import { connectV1 } from './v1/connect';
import type { JobLister } from './list/listedJobs';
import { connectV2, type OpenJobLister } from './v2/connect';

/**
 * Prepares the way to a service; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for an unusable key.
 */
export const connect = (settings: ConnectSettings): Connection => CONNECTORS[settings.interface](settings);

const CONNECTORS: Record<ConnectSettings['interface'], (settings: ConnectSettings) => Connection> = {
	v2: (settings) => connectV2(settings, accountJobs(settings)),
	v1: connectV1,
	engine: connectEngine,
};

const accountJobs = (settings: ConnectSettings): AccountJobs | undefined =>
	settings.hostedUrl === undefined
		? undefined
		: new AccountJobs({ ...settings, contact: undefined, interface: 'v1', baseUrl: settings.hostedUrl });

/** The account's v1 list of jobs. It is needed so rarely that the way to it is opened only then. */
class AccountJobs implements OpenJobLister {
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
