import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { colorGraph, gatedGraph } from '../support/graphs';
import { sharedPool } from '../support/pool';
import { runRun } from '../support/run';
import { jsons, submitted, waitRun } from '../support/submit';

const pool = sharedPool();
const { sandboxes, address } = pool;

let seed = 70_000;
const DONE = { freeMemory: 'whenDone' };
const EACH = { freeMemory: 'afterEachJob' };
const FREED = { models: true, caches: true };

const sandboxAt = (index: number): Sandbox => sandboxes[index] as Sandbox;
const frees = () => sandboxes.map(({ ledger }) => ledger.frees.length);
const submitTo = async (index: number, graph = colorGraph(seed++)) => await submitted(sandboxAt(index), graph, pool.single(index));
const waitFor = (ids: string[], options: IDataObject, more: Partial<NodeRun> = {}): NodeRun =>
	waitRun(pool.credential(), ids, { ...more, parameters: { options } });

/** A job of another program that runs on one server until the gate opens. */
async function otherJobOn(index: number): Promise<void> {
	sandboxAt(index).configure({ gateOpen: false, engineConcurrency: 2 });
	const id = await submitTo(index, gatedGraph(seed++));
	await until(() => sandboxAt(index).job(id)?.status === 'running');
}

afterEach(() => sandboxes.forEach((sandbox) => sandbox.configure({ gateOpen: true })));

it('Comfy Run Workflow frees the memory of each server that ran its jobs, once', async () => {
	const items = Array.from({ length: 6 }, () => ({ json: { color: seed++ } }));
	const options = { inputValues: '={{ { "1": { color: $json.color } } }}', ...DONE, concurrency: 6 };
	const result = await runNode(runRun(pool.credential(), colorGraph(0), { items, parameters: { options } }));
	const used = new Set(jsons(result).map(({ server }) => server));
	expect(jsons(result)).toHaveLength(6);
	expect(result.hints).toEqual([]);
	expect(frees()).toEqual([0, 1, 2].map((index) => (used.has(address(index)) ? 1 : 0)));
});

it.each([
	['When This Run Is Done', DONE, [1, 0, 1]],
	['After Each Job', EACH, [1, 0, 2]],
])('frees no memory of a server that ran no job of the node (%s)', async (_, options, expected) => {
	const ids = [await submitTo(0), await submitTo(2), await submitTo(2)];
	for (const id of ids) await until(() => sandboxes.some((sandbox) => sandbox.job(id)?.status === 'succeeded'));
	const result = await runNode(waitFor(ids, { ...options, concurrency: 1 }));
	expect(jsons(result).map(({ server }) => server)).toEqual([address(0), address(2), address(2)]);
	expect(result.hints).toEqual([]);
	expect(frees()).toEqual(expected);
	expect(sandboxes[0].ledger.frees).toMatchObject([FREED]);
});

it('frees the memory of the other servers if a job of another program runs on one, and names this server in a hint', async () => {
	const ids = [await submitTo(0), await submitTo(1)];
	for (const index of [0, 1]) await until(() => sandboxAt(index).job(ids[index] ?? '')?.status === 'succeeded');
	await otherJobOn(1);
	const result = await runNode(waitFor(ids, DONE));
	expect(result.status).toBe('success');
	expect(frees()).toEqual([1, 0, 0]);
	expect(result.hints).toEqual([
		`The memory of ComfyUI at ${address(1)} was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.`,
	]);
	await runNode(waitFor(ids, { ...DONE, freeMemoryEvenIfOthersWait: true }));
	expect(frees()).toEqual([2, 1, 0]);
});

it('frees the memory of the other servers if one does not respond in time, and names this server in a hint', async () => {
	const ids = [await submitTo(0), await submitTo(1)];
	sandboxes[1].inject({ on: 'POST /api/free', surface: 'engine', times: Infinity, fault: { kind: 'delay', ms: 30_000 } });
	const result = await runNode(waitFor(ids, DONE));
	expect(result.status).toBe('success');
	expect(frees()).toEqual([1, 0, 0]);
	expect(result.hints).toEqual([
		`The memory of ComfyUI at ${address(1)} was not freed, because ComfyUI did not respond in time. Run the node again when it responds.`,
	]);
}, 20_000);

it('names the server that cannot free its memory', async () => {
	sandboxes[2].configure({ engineFree: 'absent' });
	const result = await runNode(waitFor([await submitTo(2)], DONE));
	expect(result.hints).toEqual([
		expect.stringContaining(`The memory of ComfyUI at ${address(2)} was not freed: ComfyUI itself does not offer this function.`),
	]);
});

it.each([
	['When This Run Is Done', DONE],
	['After Each Job', EACH],
])('frees the memory of the server whose job is stopped (%s)', async (_, options) => {
	sandboxes[1].configure({ gateOpen: false });
	const id = await submitTo(1, gatedGraph(seed++));
	const { result, stop } = startNode(waitFor([id], options));
	await until(() => sandboxes[1].sockets('engine').length > 0);
	stop();
	await result.catch(() => undefined);
	await until(() => frees()[1] === 1);
	expect(frees()).toEqual([0, 1, 0]);
});
