import { runNode } from '../../../test/nodes/support/engine';
import { colorGraph } from '../../../test/nodes/support/graphs';
import { runRun } from '../../../test/nodes/support/run';
import type { Facts, Work } from '../contest/types';
import { startService } from '../service/start';
import type { Counted } from '../service/types';
import { credentialFor } from './n8n';
import { sdkFor } from './sdk';

export interface JobsOptions {
	concurrency: number;
	/** Jobs that the service takes at the same time; null for any number. */
	maxJobs: number | null;
	count: number;
	/** How long a job runs. */
	jobMs: number;
}

type Batch = (items: number) => Promise<void>;

/** What is loaded with the first item is no matter of how many there are. */
async function workOf({ count, jobMs, maxJobs }: JobsOptions, batchAt: (origin: string) => Batch | Promise<Batch>): Promise<Work> {
	const service = await startService({ maxStreams: null, lists: 'nothing', jobMs, maxJobs });
	const batch = await batchAt(service.url);
	await batch(1);
	return {
		once: async () => {
			const before = (await service.report()).counted;
			await batch(count);
			return factsOf(before, (await service.report()).counted, count);
		},
	};
}

function factsOf(before: Counted, after: Counted, count: number): Facts {
	const sum = ({ submits, refusedSubmits, reads, streams, refusedStreams, lists, downloads }: Counted) =>
		submits + refusedSubmits + reads + streams + refusedStreams + lists + downloads;
	return { requestsPerJob: (sum(after) - sum(before)) / count, refused: after.refusedSubmits - before.refusedSubmits };
}

/** All in one call of Comfy Run Workflow: each job submitted, waited for, and its file saved. */
export const jobsByNode = async (options: JobsOptions): Promise<Work> =>
	await workOf(options, (origin) => async (items) => {
		const { status, error, outputs } = await runNode(
			runRun(credentialFor(origin), colorGraph(1), {
				items: Array.from({ length: items }, (_, color) => ({ json: { color } })),
				parameters: { options: { concurrency: options.concurrency, inputValues: '={{ { "1": { color: $json.color } } }}' } },
			}),
		);
		if (status !== 'success' || outputs[0]?.length !== items) throw new Error(error?.message ?? `${outputs[0]?.length} items came back`);
	});

/** A loop that a program would have: as many at a time. */
export const jobsBySdk = async (options: JobsOptions): Promise<Work> =>
	await workOf(options, async (origin) => {
		const client = await sdkFor(origin);
		return async (items) => {
			let left = items;
			const lane = async (): Promise<void> => {
				while (left > 0) {
					left -= 1;
					const job = await client.run(client.workflows.fromJson(colorGraph(1)));
					await job.outputs[0]?.toBytes();
				}
			};
			await Promise.all(Array.from({ length: options.concurrency }, lane));
		};
	});
