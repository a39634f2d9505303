/** n8n in queue mode with the settings of docs/queue-mode.md: shared work, and crashed processes. */
import { setTimeout as delay } from 'node:timers/promises';
import { itemsOf } from '../../scripts/n8nHost/documents';
import { onServer } from '../e2e/support/engine';
import { quick, slowFor } from '../e2e/support/graphs';
import { inThreeNodes, openShop, type Shop } from '../e2e/support/orders';
import { submitJob } from '../e2e/support/session';
import { triggerWorkflow, publish } from '../e2e/support/triggers';
import { until } from '../e2e/support/until';
import { node } from '../e2e/support/workflows';
import { Cluster, type Findable, isRecovered, type Order } from './support/cluster';
import { environmentOf, readCompose } from './support/compose';
import { inOneNode, restingInN8n } from './support/ways';

/** Killed processes are started again, which takes minutes on a busy machine. */
const DIES_WITHIN_MS = 900_000;
/** By default, the lock on the executions of a dead worker expires after 60 s, and n8n checks every 30 s. */
const GIVES_UP_WITHIN_MS = 150_000;
/** n8n resumes waiting executions once a minute. */
const RESTS_WITHIN_MS = 300_000;
const SAVING_PROGRESS = { executionOrder: 'v1', saveExecutionProgress: true };
const AT_ONCE = 60;
/** Enough retries to reach both workers. */
const MANY = 60;
const RANDOM_SEEDS = { seeds: 'random' };

const LIMIT = Number(environmentOf(readCompose().services['worker-1']).N8N_CONCURRENCY_PRODUCTION_LIMIT);

let cluster: Cluster;
/** Executions of a killed worker that are not retried until n8n's own limit has passed. */
let left: Findable[];
/** By the clock of this process. */
let diedAt: number;
/** Waits in n8n while the worker that started it is killed. */
let resting: { shop: Shop; order: Order };
/** Runs longer than the grace period of its worker. */
let paused: Order;
let stopping: Promise<void>;

beforeAll(async () => {
	cluster = await Cluster.open();
	cluster.sandbox.configure({ workers: AT_ONCE, engineConcurrency: 4 });
}, DIES_WITHIN_MS);
afterAll(async () => await cluster?.close());

const worker = (place: 1 | 2) => cluster.host.worker(`worker-${place}`);

test(
	'a worker killed with -9 and started again: its executions can be retried, and no job is made twice',
	async () => {
		const { rest, session, sandbox, ofServer } = cluster;
		const { credentials } = session;
		sandbox.configure({ gateOpen: false });
		const shop = await openShop(rest, { isHeld: true, credentials, way: restingInN8n(0) });
		resting = { shop, order: await cluster.orderAt(worker(1), shop) };
		await cluster.untilStatus([resting.order], 'waiting');

		const shops = [
			await openShop(rest, { isHeld: true, credentials }),
			await openShop(rest, { isHeld: true, credentials, way: inOneNode(RANDOM_SEEDS), settings: SAVING_PROGRESS }),
			await openShop(rest, { isHeld: true, credentials: ofServer, make: onServer }),
		];
		const orders: Order[] = [];
		for (const one of shops) orders.push(await cluster.orderAt(worker(1), one));
		left = await cluster.findableOrders(worker(1));
		const jobs = cluster.billed;
		await worker(1).kill();
		diedAt = performance.now();
		sandbox.configure({ gateOpen: true });
		await cluster.host.startWorker('worker-1');
		await cluster.untilStatus(orders, 'crashed');

		const again = await Promise.all(orders.map(async (order) => await cluster.retried(order)));
		expect(await cluster.deliveredBy(again)).toEqual(orders.map(({ color }) => color));
		expect(again.map(isRecovered)).toEqual([true, true, true]);
		expect(cluster.billed).toBe(jobs);
	},
	DIES_WITHIN_MS,
);

