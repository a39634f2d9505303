import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost, installPackage, packPackage, startN8n } from '../../../scripts/n8nHost';
import { shareHostState } from './hostState';

/** One n8n for all suites, with the packed tarball installed as a user's n8n would. */
export default async function setUp(): Promise<void> {
	await ensureHost();
	const folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-'));
	const userFolder = join(folder, 'user');
	await mkdir(userFolder);
	await installPackage(userFolder, await packPackage(folder));
	// The whole log: the canary suite searches it.
	const { url, rest, pid } = await startN8n({ userFolder, env: { N8N_LOG_LEVEL: 'debug' } });
	shareHostState({ url, session: rest.session, pid, folder });
}
