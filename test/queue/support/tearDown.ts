import { rm } from 'node:fs/promises';
import { installedIn } from './findServers';

export default async function tearDown(): Promise<void> {
	await rm(installedIn(), { recursive: true, force: true });
}
