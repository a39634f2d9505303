import { rm } from 'node:fs/promises';
import { stopHost } from './host';
import { sharedHostState } from './hostState';

export default async function tearDown(): Promise<void> {
	const { folder } = sharedHostState();
	await stopHost(folder);
	await rm(folder, { recursive: true, force: true });
}
