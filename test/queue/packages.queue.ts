/** The package in queue mode, with the list of docs/compose.queue.yaml: each process installs it, and a change of the list reaches all. */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../package.json';
import { openShop } from '../e2e/support/orders';
import { until } from '../e2e/support/until';
import { Cluster } from './support/cluster';
import { inOneNode } from './support/ways';

const NAME = 'n8n-nodes-comfy';
const NEXT = '7.0.0';
const LAST = '7.0.1';
const STARTS_WITHIN_MS = 900_000;

let cluster: Cluster;
beforeAll(async () => (cluster = await Cluster.open()), STARTS_WITHIN_MS);
afterAll(async () => await cluster?.close());

/** The version in the folder of each process. */
const installed = (): Array<string | undefined> =>
	cluster.host.packageFolders().map((folder) => {
		const path = join(folder, 'package.json');
		return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version : undefined;
	});

/** Runs orders until both workers ran one. @returns what the package said of itself to the service. */
async function versionsAtWork(): Promise<unknown[]> {
	const { rest, session, sandbox, host } = cluster;
	sandbox.resetRecords();
	const shop = await openShop(rest, { seconds: 1, credentials: session.credentials, way: inOneNode({}) });
	for (const name of ['worker-1', 'worker-2'] as const) await cluster.orderAt(host.worker(name), shop);
	await cluster.ended(shop, (await shop.executions()).length);
	return [...new Set(sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['user-agent']))];
}

test('main installs the package of its list, and each new worker installs it in its own folder', async () => {
	expect(installed()).toEqual([version, version, version]);
	expect(await versionsAtWork()).toEqual([`${NAME}/${version}`]);
});

test('another version in the list of main reaches the running workers without a restart', async () => {
	const names = ['worker-1', 'worker-2'] as const;
	const before = names.map((name) => cluster.host.worker(name).pid);
	await cluster.host.update(NEXT);
	await until('the update of both workers', () => (installed().every((one) => one === NEXT) ? true : undefined));
	expect(names.map((name) => cluster.host.worker(name).pid)).toEqual(before);
	await until('the new version at work', async () => ((await versionsAtWork()).join() === `${NAME}/${NEXT}` ? true : undefined));
});

test('a worker that was stopped during an update keeps its version until its folder of packages is deleted', async () => {
	const { host } = cluster;
	await host.worker('worker-2').stop();
	await host.update(LAST);
	await until('the update of the running worker', () => (installed()[1] === LAST ? true : undefined));
	const stopped = await host.startWorker('worker-2');
	expect(installed()).toEqual([LAST, LAST, NEXT]);

	await stopped.stop();
	await rm(join(host.packageFolders()[2] ?? '', '../..'), { recursive: true });
	await host.startWorker('worker-2');
	expect(installed()).toEqual([LAST, LAST, LAST]);
	expect(await versionsAtWork()).toEqual([`${NAME}/${LAST}`]);
});
