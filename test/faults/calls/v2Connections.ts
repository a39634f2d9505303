import { connect, type Connection, type ConnectSettings, type Job, waitForJob } from '../../../client';
import type { ServiceSurface } from '../../../sandbox';
import { quickGraph } from '../../client/support/graphs';
import type { Call, Door } from '../shapes';
import { onceForSandbox } from './onceForSandbox';
import { colorOf } from './paid';

/** The account's own service, and what serves one deployment of it. */
export type Flavour = Extract<ServiceSurface, 'hosted' | 'deployment'>;

/** As the nodes connect with the credential Comfy API; files may be silent for no longer than what else is read. */
const settingsOf = ({ urls, sandbox }: Pick<Door, 'urls' | 'sandbox'>, flavour: Flavour): ConnectSettings => ({
	interface: 'v2',
	baseUrl: urls[flavour],
	token: sandbox.keys.apiKey,
	hostedUrl: urls.hosted,
	limits: { uploadIdleMs: 20_000, downloadIdleMs: 20_000 },
});

async function using<T>(settings: ConnectSettings, work: (connection: Connection) => Promise<T>): Promise<T> {
	const connection = connect(settings);
	try {
		return await work(connection);
	} finally {
		await connection.close();
	}
}

/** What is tried. */
export const through = async <T>(door: Door, flavour: Flavour, work: (connection: Connection) => Promise<T>): Promise<T> =>
	await using(settingsOf(door, flavour), work);

/** What has to be there before: made past the proxy. */
export const beforehand = async <T>({ sandbox }: Door, flavour: Flavour, work: (connection: Connection) => Promise<T>): Promise<T> =>
	await using(settingsOf({ sandbox, urls: sandbox.urls }, flavour), work);

export const graphOf = ({ mark }: Door) => quickGraph(colorOf(mark));

/** One that has ended, for all cells of a sandbox. */
export const endedJob = onceForSandbox(
	async (door: Door, flavour: Flavour): Promise<Job> =>
		await beforehand(door, flavour, async ({ jobs }) => {
			const { job_id } = await jobs.submit({ graph: graphOf(door) }, { idempotencyKey: door.mark });
			return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 60 * 60_000 })).job;
		}),
);

/** What every call of v2 says of itself: it may be repeated, unless it says otherwise. */
export const v2Call = (name: string, wire: Call['wire'], on: string, at: Flavour = 'hosted') => ({ name, wire, on, at, repeatable: true });
