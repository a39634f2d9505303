/** The memory of several ComfyUIs, and how long the nodes wait for it. */
import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { type Credential, runNode, startNode } from '../support/engine';
import { COLOR_OF_ITEM, colorGraph, gatedGraph, newColorItems } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedPool } from '../support/pool';
import { runRun } from '../support/run';
import { finished, jsons, submitted, waitRun } from '../support/submit';

countTurns(20);
const pool = sharedPool();
const { sandboxes, address } = pool;
const GIB = 1024 ** 3;
const STATS = 'GET /api/system_stats';
const QUEUE = 'GET /api/queue';
/** To recognize the server, before the request, and after it. */
const READS_BEFORE_WAIT = 3;

let seed = 70_000;
const DONE = { freeMemory: 'whenDone' };
const EACH = { freeMemory: 'afterEachJob' };

const sandboxAt = (index: number): Sandbox => sandboxes[index] as Sandbox;
const frees = () => sandboxes.map(({ ledger }) => ledger.frees.length);
const submitTo = async (index: number, graph = colorGraph(seed++)) => await submitted(sandboxAt(index), graph, pool.single(index));
/** Jobs that have ended on these servers. */
async function endedOn(...indexes: number[]): Promise<string[]> {
	const ids = [];
	for (const index of indexes) ids.push(await finished(sandboxAt(index), colorGraph(seed++), pool.single(index)));
	return ids;
}
const waitFor = async (ids: string[], options: IDataObject) => await runNode(waitRun(pool.credential(), ids, { parameters: { options } }));
const run = async (credential: Credential, options: IDataObject, count = 2) =>
	await runNode(
		runRun(credential, colorGraph(0), {
			items: newColorItems(count),
			parameters: { options: { ...COLOR_OF_ITEM, ...options } },
		}),
	);
const free = async (options: IDataObject = {}, count = 1) =>
	await runNode(manageRun(pool.credential(), 'server:freeMemory', { items: Array<object>(count).fill({}), parameters: { options } }));

/** A job of another program that runs on one server until the gate opens. */
async function otherJobOn(index: number): Promise<void> {
	sandboxAt(index).configure({ gateOpen: false, engineConcurrency: 2, workers: 2 });
	const id = await submitTo(index, gatedGraph(seed++));
	await until(() => sandboxAt(index).job(id)?.status === 'running');
}
afterEach(() => sandboxes.forEach((sandbox) => sandbox.configure({ gateOpen: true })));

/** The server does not answer this request. */
const stall = (index: number, on: string, skip = 0) =>
	sandboxAt(index).inject({ on, surface: 'engine', skip, times: Infinity, fault: { kind: 'delay', ms: 60_000 } });

describe('the servers', () => {
	it('that ran jobs of Comfy Run Workflow free their memory once', async () => {
		const result = await run(pool.credential(), { ...DONE, concurrency: 6 }, 6);
		const used = new Set(jsons(result).map(({ server }) => server));
		expect(jsons(result)).toHaveLength(6);
		expect(result.hints).toEqual([]);
		expect(frees()).toEqual([0, 1, 2].map((index) => (used.has(address(index)) ? 1 : 0)));
	});

	it.each([
		['When This Run Is Done', DONE, [1, 0, 1]],
		['After Each Job', EACH, [1, 0, 2]],
	])('that ran no job of the node free no memory (%s)', async (_, options, expected) => {
		const result = await waitFor(await endedOn(0, 2, 2), { ...options, concurrency: 1 });
		expect(jsons(result).map(({ server }) => server)).toEqual([address(0), address(2), address(2)]);
		expect(result.hints).toEqual([]);
		expect(frees()).toEqual(expected);
	});

	it('that cannot free their memory are named in hints with the reason, and the others free theirs', async () => {
		const ids = await endedOn(0, 1, 2);
		await otherJobOn(1);
		sandboxAt(2).configure({ engineFree: 'absent' });
		const result = await waitFor(ids, DONE);
		expect(result.status).toBe('success');
		expect(frees()).toEqual([1, 0, 0]);
		expect(result.hints).toEqual([
			`The memory of ComfyUI at ${address(1)} was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.`,
			expect.stringContaining(`The memory of ComfyUI at ${address(2)} was not freed: ComfyUI itself does not offer this function.`),
		]);
		await waitFor(ids.slice(0, 2), { ...DONE, freeMemoryEvenIfOthersWait: true });
		expect(frees()).toEqual([2, 1, 0]);
	});

	it('that do not respond in time are named in hints, and the others free theirs', async () => {
		const ids = await endedOn(0, 1);
		stall(1, 'POST /api/free');
		const result = await waitFor(ids, DONE);
		expect(result.status).toBe('success');
		expect(frees()).toEqual([1, 0, 0]);
		expect(result.hints).toEqual([
			`The memory of ComfyUI at ${address(1)} was not freed, because ComfyUI did not respond in time. Run the node again when it responds.`,
		]);
	}, 20_000);

	it('whose jobs are stopped free their memory, as each item says', async () => {
		const ids = [];
		for (const index of [0, 1, 2]) {
			sandboxAt(index).configure({ gateOpen: false });
			ids.push(await submitTo(index, gatedGraph(seed++)));
		}
		const options = { freeMemory: '={{ ["no", "afterEachJob", "whenDone"][$itemIndex] }}' };
		const { result, stop } = startNode(waitRun(pool.credential(), ids, { parameters: { options } }));
		await until(() => sandboxes.every((sandbox) => sandbox.sockets('engine').length > 0));
		stop();
		await result.catch(() => undefined);
		await until(() => frees()[1] === 1 && frees()[2] === 1);
		expect(frees()).toEqual([0, 1, 1]);
	});
});

