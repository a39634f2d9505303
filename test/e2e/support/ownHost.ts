import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n } from '../../../scripts/n8nHost/startN8n';
import { isAlive } from '../../../scripts/n8nHost/processes';
import { sharedHostState, userFolderIn } from './host';
import { openSession, type Session } from './session';
import { until } from './until';

/** Where n8n keeps the packages that a user has installed. */
const PACKAGES = '.n8n/nodes';

/** An n8n for one suite, which the suite may kill. */
export interface OwnHost {
	session: Session;
	/** Kills n8n without a signal that it could handle, like a power failure or an out-of-memory killer. */
	killN8n(): Promise<void>;
	/** Asks n8n to stop, as an update or a restart does, and waits for it. @returns the duration in milliseconds. */
	stopN8n(): Promise<number>;
	/** Starts n8n again at the same address, with the same data. */
	startN8n(env?: NodeJS.ProcessEnv): Promise<void>;
	close(): Promise<void>;
}

/** Starts an n8n with the packed package and default settings. */
export async function openOwnHost(env?: NodeJS.ProcessEnv): Promise<OwnHost> {
	const userFolder = await mkdtemp(join(tmpdir(), 'comfy-e2e-own-'));
	await cp(join(userFolderIn(sharedHostState().folder), PACKAGES), join(userFolder, PACKAGES), { recursive: true });
	let n8n = await startN8n({ userFolder, env });
	const { url, rest } = n8n;
	const session = await openSession({ url, session: rest.session });
	return {
		session,
		killN8n: async () => await n8n.kill(),
		stopN8n: async () => await stopWithGrace(n8n.pid),
		startN8n: async (others) => {
			n8n = await startN8n({ userFolder, port: Number(new URL(url).port), env: others });
		},
		close: async () => {
			await n8n.kill();
			await session.close();
			await rm(userFolder, { recursive: true, force: true });
		},
	};
}

/** Longer than n8n's own grace period. */
const GONE_WITHIN_MS = 120_000;

/** Asks n8n to stop, and waits for its end. @returns the duration in milliseconds. */
export async function stopWithGrace(pid: number): Promise<number> {
	const askedAt = performance.now();
	process.kill(pid, 'SIGTERM');
	await until('the end of n8n', () => (isAlive(pid) ? undefined : true), GONE_WITHIN_MS);
	return performance.now() - askedAt;
}
