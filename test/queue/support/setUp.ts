import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost, packPackage } from '../../../scripts/n8nHost/install';
import { findServers, sharePacked } from './findServers';

/** Looks for the servers first, because the rest takes long. Each suite starts its own n8n. */
export default async function setUp(): Promise<void> {
	findServers();
	await ensureHost();
	sharePacked(await packPackage(await mkdtemp(join(tmpdir(), 'comfy-queue-'))));
}