describe('servers with a GPU, which free their memory in steps', () => {
	beforeEach(() => sandboxes.slice(0, 2).forEach((sandbox) => sandbox.configure({ engineDevice: 'cuda', engineFreeMs: 300 })));

	/** The free memory of a server in GiB, as another program sees it. */
	async function vramFree(index: number): Promise<number> {
		const stats = (await (await fetch(`${address(index)}/system_stats`)).json()) as { devices: [{ vram_free: number }] };
		return stats.devices[0].vram_free / GIB;
	}
	const memory = (gib: number) => ({ vram_free: gib * GIB, ram_free: gib * GIB });

	it.each([
		['When This Run Is Done', DONE, 1],
		['After Each Job', EACH, 2],
	])('let another program use the memory as soon as two items are returned (%s)', async (_, options, requests) => {
		const result = await run(pool.single(0), { ...options, concurrency: 1 });
		await expect(vramFree(0)).resolves.toBe(24);
		expect(jsons(result)).toHaveLength(2);
		expect(result.hints).toEqual([]);
		expect(frees()[0]).toBe(requests);
	});

	it('whose memory is not steady in time are named in hints, also if they still list the jobs that have just ended', async () => {
		const ids = await endedOn(0, 1);
		const queueReads = (index: number): number => sandboxAt(index).requests(QUEUE).length;
		const before = [0, 1].map(queueReads);
		await waitFor(ids, {});
		for (const [index, id] of ids.entries()) {
			const json = { queue_running: [[1, id, {}, {}, []]], queue_pending: [] };
			const skip = queueReads(index) - Number(before[index]);
			sandboxAt(index).inject({ on: QUEUE, surface: 'engine', skip, times: Infinity, answer: { status: 200, json } });
			stall(index, STATS, READS_BEFORE_WAIT);
		}
		const result = await waitFor(ids, { ...DONE, freeMemoryWaitSeconds: 2 });
		expect(jsons(result)).toHaveLength(2);
		expect(result.hints).toEqual(
			[0, 1].map(
				(index) =>
					`The free memory of ComfyUI at ${address(index)} was not steady within 2 s. If another program has too little memory, raise Wait For Free Memory (Seconds) in Options.`,
			),
		);
	});

	it('are not waited for on a CPU, or while a job of another program keeps the memory', async () => {
		sandboxAt(0).configure({ engineDevice: 'cpu' });
		await run(pool.single(0), DONE);
		await otherJobOn(1);
		await run(pool.single(1), { ...DONE, freeMemoryEvenIfOthersWait: true });
		sandboxAt(1).configure({ gateOpen: true });
		// The submission of the job of another program recognizes the server too.
		expect([0, 1].map((index) => sandboxAt(index).requests(STATS).length)).toEqual([READS_BEFORE_WAIT, READS_BEFORE_WAIT + 1]);
		expect(frees()).toEqual([1, 1, 0]);
	});

	describe('and the operation Free Memory', () => {
		beforeEach(async () => void (await endedOn(0, 1)));

		it('returns all memory that they free in steps, and does not wait for a server with a CPU', async () => {
			expect(jsons(await free())).toMatchObject([
				{ server: address(0), freed: 'now', is_final: true, before: memory(22), after: memory(24) },
				{ server: address(1), freed: 'now', is_final: true, before: memory(22), after: memory(24) },
				{ server: address(2), freed: 'now', is_final: null },
			]);
			expect(sandboxAt(2).requests(STATS)).toHaveLength(READS_BEFORE_WAIT);
			expect(frees()).toEqual([1, 1, 1]);
			expect(jsons(await free({ server: address(1) }))).toMatchObject([{ server: address(1) }]);
			// A server whose memory stays the same is asked twice.
			expect(frees()).toEqual([1, 3, 1]);
		});

		it.each([0, 1])('says that memory that may still change after %i s is not final', async (freeMemoryWaitSeconds) => {
			for (const index of [0, 1]) {
				sandboxAt(index).configure({ engineFreeMs: 600_000 });
				if (freeMemoryWaitSeconds > 0) stall(index, STATS, READS_BEFORE_WAIT);
			}
			const unsteady = { freed: 'now', is_final: false, after: memory(22) };
			expect(jsons(await free({ freeMemoryWaitSeconds }))).toMatchObject([unsteady, unsteady, { is_final: null }]);
		});
	});
});
