import { randomUUID } from 'node:crypto';

import { connect, waitForJob } from '../../../client';
import { sharedNow } from '../clock';
import type { Work } from '../contest/types';
import { percentile } from '../median';
import { startService } from '../service/start';
import { sdkFor } from './sdk';

export interface EndsOptions {
	count: number;
	jobMs: number;
}

/** Waits for a job. @returns when whoever wanted it could go on. */
export type WaitUntil = (jobId: string) => Promise<number>;

/** How long after a job's end the next step begins, one job after another. */
export async function endsOf({ count, jobMs }: EndsOptions, waitAt: (origin: string) => WaitUntil | Promise<WaitUntil>): Promise<Work> {
	const service = await startService({ maxStreams: null, lists: 'nothing', jobMs });
	const wait = await waitAt(service.url);
	const one = async (): Promise<[id: string, at: number]> => {
		const id = randomUUID();
		await service.begin(id);
		return [id, await wait(id)];
	};
	// What is loaded with the first is no matter of the others.
	await one();
	return {
		once: async () => {
			const heard: Array<[id: string, at: number]> = [];
			while (heard.length < count) heard.push(await one());
			const { endedAt } = await service.report();
			const late = heard.map(([id, at]) => at - (endedAt[id] ?? NaN));
			return { ms: percentile(late, 0.5), p99: percentile(late, 0.99) };
		},
	};
}

export const endsByClient = async (options: EndsOptions): Promise<Work> =>
	await endsOf(options, (origin) => {
		const connection = connect({ interface: 'v2', baseUrl: origin, token: 'bench' });
		return async (id) => {
			await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: 60_000 });
			return sharedNow();
		};
	});

export const endsBySdk = async (options: EndsOptions): Promise<Work> =>
	await endsOf(options, async (origin) => {
		const client = await sdkFor(origin);
		return async (id) => {
			await (await client.jobs.get(id)).wait();
			return sharedNow();
		};
	});
