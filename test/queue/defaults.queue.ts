/** n8n in queue mode without two settings of docs/queue-mode.md: files are in the database, and n8n gives up what a killed worker ran. */
import { orderLargeFile, testLargeFile } from './largeFiles';
import { Cluster, type Findable } from './support/cluster';

const GIVEN_UP = /failed to be processed too many times/;
const BOOTS_WITHIN_MS = 900_000;

let cluster: Cluster;
let lost: Findable[];

beforeAll(async () => {
	cluster = await Cluster.open(['N8N_DEFAULT_BINARY_DATA_MODE', 'QUEUE_WORKER_LOCK_DURATION']);
	cluster.sandbox.configure({ gateOpen: false });
	lost = await cluster.findableOrders(cluster.host.worker('worker-1'));
	await cluster.host.worker('worker-1').kill();
	cluster.sandbox.configure({ gateOpen: true });
}, BOOTS_WITHIN_MS);
afterAll(async () => await cluster?.close());

testLargeFile(() => cluster, { binaryMode: 'database', largestMib: 250, mostGrowthMib: 2000 });

test('a file that n8n could not read back from PostgreSQL is rejected before the download', async () => {
	const { execution } = await orderLargeFile(cluster, 300);
	expect(execution.data.resultData.error).toMatchObject({
		message: expect.stringMatching(/is too large for n8n to keep in PostgreSQL/),
		description: expect.stringMatching(/N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem/),
	});
});

test('n8n gives up the execution of a killed worker, and a retry of it does nothing', async () => {
	const { rest } = cluster;
	const before = cluster.billed;
	for (const { order } of lost) {
		await cluster.untilStatus([order], 'error');
		for (const execution of [await rest.execution(order.id), await cluster.retried(order)]) {
			expect(execution.data.resultData).toMatchObject({ error: { message: expect.stringMatching(GIVEN_UP) }, runData: {} });
		}
	}
	expect(cluster.billed).toBe(before);
});

test('Get Many of this workflow finds its jobs, and they are delivered', async () => {
	const before = cluster.billed;
	for (const { shop, order } of lost) await cluster.expectFound(shop, order);
	expect(cluster.billed).toBe(before);
});
