import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost } from '../../../scripts/n8nHost/install';
import { installPackedIn, killHost, shareHostState, startHost } from './host';

/** One n8n for all suites, with the packed tarball installed as a user's n8n would. */
export default async function setUp(): Promise<void> {
	await ensureHost();
	const folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-'));
	await installPackedIn(folder);
	process.once('exit', () => killHost(folder));
	const { url, rest } = await startHost(folder);
	shareHostState({ url, session: rest.session, folder });
}
