import { rm } from 'node:fs/promises';
import { sharedHostState, stopHost } from './host';

export default async function tearDown(): Promise<void> {
	const { folder } = sharedHostState();
	await stopHost(folder);
	await rm(folder, { recursive: true, force: true });
}
