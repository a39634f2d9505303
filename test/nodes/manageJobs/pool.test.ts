import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { colorGraph, gatedGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedPool } from '../support/pool';
import { finished, jsons, submitted } from '../support/submit';

const pool = sharedPool();
const { sandboxes, address } = pool;

const GIB = 1024 ** 3;
const ALL = [0, 1, 2];
let seed = 9_000;

type Operation = Parameters<typeof manageRun>[1];

/** @param options of the node. It sends each request once, because some tests stop a server. */
const manage = async (what: Operation, options: IDataObject = {}, parameters: IDataObject = {}, more: Partial<NodeRun> = {}) =>
	await runNode(
		manageRun(pool.credential(), what, { ...more, parameters: { ...parameters, options: { waitForServerMinutes: 0, ...options } } }),
	);

const statusOn = (index: number, id: string) => sandboxes[index]?.job(id)?.status;

/** A job that runs on one server until the gate opens, and one that waits for it. */
async function busyServer(index: number): Promise<{ running: string; waiting: string }> {
	sandboxes[index]?.configure({ gateOpen: false });
	const submit = async () => await submitted(sandboxes[index] as (typeof sandboxes)[0], gatedGraph(seed++), pool.single(index));
	const running = await submit();
	await until(() => statusOn(index, running) === 'running');
	return { running, waiting: await submit() };
}

const endedOn = async (index: number) => await finished(sandboxes[index] as (typeof sandboxes)[0], colorGraph(seed++), pool.single(index));

async function whileStopped<T>(indexes: number[], work: () => Promise<T>): Promise<T> {
	for (const index of indexes) await sandboxes[index]?.stopEngine();
	try {
		return await work();
	} finally {
		for (const index of indexes) await sandboxes[index]?.startEngine();
	}
}

const cannotBeReached = (index: number): string =>
	`The results do not include ${address(index)}. The server at ${address(index)} cannot be reached: the connection was refused. Check that`;

describe('the queues of several ComfyUIs', () => {
	it('are listed by Get one after another, with the server after the job ID and a position in its queue', async () => {
		const [first, third] = [await busyServer(0), await busyServer(2)];
		const items = jsons(await manage('queue:get'));
		expect(items.map(({ job_id, server, status, position }) => [job_id, server, status, position])).toEqual([
			[first.running, address(0), 'running', null],
			[first.waiting, address(0), 'queued', 1],
			[third.running, address(2), 'running', null],
			[third.waiting, address(2), 'queued', 1],
		]);
		expect(Object.keys(items[0] ?? {}).slice(0, 3)).toEqual(['job_id', 'server', 'interface']);
	});

	it('are listed for the server that each item names in Server', async () => {
		const [first, second] = [await busyServer(0), await busyServer(1)];
		const servers = [`${address(1)}/`, new URL(address(0)).host, address(2), address(0)];
		const result = await manage(
			'queue:get',
			{ server: '={{ $json.server }}' },
			{},
			{ items: servers.map((server) => ({ json: { server } })) },
		);
		expect(result.outputs[0]?.map(({ json, pairedItem }) => [json.job_id, (pairedItem as { item: number }).item])).toEqual([
			[second.running, 0],
			[second.waiting, 0],
			[first.running, 1],
			[first.waiting, 1],
			[first.running, 3],
			[first.waiting, 3],
		]);
	});

	it('lose the jobs that Delete names, and each item contains the server that had the job', async () => {
		const [first, second] = [await busyServer(0), await busyServer(1)];
		const result = await manage('queue:delete', {}, { jobId: [second.waiting, first.waiting, first.running, 'unknown'].join() });
		expect(jsons(result)).toEqual([
			{ job_id: second.waiting, server: address(1), interface: 'engine', was: 'queued', deleted: true },
			{ job_id: first.waiting, server: address(0), interface: 'engine', was: 'queued', deleted: true },
			{ job_id: first.running, server: address(0), interface: 'engine', was: 'running', deleted: false },
			{ job_id: 'unknown', server: null, interface: 'engine', was: 'not_in_queue', deleted: false },
		]);
		expect(result.hints).toEqual([expect.stringContaining(`These jobs are still running: ${first.running}.`)]);
		// A job on another server than the one in Server stays.
		const { waiting } = await busyServer(2);
		expect(jsons(await manage('queue:delete', { server: address(0) }, { jobId: waiting }))).toMatchObject([
			{ job_id: waiting, server: null, deleted: false },
		]);
		expect(statusOn(2, waiting)).toBe('queued');
	});

	it('are interrupted on each server, or only on the one in Server', async () => {
		const [first, second] = [await busyServer(0), await busyServer(1)];
		expect(jsons(await manage('queue:interrupt', { server: address(1) }))).toEqual([
			{ server: address(1), interrupted: true, interface: 'engine', job_ids: [second.running] },
		]);
		expect(statusOn(0, first.running)).toBe('running');
		const items = jsons(await manage('queue:interrupt'));
		expect(items.map(({ server }) => server)).toEqual(ALL.map(address));
		expect(items.map(({ job_ids }) => job_ids)).toEqual([[first.running], expect.anything(), []]);
		await until(() => statusOn(0, first.running) !== 'running');
	});
});

