/** One row of `jobs`, in a process of its own: Comfy Run Workflow on n8n's engine. */
import '../../test/nodes/support/typescriptFirst';

import { runNode } from '../../test/nodes/support/engine';
import { colorGraph } from '../../test/nodes/support/graphs';
import { runRun } from '../../test/nodes/support/run';
import { MemoryAboveRest } from './memory';
import { startService } from './service/start';

async function jobsRow([concurrency, limit, count, milliseconds]: string[]): Promise<void> {
	const maxJobs = limit === 'any' ? null : Number(limit);
	const jobMs = Number(milliseconds);
	const service = await startService({ maxStreams: null, lists: 'nothing', jobMs, maxJobs });
	const credential = { type: 'comfyApi', data: { apiKey: 'bench', baseUrl: service.url, hostedUrl: service.url, routerUrl: service.url } } as const;
	const batch = (items: number) =>
		runRun(credential, colorGraph(1), { items: Array.from({ length: items }, (_, color) => ({ json: { color } })), parameters: { options: { concurrency: Number(concurrency), inputValues: '={{ { "1": { color: $json.color } } }}' } } });
	// What is loaded with the first item is no matter of how many there are.
	await runNode(batch(1));
	const before = (await service.report()).counted;
	const memory = new MemoryAboveRest();
	const startedAt = performance.now();
	const cpuBefore = process.cpuUsage();
	const { status, error, outputs } = await runNode(batch(Number(count)));
	const tookMs = performance.now() - startedAt;
	const { user, system } = process.cpuUsage(cpuBefore);
	memory.stop();
	const { counted } = await service.report();
	service.stop();
	if (status !== 'success' || outputs[0]?.length !== Number(count)) throw new Error(error?.message ?? `${outputs[0]?.length} items came back`);
	const idealMs = (Number(count) * jobMs) / Math.min(Number(concurrency), maxJobs ?? Infinity);
	const sum = ({ submits, refusedSubmits, reads, streams, refusedStreams, lists, downloads }: typeof counted) => submits + refusedSubmits + reads + streams + refusedStreams + lists + downloads;
	process.send?.({
		'took s': Number((tookMs / 1_000).toFixed(2)), 'ideal s': idealMs / 1_000, ratio: Number((tookMs / idealMs).toFixed(4)),
		'requests a job': Number(((sum(counted) - sum(before)) / Number(count)).toFixed(2)), 'refused submissions': counted.refusedSubmits, 'cpu ms a job': Number(((user + system) / 1_000 / Number(count)).toFixed(1)), 'peak MiB': Math.round(memory.peakMib),
	}, () => process.exit());
}

void jobsRow(process.argv.slice(2));
