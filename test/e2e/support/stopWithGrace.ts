import { isAlive } from '../../../scripts/n8nHost/processes';
import { until } from './until';

/** More than n8n's own grace. */
const GONE_WITHIN_MS = 120_000;

/** Asks an n8n to stop, and leaves it all the time that it takes. @returns how long that was, in milliseconds. */
export async function stopWithGrace(pid: number): Promise<number> {
	const askedAt = performance.now();
	process.kill(pid, 'SIGTERM');
	await until('the end of n8n', () => (isAlive(pid) ? undefined : true), GONE_WITHIN_MS);
	return performance.now() - askedAt;
}