describe('the operations of Server on several ComfyUIs', () => {
	it('Get Information returns one item for each server, in the order of the credential', async () => {
		const { running } = await busyServer(1);
		const items = jsons(await manage('server:getInfo'));
		expect(items.map(({ server, running: count, queued }) => [server, count, queued])).toEqual([
			[address(0), 0, 0],
			[address(1), 1, 1],
			[address(2), 0, 0],
		]);
		expect(items[0]).toMatchObject({ interface: 'engine', comfyui_version: '0.3.64' });
		expect(statusOn(1, running)).toBe('running');
	});

	it('Clear History returns for each server the jobs that it removed', async () => {
		const [first, second] = [await endedOn(0), await endedOn(1)];
		const chosen = await manage('server:clearHistory', {}, { historyJobs: 'chosen', jobId: `${first}, ${second}` });
		expect(jsons(chosen).map(({ server, cleared_job_ids: cleared }) => [server, cleared])).toEqual([
			[address(0), [first]],
			[address(1), [second]],
			[address(2), []],
		]);
		const third = await endedOn(2);
		expect(jsons(await manage('server:clearHistory', { server: address(2) }, { historyJobs: 'all' }))).toMatchObject([
			{ server: address(2), cleared_job_ids: [third] },
		]);
	});

	it('Get Many Models returns the models of all servers, up to Limit', async () => {
		sandboxes[1].configure({ engineModels: { loras: ['only_here.safetensors'] } });
		const folder = { __rl: true, mode: 'name', value: 'loras' };
		const items = jsons(await manage('server:getAllModels', {}, { folder, returnAll: true }));
		expect(new Set(items.map(({ server }) => server))).toEqual(new Set(ALL.map(address)));
		expect(items.filter(({ name }) => name === 'only_here.safetensors')).toMatchObject([{ server: address(1), folder: 'loras' }]);
		expect(items.find(({ server, name }) => server === address(2) && name === 'ink/brush.safetensors')).toMatchObject({
			size_bytes: 2 * GIB,
		});
		expect(jsons(await manage('server:getAllModels', {}, { folder, limit: 1 }))).toHaveLength(1);
		const ofOne = jsons(await manage('server:getAllModels', { server: address(2) }, { folder, returnAll: true }));
		expect(ofOne).toEqual(items.filter(({ server }) => server === address(2)));
	});
});

it.each<Operation>(['queue:get', 'server:getInfo'])('Server lists the known addresses if none of them was entered (%s)', async (what) => {
	const result = await manage(
		what,
		{ server: '={{ $json.server }}' },
		{},
		{ items: [{ json: { server: 'http://gpu9:8188' } }, {}], ...CONTINUE },
	);
	const [failed, ...others] = jsons(result);
	expect(failed).toMatchObject({
		error: 'The credential does not have the server "http://gpu9:8188"',
		error_description: `Nothing was sent. Enter one of these addresses under Server in Options: ${ALL.map(address).join(', ')}. To use all of them, leave Server empty.`,
	});
	if (what !== 'queue:get') expect(new Set(others.map(({ server }) => server))).toEqual(new Set(ALL.map(address)));
});

describe('a server that does not respond', () => {
	it('is named in a hint, and the items of the others are returned by each operation', async () => {
		const operations: Array<[Operation, IDataObject]> = [
			['queue:get', {}],
			['queue:delete', { jobId: 'unknown' }],
			['queue:interrupt', {}],
			['server:getInfo', {}],
			['server:freeMemory', {}],
			['server:clearHistory', { historyJobs: 'all' }],
			['server:getAllModels', { limit: 3 }],
		];
		await busyServer(0);
		await whileStopped([1], async () => {
			for (const [what, parameters] of operations) {
				const result = await manage(what, {}, parameters, { items: [{}, {}] });
				expect(result.error).toBeUndefined();
				expect(jsons(result).length).toBeGreaterThan(1);
				expect(jsons(result).map(({ server }) => server)).not.toContain(address(1));
				expect(result.hints).toEqual([expect.stringContaining(cannotBeReached(1))]);
				const [note, ...items] = jsons(await manage(what, {}, parameters, { asTool: true }));
				expect(note).toEqual({ server: address(1), note: result.hints[0] });
				expect(items).toHaveLength(jsons(result).length / 2);
			}
		});
	});

	it('fails the item if all servers reject the request, and the error names each one', async () => {
		for (const sandbox of sandboxes) sandbox.inject({ on: 'GET /api/queue', answer: { status: 403 } });
		const { error } = await manage('queue:get');
		expect(error?.description).toContain(`Server: ${address(0)}`);
		for (const index of ALL) expect(error?.description).toContain(`Refused by ${address(index)}: HTTP 403 forbidden.`);
	});
});

describe('Job', () => {
	const getMany = async (more: Partial<NodeRun> = {}) => await manage('job:getAll', {}, { returnAll: true, filters: {} }, more);

	it('Get Many lists the jobs of all servers, newest first, with the server after the job ID', async () => {
		const ids = [await endedOn(0), await endedOn(2), await endedOn(1)];
		const items = jsons(await getMany());
		expect(items.map(({ job_id, server }) => [job_id, server])).toEqual([
			[ids[2], address(1)],
			[ids[1], address(2)],
			[ids[0], address(0)],
		]);
		expect(Object.keys(items[0] ?? {}).slice(0, 3)).toEqual(['job_id', 'server', 'interface']);
	});

	it('Get Many names the servers that did not respond in one hint', async () => {
		const id = await endedOn(0);
		const { agent, result } = await whileStopped([1, 2], async () => ({
			result: await getMany({ items: [{}, {}] }),
			agent: await getMany({ asTool: true }),
		}));
		const hint = `The list does not include the jobs of ${address(1)}, ${address(2)}, because these servers did not respond. Check that they are running, and run the node again.`;
		expect(jsons(result).map(({ job_id }) => job_id)).toEqual([id, id]);
		expect(result.hints).toEqual([hint]);
		expect(jsons(agent)).toMatchObject([{ jobs: 1, interface: 'engine', note: hint }, { job_id: id }]);
	});
});
