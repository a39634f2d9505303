import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { packedTarball } from './findServers';

export default async function tearDown(): Promise<void> {
	await rm(dirname(packedTarball()), { recursive: true, force: true });
}
