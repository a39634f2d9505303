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

/** An n8n of a suite's own, which may die without harm to others. */
export interface OwnHost {
	session: Session;
	/** As power failures and memory killers end it: it hears nothing of it. */
	killN8n(): Promise<void>;
	/** As a new version or a restart ends it: it is asked to stop, and has its grace. @returns how long that took, in milliseconds. */
	stopN8n(): Promise<number>;
	/** At the same address, with all that the dead one has stored. */
	startN8n(env?: NodeJS.ProcessEnv): Promise<void>;
	close(): Promise<void>;
}

/** @returns one with our package installed as in the shared one, and as its user would have it: nothing else is set. */
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

/** More than n8n's own grace. */
const GONE_WITHIN_MS = 120_000;

/** Asks an n8n to stop, and leaves it all the time that it takes. @returns how long that was, in milliseconds. */
export async function stopWithGrace(pid: number): Promise<number> {
	const askedAt = performance.now();
	process.kill(pid, 'SIGTERM');
	await until('the end of n8n', () => (isAlive(pid) ? undefined : true), GONE_WITHIN_MS);
	return performance.now() - askedAt;
}
