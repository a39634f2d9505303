/** One row of `waits`, in a process of its own. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { connect, waitForJob } from '../../client';
import { sharedNow } from './clock';
import { MemoryAboveRest } from './memory';
import { percentile } from './rows';
import { startService } from './service/start';

/** Jobs begin one after another in this time. */
const BEGIN_WITHIN_MS = 5_000;

async function waitsRow([streams, lists, count, seconds]: string[]): Promise<void> {
	const jobMs = Number(seconds) * 1_000;
	const service = await startService({ maxStreams: streams === 'any' ? null : Number(streams), lists: lists === 'newest' ? 'newest' : 'nothing', jobMs });
	const connection = connect({ interface: 'v2', baseUrl: service.url, token: 'bench' });
	const ids = Array.from({ length: Number(count) }, () => randomUUID());
	// Code that is loaded with the first request is no matter of how many there are.
	await connection.jobs.get(randomUUID()).catch(() => undefined);
	const memory = new MemoryAboveRest();
	const heardAt = new Map<string, number>();
	let heldMib = NaN;
	setTimeout(() => (heldMib = memory.heldMib()), BEGIN_WITHIN_MS + (jobMs - BEGIN_WITHIN_MS) / 2);

	const waits = ids.map(async (id, index) => {
		await delay((index / ids.length) * BEGIN_WITHIN_MS);
		service.begin(id);
		// The service hears of it by another way.
		await delay(50);
		await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: 10 * jobMs });
		heardAt.set(id, sharedNow());
	});
	await Promise.all(waits);
	memory.stop();
	const { counted, endedAt } = await service.report();
	await connection.close();
	service.stop();
	const late = ids.map((id) => (heardAt.get(id) ?? NaN) - (endedAt[id] ?? NaN)).sort((one, other) => one - other);
	const { lists: looks, streams: granted, refusedStreams, mostStreams } = counted;
	const reads = counted.reads - 1;
	process.send?.({
		requests: reads + looks + granted + refusedStreams, reads, looks, granted, refused: refusedStreams, 'at once': mostStreams,
		'held MiB': Math.round(heldMib), 'peak MiB': Math.round(memory.peakMib),
		'p50 ms': Number(percentile(late, 0.5).toFixed(2)), 'p99 ms': Number(percentile(late, 0.99).toFixed(2)),
	}, () => process.exit());
}

void waitsRow(process.argv.slice(2));
