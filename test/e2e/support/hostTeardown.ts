import { rm } from 'node:fs/promises';
import { stopN8n } from '../../../scripts/n8nHost';
import { sharedHostState } from './hostState';

export default async function tearDown(): Promise<void> {
	const { pid, folder } = sharedHostState();
	await stopN8n(pid);
	await rm(folder, { recursive: true, force: true });
}