test(`${AT_ONCE} at once are ${AT_ONCE} jobs under ${AT_ONCE} keys, shared by both workers, each with no more than its limit`, async () => {
	const { rest, session, sandbox } = cluster;
	const before = cluster.billed;
	const shop = await openShop(rest, { seconds: 1, credentials: session.credentials, way: inOneNode(RANDOM_SEEDS) });
	sandbox.resetRecords();
	const colors = await Promise.all(Array.from({ length: AT_ONCE }, async () => await shop.order()));
	const executions = await cluster.ended(shop, AT_ONCE);
	expect((await cluster.deliveredBy(executions)).sort()).toEqual(colors.sort());
	const runs = sandbox.ledger.runs.slice(before);
	expect(runs).toHaveLength(AT_ONCE);
	expect(new Set(runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(AT_ONCE);
	const ids = executions.map(({ id }) => id);
	for (const place of [1, 2] as const) expect(await cluster.hasBegun(worker(place), ids)).toBe(true);
	expect(sandbox.peakJobs('hosted')).toBeLessThanOrEqual(2 * LIMIT);
});

test('a failed execution that both workers retry has the same key and the same seed in every attempt', async () => {
	const { rest, session, sandbox } = cluster;
	const before = cluster.billed;
	const shop = await openShop(rest, { seconds: 1, credentials: session.credentials, way: inOneNode(RANDOM_SEEDS) });
	sandbox.resetRecords();
	const refusal = sandbox.inject({ on: 'POST /api/v2/jobs', surface: 'hosted', times: Infinity, answer: { status: 413 } });
	const color = await shop.order();
	await cluster.ended(shop, 1);
	const ids = (await shop.executions()).map(({ id }) => id);
	const hadByBoth = async () => (await cluster.hasBegun(worker(1), ids)) && (await cluster.hasBegun(worker(2), ids));
	while (!(await hadByBoth()) && ids.length < MANY) ids.push((await cluster.retried({ id: ids.at(-1) ?? '' })).id);
	refusal.remove();
	expect(await hadByBoth()).toBe(true);
	const last = await cluster.retried({ id: ids.at(-1) ?? '' });
	expect(await cluster.deliveredBy([last])).toEqual([color]);
	expect(cluster.billed - before).toBe(1);

	const sent = sandbox.requests('POST /api/v2/jobs', 'hosted');
	expect(sent).toHaveLength(ids.length + 1);
	expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
	expect(new Set(sent.map(({ bodyText }) => bodyText)).size).toBe(1);
	expect(itemsOf(last, 'comfyRunWorkflow')[0]?.json).toMatchObject({ idempotency_key: sent[0]?.headers['idempotency-key'] });
});

test('when a worker stops, an item that waits for a job fails at once with the job, and the other worker continues with it', async () => {
	const { rest, session, sandbox } = cluster;
	const { credentials } = session;
	sandbox.configure({ gateOpen: false });
	const waiting = await cluster.orderAt(worker(1), await openShop(rest, { isHeld: true, credentials }));
	const pause = node('Pause', 'n8n-nodes-base.wait', 1.1, { amount: '={{ $json.recovered ? 1 : 60 }}', unit: 'seconds' });
	paused = await cluster.orderAt(worker(1), await openShop(rest, { credentials, way: inThreeNodes(pause) }));
	await until('the end of its job', () => cluster.jobsOf(paused)[0]?.status === 'succeeded' || undefined);
	const jobs = cluster.billed;
	stopping = worker(1).stop();
	const given = await rest.waitFor(waiting.id);
	expect(given.data.resultData.error?.message).toBe(
		`n8n is shutting down, and the node no longer waits for job ${itemsOf(given, 'comfySubmitWorkflow')[0]?.json.job_id}`,
	);
	sandbox.configure({ gateOpen: true });
	await until('the end of its queue', async () => (await worker(1).isDraining()) || undefined);
	const goneOnWith = await cluster.retried(waiting);
	expect(await cluster.hasBegun(worker(2), [goneOnWith.id])).toBe(true);
	expect(await cluster.deliveredBy([goneOnWith])).toEqual([waiting.color]);
	expect(isRecovered(goneOnWith)).toBe(false);
	expect(cluster.billed).toBe(jobs);
	expect((await rest.execution(paused.id)).status).toBe('running');
});

test('stopping an execution in main cancels its job, which a worker waits for', async () => {
	const { rest, session, sandbox } = cluster;
	const shop = await openShop(rest, { seconds: 60, credentials: session.credentials, way: inOneNode({}) });
	const order = await cluster.orderAt(worker(2), shop);
	const [{ id: jobId } = { id: '' }] = cluster.jobsOf(order);
	await until('the job to run', () => sandbox.job(jobId)?.status === 'running' || undefined);
	await rest.stop(order.id);
	await until('the job to be canceled', () => sandbox.job(jobId)?.status === 'canceled' || undefined);
	expect((await rest.waitFor(order.id)).status).toBe('canceled');
	expect(sandbox.ledger.cancels.map((cancel) => cancel.jobId)).toContain(jobId);
	expect(cluster.jobsOf(order)).toHaveLength(1);
});

test(
	'what a stopped worker could not end in its grace is crashed once it is started again; a retry finds the job',
	async () => {
		const jobs = cluster.billed;
		await stopping;
		expect((await cluster.rest.execution(paused.id)).status).toBe('running');
		await cluster.host.startWorker('worker-1');
		await cluster.untilStatus([paused], 'crashed');
		const found = await cluster.retried(paused);
		expect(await cluster.deliveredBy([found])).toEqual([paused.color]);
		expect(isRecovered(found)).toBe(true);
		expect(cluster.billed).toBe(jobs);
	},
	DIES_WITHIN_MS,
);

test(
	'main is killed with -9 while workers run: nothing is lost or paid twice, and the trigger reports each job once',
	async () => {
		const { rest, session, sandbox } = cluster;
		const trigger = await publish(session, triggerWorkflow('in queue mode', { source: 'hostedAccount', deliver: 'onlyWhenFinished' }));
		await until('the socket', () => sandbox.sockets('hosted').length > 0 || undefined);
		expect(sandbox.sockets('hosted')).toHaveLength(1);
		const before = cluster.billed;
		const shop = await openShop(rest, { seconds: 5, credentials: session.credentials });
		const orders = [await cluster.order(shop), await cluster.order(shop), await cluster.order(shop)];
		const ofOrders = sandbox.ledger.runs.slice(before).map(({ jobId }) => jobId);
		const jobs = await Promise.all([100, 500, 1000, 1500, 2000, 4000, 6000, 9000].map(async (ms) => await submitJob(sandbox, slowFor(ms))));
		await trigger.until(3);
		await cluster.host.main.kill();
		await cluster.host.startMain();
		expect(await cluster.deliveredBy(await cluster.ended(shop, 3))).toEqual(orders.map(({ color }) => color));
		expect(cluster.billed - before).toBe(3 + jobs.length);
		const last = await submitJob(sandbox, quick);
		const all = [...ofOrders, ...jobs, last];
		const executions = await trigger.until(all.length);
		expect((await trigger.startItems()).map(({ job_id }) => job_id).sort()).toEqual(all.sort());
		for (const { id } of executions)
			expect((await cluster.hasBegun(worker(1), [id])) || (await cluster.hasBegun(worker(2), [id]))).toBe(true);
		await trigger.deactivate();
	},
	DIES_WITHIN_MS,
);

test(
	'what a dead worker left behind can still be retried when n8n’s own minutes for it are over: its jobs are found',
	async () => {
		const before = cluster.billed;
		await delay(Math.max(0, diedAt + GIVES_UP_WITHIN_MS - performance.now()));
		const again = await Promise.all(left.map(async ({ order }) => await cluster.retried(order)));
		expect(await cluster.deliveredBy(again)).toEqual(left.map(({ order }) => order.color));
		expect(again.map(isRecovered)).toEqual([true, true]);
		expect(cluster.billed).toBe(before);
	},
	DIES_WITHIN_MS,
);

test('Get Many of this workflow finds the jobs of a dead worker, and they are delivered', async () => {
	const before = cluster.billed;
	for (const { shop, order } of left) await cluster.expectFound(shop, order);
	expect(cluster.billed).toBe(before);
});

test(
	'what rested in Still Running goes on by itself, though the worker that began it had died; billed once',
	async () => {
		const { rest } = cluster;
		const { order } = resting;
		const ended = await rest.waitFor(order.id, { timeoutMs: RESTS_WITHIN_MS });
		expect(await cluster.deliveredBy([ended])).toEqual([order.color]);
		expect(cluster.jobsOf(order)).toHaveLength(1);
	},
	RESTS_WITHIN_MS + 30_000,
);

test(
	'the power fails for all of it: started again, each order is billed once and delivered by a retry',
	async () => {
		const { rest, session, sandbox, host } = cluster;
		const { credentials } = session;
		sandbox.configure({ gateOpen: false });
		const shops = [
			await openShop(rest, { isHeld: true, credentials }),
			await openShop(rest, { isHeld: true, credentials, way: inOneNode(RANDOM_SEEDS), settings: SAVING_PROGRESS }),
		];
		const orders: Order[] = [];
		for (const place of [1, 2] as const) for (const shop of shops) orders.push(await cluster.orderAt(worker(place), shop));
		const jobs = cluster.billed;
		await host.cutPower();
		sandbox.configure({ gateOpen: true });
		await host.startAll();
		await cluster.untilStatus(orders, 'crashed');
		const again = await Promise.all(orders.map(async (order) => await cluster.retried(order)));
		expect(await cluster.deliveredBy(again)).toEqual(orders.map(({ color }) => color));
		expect(cluster.billed).toBe(jobs);
	},
	DIES_WITHIN_MS,
);
