/** The one n8n of all suites, which Jest's global set-up starts. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackage, packPackage } from '../../../scripts/n8nHost/install';
import { type RunningN8n, startN8n, stopN8n } from '../../../scripts/n8nHost/startN8n';
import { isAlive, signalGroup } from '../../../scripts/n8nHost/processes';
import { until } from './until';

/** How Jest's global set-up hands the one running n8n to the suites, which share nothing with it but the environment. */
export interface HostState {
	url: string;
	session: string;
	/** Holds n8n's user folder and the tarball; removed at the end. */
	folder: string;
}

const VARIABLE = 'COMFY_E2E_HOST';

export function shareHostState(state: HostState): void {
	process.env[VARIABLE] = JSON.stringify(state);
}

export function sharedHostState(): HostState {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('No n8n is running: start these suites with `npm run test:e2e`.');
	return JSON.parse(text) as HostState;
}

export const userFolderIn = (folder: string): string => join(folder, 'user');

/** The packed tarball, as a user's n8n would install it. */
export async function installPackedIn(folder: string): Promise<void> {
	const userFolder = userFolderIn(folder);
	await mkdir(userFolder);
	await installPackage(userFolder, await packPackage(folder));
}

/** A suite may restart n8n. The teardown then finds the current process in this file. */
const pidFile = (folder: string): string => join(folder, 'n8n.pid');
const pidIn = (folder: string): number => Number(readFileSync(pidFile(folder), 'utf8'));

export async function startHost(folder: string, port?: number): Promise<RunningN8n> {
	// The whole log: secretMarkers.e2e.ts searches it.
	const n8n = await startN8n({ userFolder: userFolderIn(folder), port, env: { N8N_LOG_LEVEL: 'debug' } });
	await writeFile(pidFile(folder), String(n8n.pid));
	return n8n;
}

export const stopHost = async (folder: string): Promise<void> => await stopN8n(pidIn(folder));

/** For the exit of this process: kills n8n immediately, and does not fail if it has ended. */
export function killHost(folder: string): void {
	try {
		signalGroup(pidIn(folder), 'SIGKILL');
	} catch {
		// The folder was deleted after n8n ended.
	}
}

/** Kills the shared n8n without a signal that it could handle. @returns a function that starts it again at the same address with the same data. */
export async function killSharedHost(): Promise<() => Promise<void>> {
	const { folder, url } = sharedHostState();
	const pid = pidIn(folder);
	signalGroup(pid, 'SIGKILL');
	await until('the end of n8n', () => !isAlive(pid) || undefined);
	return async () => void (await startHost(folder, Number(new URL(url).port)));
}
