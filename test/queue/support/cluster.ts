import { outcomeOf } from '../../../client';
import type { SandboxJob } from '../../../sandbox';
import { type Execution, itemsOf, type SavedCredential } from '../../../scripts/n8nHost/documents';
import { isAlive } from '../../../scripts/n8nHost/processes';
import { sandboxCredentials } from '../../../scripts/sandboxCredentials';
import { onServer, saveServer } from '../../e2e/support/engine';
import { deliveredColors } from '../../e2e/support/guardedFlows';
import { inThreeNodes, openShop, type Shop } from '../../e2e/support/orders';
import { openSession, type Session } from '../../e2e/support/session';
import { until } from '../../e2e/support/until';
import { type QueueHost, startQueueHost, type Worker } from './queueHost';
import { inOneNode, withSearch } from './ways';

/** On a busy machine. */
const PATIENCE_MS = 300_000;
/** An order that no worker has begun after this time was taken by a worker that is stopping. It stays in the queue. */
const NOT_BEGUN_AFTER_MS = 90_000;
const MOST_ORDERS = 5;

export interface Order {
	/** Of its execution. */
	id: string;
	color: number;
}

/** Of a workflow that can look for what it made. */
export interface Findable {
	shop: Shop;
	order: Order;
}

/** An n8n in queue mode, a service, credentials for it, and what people do with them. */
export class Cluster {
	static async open(): Promise<Cluster> {
		const host = await startQueueHost();
		const session = await openSession({ url: host.main.url, session: host.main.rest.session });
		const [account] = sandboxCredentials(session.sandbox);
		if (account === undefined) throw new Error('No credential of the account');
		const data = { ...account.data, baseUrl: session.sandbox.urls.deployment };
		return new Cluster(host, session, [await session.rest.createCredential({ ...account, data })], await saveServer(session));
	}

	private constructor(
		readonly host: QueueHost,
		readonly session: Session,
		readonly ofDeployment: SavedCredential[],
		readonly ofServer: SavedCredential[],
	) {}

	get rest() {
		return this.session.rest;
	}

	get sandbox() {
		return this.session.sandbox;
	}

	get billed(): number {
		return this.sandbox.ledger.runs.length;
	}

	/** All that were ordered in this color. */
	jobsOf({ color }: Pick<Order, 'color'>): SandboxJob[] {
		return this.sandbox.jobs().filter(({ graph }) => graph['1']?.inputs.color === color);
	}

	/** Waits for its job. */
	async order(shop: Shop, withinMs = PATIENCE_MS): Promise<Order> {
		const known = (await shop.executions()).map(({ id }) => id);
		const color = await shop.order();
		await until('a job', () => this.jobsOf({ color })[0], withinMs);
		const id = (await shop.executions()).map((one) => one.id).find((one) => !known.includes(one));
		if (id === undefined) throw new Error('An order without an execution');
		return { id, color };
	}

	/** Orders until that worker has begun one: this one. */
	async orderAt(worker: Worker, shop: Shop): Promise<Order> {
		for (let orders = 1; ; orders++) {
			const order = await outcomeOf(this.order(shop, NOT_BEGUN_AFTER_MS));
			if (order.ok && (await this.hasBegun(worker, [order.value.id]))) return order.value;
			if (!isAlive(worker.pid)) throw new Error(`${worker.name} is dead`);
			if (!order.ok && orders >= MOST_ORDERS) throw order.error;
		}
	}

	async hasBegun(worker: Worker, ids: string[]): Promise<boolean> {
		const begun = await worker.begun();
		return ids.some((id) => begun.includes(id));
	}

	/** All of a shop, oldest first, once they have ended. */
	async ended(shop: Shop, count: number): Promise<Execution[]> {
		return await until(
			`${count} executions to end`,
			async () => {
				const all = await shop.executions();
				if (all.length !== count || all.some(({ status }) => ['new', 'running', 'waiting'].includes(status))) return undefined;
				return await Promise.all(all.map(async ({ id }) => await this.rest.execution(id)));
			},
			PATIENCE_MS,
		);
	}

	/** The colors of what these executions delivered; each must have succeeded. */
	async deliveredBy(executions: Execution[]): Promise<Array<number | undefined>> {
		expect(executions.map(({ status, data }) => data.resultData.error?.message ?? status)).toEqual(executions.map(() => 'success'));
		const colors = executions.map(
			async (execution) => await deliveredColors(this.rest, execution, execution.data.resultData.lastNodeExecuted),
		);
		return (await Promise.all(colors)).flat();
	}

	/** As a person does in the list of executions. */
	async retried({ id }: Pick<Order, 'id'>): Promise<Execution> {
		return await this.rest.waitFor(await this.rest.retry(id), { timeoutMs: PATIENCE_MS });
	}

	/** Of services that keep who made a job: a deployment, and a ComfyUI of one's own. Their jobs are held. */
	async findableOrders(worker: Worker): Promise<Findable[]> {
		const { rest, ofDeployment, ofServer } = this;
		const shops = [
			await openShop(rest, { isHeld: true, credentials: ofDeployment, way: withSearch(inThreeNodes()) }),
			await openShop(rest, { isHeld: true, credentials: ofServer, make: onServer, way: withSearch(inOneNode({ seeds: 'random' })) }),
		];
		const all: Findable[] = [];
		for (const shop of shops) all.push({ shop, order: await this.orderAt(worker, shop) });
		return all;
	}

	/** By Get Many of this workflow, which finds all that this workflow made and nothing else; delivered from there. */
	async expectFound(shop: Shop, order: Order): Promise<void> {
		const found = await this.rest.waitFor(await this.rest.run(shop.workflow, 'Start'));
		expect(await this.deliveredBy([found])).toContain(order.color);
		const makers = itemsOf(found, 'comfyManageJobs').map(({ json }) => (json.made_by as { execution_id: string }).execution_id);
		const orders = (await shop.executions()).filter(({ mode }) => mode === 'webhook').map(({ id }) => id);
		expect(makers.sort()).toEqual(orders.sort());
	}

	async untilStatus(orders: Order[], status: string, timeoutMs = PATIENCE_MS): Promise<void> {
		for (const { id } of orders) await this.rest.waitFor(id, { timeoutMs, until: (execution) => execution.status === status });
	}

	async close(): Promise<void> {
		await this.session.close();
		await this.host.close();
	}
}

export const isRecovered = (execution: Execution): boolean =>
	['comfySubmitWorkflow', 'comfyRunWorkflow'].some((name) => itemsOf(execution, name)[0]?.json.recovered === true);
