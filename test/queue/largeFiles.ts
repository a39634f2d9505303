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

export interface LargeFileVariant {
	binaryMode: 'filesystem' | 'database';
	largestMib: number;
	/** How much memory, in MiB, a process may use in addition when it handles such a file. */
	mostGrowthMib: number;
}

/** @param getCluster the cluster, which is open once tests run. While these tests run, only worker 2 is up. */
export function testLargeFiles(getCluster: () => Cluster, { binaryMode, largestMib, mostGrowthMib }: LargeFileVariant): void {
	const worker = () => getCluster().host.worker('worker-2');

	const deliveredLarge = async (mib: number): Promise<{ execution: Execution; inWorker: MemoryUse }> => {
		const { rest, session } = getCluster();
		const shop = await openShop(rest, { seconds: 1, credentials: session.credentials, way: largeFile(mib) });
		const inWorker = await measureMemory(worker().pid, async () => {
			await shop.order();
			await getCluster().ended(shop, 1);
		});
		const [{ id } = { id: '' }] = await shop.executions();
		expect(await getCluster().hasBegun(worker(), [id])).toBe(true);
		return { execution: await rest.execution(id), inWorker };
	};

	test(`${largestMib} MiB are delivered, and their use of memory in n8n is reported`, async () => {
		const { rest, host } = getCluster();
		const { execution, inWorker } = await deliveredLarge(largestMib);
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

	if (binaryMode === 'database') {
		test('a file that n8n could not read back from PostgreSQL is rejected before the download', async () => {
			const { execution } = await deliveredLarge(300);
			expect(execution.data.resultData.error).toMatchObject({
				message: expect.stringMatching(/is too large for n8n to keep in PostgreSQL/),
				description: expect.stringMatching(/N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem/),
			});
		});
	}
}
