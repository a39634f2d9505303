import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { connect, waitForJob } from '../../../client';
import { sharedNow } from '../clock';
import type { Work } from '../contest/types';
import { percentile } from '../median';
import { MemoryAboveRest } from '../memory';
import { startService } from '../service/start';
import type { ServiceSettings } from '../service/types';
import { sdkFor } from './sdk';

export interface WaitsOptions extends Pick<ServiceSettings, 'maxStreams' | 'lists'> {
	count: number;
	/** How long each job runs. */
	jobMs: number;
}

/** Waits for one job until it has ended. */
type Wait = (jobId: string) => Promise<void>;

/** Jobs begin one after another within this part of the time that one runs. */
const BEGIN_WITHIN = 1 / 12;

async function workOf({ count, jobMs, maxStreams, lists }: WaitsOptions, waitAt: (origin: string) => Wait | Promise<Wait>): Promise<Work> {
	const service = await startService({ maxStreams, lists, jobMs });
	const wait = await waitAt(service.url);
	return {
		once: async () => {
			const memory = new MemoryAboveRest();
			const ids = Array.from({ length: count }, () => randomUUID());
			const heardAt = new Map<string, number>();
			let heldMib = NaN;
			setTimeout(() => (heldMib = memory.heldMib()), jobMs / 2);
			await Promise.all(
				ids.map(async (id, index) => {
					await delay((index / count) * jobMs * BEGIN_WITHIN);
					await service.begin(id);
					await wait(id);
					heardAt.set(id, sharedNow());
				}),
			);
			const { counted, endedAt } = await service.report();
			const late = ids.map((id) => (heardAt.get(id) ?? NaN) - (endedAt[id] ?? NaN));
			const { lists: looks, streams, refusedStreams, mostStreams, reads } = counted;
			return {
				requests: reads + looks + streams + refusedStreams,
				streamsAtOnce: mostStreams,
				heldMib,
				p50: percentile(late, 0.5),
				p99: percentile(late, 0.99),
			};
		},
	};
}

export const waitsByClient = async (options: WaitsOptions): Promise<Work> =>
	await workOf(options, async (origin) => {
		const connection = connect({ interface: 'v2', baseUrl: origin, token: 'bench' });
		// Code that is loaded with the first request is no matter of how many there are.
		await connection.jobs.get(randomUUID()).catch(() => undefined);
		return async (id) => {
			await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: 10 * options.jobMs });
		};
	});

export const waitsBySdk = async (options: WaitsOptions): Promise<Work> =>
	await workOf(options, async (origin) => {
		const client = await sdkFor(origin);
		return async (id) => {
			await (await client.jobs.get(id)).wait();
		};
	});
