import { connect, type Connection, type ConnectSettings, findServer } from '../../client';
import type { CommandLine } from './options';
import { hold, type Report } from './report';

/** A server that does not answer at once is not there. */
const PATIENCE_MS = 3_000;

/** Two clients of the engine at the address given; undefined where there is none. */
export async function findEngine(
	{ url, authorization }: CommandLine,
	report: Report,
	signal: AbortSignal,
): Promise<[Connection, Connection] | undefined> {
	const settings: ConnectSettings = { interface: 'engine', baseUrl: url, authorization };
	return await report.check('Find ComfyUI', async () => {
		const { connection, service } = await findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs: PATIENCE_MS });
		if (service.interface !== 'engine') await connection.close();
		hold(
			service.interface === 'engine',
			'found the API proxy, not ComfyUI itself. Give the address of ComfyUI behind it, usually port 8188',
		);
		return {
			said: service.version === null ? 'of a version that it does not tell' : `version ${service.version}`,
			value: [connection, connect(settings)],
		};
	});
}
