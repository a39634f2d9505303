/** The client of this package, without n8n. */
import { randomUUID } from 'node:crypto';

import { connect, waitForJob } from '../../../client';
import type { Work } from '../work';
import { waitsOf, type WaitsOptions } from './shared';

export const waits = async (options: WaitsOptions): Promise<Work> =>
	await waitsOf(options, async (origin) => {
		const connection = connect({ interface: 'v2', baseUrl: origin, token: 'bench' });
		// The first request loads code, which is not measured.
		await connection.jobs.get(randomUUID()).catch(() => undefined);
		return async (id) => void (await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: 10 * options.jobMs }));
	});
