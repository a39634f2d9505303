/** The client of this package, without n8n. */
import { randomUUID } from 'node:crypto';

import { connect, waitForJob } from '../../../client';
import type { Work } from '../contest';
import { type FrameSettings, startFrames } from '../services';
import { waitsOf, type WaitsOptions } from './shared';

export const waits = async (options: WaitsOptions): Promise<Work> =>
	await waitsOf(options, async (origin) => {
		const connection = connect({ interface: 'v2', baseUrl: origin, token: 'bench' });
		// The first request loads code, which is not measured.
		await connection.jobs.get(randomUUID()).catch(() => undefined);
		return async (id) => void (await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: 10 * options.jobMs }));
	});

/** All events that Comfy Progress Trigger receives. */
export async function frames(settings: FrameSettings): Promise<Work> {
	const baseUrl = await startFrames(settings);
	return {
		once: async () => {
			// A connection reports a finished job no more: each run takes a new one.
			const { feed } = connect({ interface: 'v1', baseUrl, token: 'bench' });
			if (feed === undefined) throw new Error('v1 has a feed');
			const stopping = new AbortController();
			let [startedAt, progress, ms] = [NaN, 0, NaN];
			await feed.follow(
				{
					onConnect: () => (startedAt = performance.now()),
					onTrouble: (error) => {
						throw error;
					},
					onEvent: (event) => {
						if (event.kind === 'progress') progress += 1;
						if (event.kind !== 'status' || event.status !== 'succeeded') return;
						ms = performance.now() - startedAt;
						stopping.abort();
					},
				},
				stopping.signal,
			);
			// The end reports the last progress once more.
			return { ms, reported: progress - 1 };
		},
	};
}
