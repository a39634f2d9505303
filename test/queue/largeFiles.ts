/** Large files through a worker in queue mode, and their use of memory. */
import { createHash } from 'node:crypto';
import { type Execution, itemsOf } from '../../scripts/n8nHost/documents';
import { openShop } from '../e2e/support/orders';
import type { Cluster } from './support/cluster';
import { describeMemory, measureMemory, type MemoryUse } from './support/memory';
import { contentOfLargeFile, largeFile } from './support/ways';

const MIB = 1024 * 1024;

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of content) hash.update(chunk);
	return hash.digest('hex');
}

/** Orders a file of this size. @returns its execution, and the memory of worker 2 meanwhile, which must be the only worker. */
export async function orderLargeFile(cluster: Cluster, mib: number): Promise<{ execution: Execution; inWorker: MemoryUse }> {
	const { rest, session, host } = cluster;
	const worker = host.worker('worker-2');
	const shop = await openShop(rest, { seconds: 1, credentials: session.credentials, way: largeFile(mib) });
	const inWorker = await measureMemory(worker.pid, async () => {
		await shop.order();
		await cluster.ended(shop, 1);
	});
	const [{ id } = { id: '' }] = await shop.executions();
	expect(await cluster.hasBegun(worker, [id])).toBe(true);
	return { execution: await rest.execution(id), inWorker };
}

interface LargeFileVariant {
	binaryMode: 'filesystem' | 'database';
	largestMib: number;
	/** How much memory, in MiB, a process may use in addition when it handles such a file. */
	mostGrowthMib: number;
}

/** @param getCluster the cluster, which is open once tests run. */
export function testLargeFile(getCluster: () => Cluster, { binaryMode, largestMib, mostGrowthMib }: LargeFileVariant): void {
	test(`${largestMib} MiB are delivered, and their use of memory in n8n is reported`, async () => {
		const { rest, host } = getCluster();
		const { execution, inWorker } = await orderLargeFile(getCluster(), largestMib);
		expect(execution.data.resultData.error?.message ?? execution.status).toBe('success');
		const [item] = itemsOf(execution, 'comfyRunWorkflow');
		expect(item?.json).toMatchObject({ status: 'succeeded', size_bytes: largestMib * MIB });
		const inMain = await measureMemory(host.main.pid, async () => {
			const file = await rest.binaryStream(String(item?.binary?.data?.id));
			expect(await hashOf(file)).toBe(await hashOf(contentOfLargeFile(largestMib)));
		});
		const weights = Object.entries({ 'the worker that delivers them': inWorker, 'main, where the file is opened': inMain });
		process.stderr.write(
			weights.map(([who, weight]) => `${largestMib} MiB in mode ${binaryMode}, ${who}: ${describeMemory(weight)}\n`).join(''),
		);
		for (const { before, most } of [inWorker, inMain]) expect(most - before).toBeLessThan(mostGrowthMib);
	});
}
