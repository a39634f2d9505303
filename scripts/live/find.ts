import { connect, type Connection, type ConnectSettings, findServer } from '../../client';
import type { CommandLine } from './options';
import { hold, type Report, type Shown } from './report';

/** A server that does not answer at once is not there. */
const PATIENCE_MS = 3_000;

/** One server under test. */
export interface Server {
	settings: ConnectSettings;
	connection: Connection;
	/** Another client of the same server, which remembers nothing of what the first one did. */
	stranger: Connection;
}

/** @returns undefined where no ComfyUI answers at the address given. */
export async function findEngine({ url, authorization }: CommandLine, report: Report, signal: AbortSignal): Promise<Server | undefined> {
	const settings: ConnectSettings = { interface: 'engine', baseUrl: url, authorization };
	return await report.check('Find ComfyUI', async () => {
		const found = await look(settings, signal);
		hold(
			found.value?.connection.interface === 'engine',
			'found the API proxy, not ComfyUI itself. Give the address of ComfyUI behind it, usually port 8188',
		);
		return found;
	});
}

/** @returns undefined where no API proxy answers at the address given. */
export async function findProxy(baseUrl: string, { token }: CommandLine, report: Report, signal: AbortSignal): Promise<Server | undefined> {
	const settings: ConnectSettings = { interface: 'v2', baseUrl, token };
	return await report.check('Find the API proxy', async () => {
		const found = await look(settings, signal);
		hold(found.value?.connection.interface === 'v2', 'found ComfyUI itself, not the API proxy. The proxy is usually at port 8189');
		return found;
	});
}

/** Finds whatever answers there, as the nodes do. */
async function look(settings: ConnectSettings, signal: AbortSignal): Promise<Shown<Server>> {
	const { connection, service } = await findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs: PATIENCE_MS });
	return {
		said: service.version === null ? 'it does not report its version' : `version ${service.version}`,
		value: { settings, connection, stranger: connect(settings) },
	};
}
