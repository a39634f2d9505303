import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost, installPackage, packPackage } from '../../../scripts/n8nHost';
import { killHost, startHost, userFolderIn } from './host';
import { shareHostState } from './hostState';

/** One n8n for all suites, with the packed tarball installed as a user's n8n would. */
export default async function setUp(): Promise<void> {
	await ensureHost();
	const folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-'));
	const userFolder = userFolderIn(folder);
	await mkdir(userFolder);
	await installPackage(userFolder, await packPackage(folder));
	process.once('exit', () => killHost(folder));
	const { url, rest } = await startHost(folder);
	shareHostState({ url, session: rest.session, folder });
}
