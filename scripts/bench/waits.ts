/** Many waits of a minute: requests, streams, memory, and how late each hears of its end. */
import { join } from 'node:path';

import { rowOf } from './rows';

const ROWS = [
	['7', 'any number of streams', 'any', 'nothing'],
	['7b', '8 streams, lists its newest 100', '8', 'newest'],
	['7b', '8 streams, lists nothing', '8', 'nothing'],
	['–', 'no stream, lists nothing', '0', 'nothing'],
] as const;

export async function benchWaits({ count = 1_000, seconds = 60 }: { count?: number; seconds?: number }): Promise<void> {
	console.log(`${count} waits of ${seconds} s`);
	const rows = [];
	for (const [row, service, streams, lists] of ROWS) {
		rows.push({ row, service, ...(await rowOf(join(__dirname, 'waitsRow.ts'), [streams, lists, String(count), String(seconds)])) });
		console.table(rows.slice(-1));
	}
	console.table(rows);
}
