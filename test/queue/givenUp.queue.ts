import { Cluster, type Findable } from './support/cluster';

const GIVEN_UP = /failed to be processed too many times/;
const BOOTS_WITHIN_MS = 900_000;

let cluster: Cluster;
let lost: Findable[];

/** With n8n's default lock duration. */
beforeAll(async () => {
	cluster = await Cluster.open(['QUEUE_WORKER_LOCK_DURATION']);
	cluster.sandbox.configure({ gateOpen: false });
	lost = await cluster.findableOrders(cluster.host.worker('worker-1'));
	await cluster.host.worker('worker-1').kill();
	cluster.sandbox.configure({ gateOpen: true });
}, BOOTS_WITHIN_MS);
afterAll(async () => await cluster?.close());

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
