import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost } from '../../../scripts/n8nHost/install';
import { installPackedIn } from '../../e2e/support/host';
import { findServers, shareInstalled } from './findServers';

/** Looks for the servers first, because the rest takes long. Each suite starts its own n8n. */
export default async function setUp(): Promise<void> {
	findServers();
	await ensureHost();
	const folder = await mkdtemp(join(tmpdir(), 'comfy-queue-'));
	shareInstalled(folder);
	await installPackedIn(folder);
}
