import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { countTurns } from '../../support/turnClock';
import { type Credential, runNode } from '../support/engine';
import { colorGraph, gatedGraph } from '../support/graphs';
import { sharedPool } from '../support/pool';
import { runRun } from '../support/run';
import { jsons, submitted, waitRun } from '../support/submit';

countTurns(20);
const pool = sharedPool();
const { sandboxes, address } = pool;
const GIB = 1024 ** 3;
const STATS = 'GET /api/system_stats';
/** To recognize the server, before the request, and after it. */
const READS_BEFORE_WAIT = 3;

let seed = 95_000;
const DONE = { freeMemory: 'whenDone' };
const EACH = { freeMemory: 'afterEachJob' };

beforeEach(() => sandboxes.forEach((sandbox) => sandbox.configure({ engineDevice: 'cuda', engineFreeMs: 300 })));

const run = (credential: Credential, options: IDataObject, count = 2) =>
	runRun(credential, colorGraph(0), {
		items: Array.from({ length: count }, () => ({ json: { color: seed++ } })),
		parameters: { options: { inputValues: '={{ { "1": { color: $json.color } } }}', ...options } },
	});
const frees = () => sandboxes.map(({ ledger }) => ledger.frees.length);

/** The free memory of a server in GiB, as another program sees it. */
async function vramFree(index: number): Promise<number> {
	const stats = (await (await fetch(`${address(index)}/system_stats`)).json()) as { devices: [{ vram_free: number }] };
	return stats.devices[0].vram_free / GIB;
}

it.each([
	['When This Run Is Done', DONE, 1],
	['After Each Job', EACH, 2],
])('G2: another program can use the memory as soon as two items are returned (%s)', async (_, options, requests) => {
	const result = await runNode(run(pool.single(0), { ...options, concurrency: 1 }));
	await expect(vramFree(0)).resolves.toBe(24);
	expect(jsons(result)).toHaveLength(2);
	expect(result.hints).toEqual([]);
	expect(frees()[0]).toBe(requests);
});

it('G2: the memory of two servers of a pool is free as soon as the items are returned', async () => {
	sandboxes[1].configure({ engineFreeMs: 600 });
	const ids = [
		await submitted(sandboxes[0], colorGraph(seed++), pool.single(0)),
		await submitted(sandboxes[1], colorGraph(seed++), pool.single(1)),
	];
	const result = await runNode(waitRun(pool.credential(), ids, { parameters: { options: DONE } }));
	await expect(Promise.all([vramFree(0), vramFree(1)])).resolves.toEqual([24, 24]);
	expect(jsons(result)).toHaveLength(2);
	expect(result.hints).toEqual([]);
	expect(frees()).toEqual([1, 1, 0]);
});

it('G2: two servers whose memory is not steady in time are named in hints, and the items are returned', async () => {
	const ids = [];
	for (const index of [0, 1]) {
		const sandbox = sandboxes[index] ?? sandboxes[0];
		ids.push(await submitted(sandbox, colorGraph(seed++), pool.single(index)));
		sandbox.inject({ on: STATS, surface: 'engine', skip: READS_BEFORE_WAIT, times: Infinity, fault: { kind: 'delay', ms: 60_000 } });
	}
	const result = await runNode(waitRun(pool.credential(), ids, { parameters: { options: { ...DONE, freeMemoryWaitSeconds: 2 } } }));
	expect(jsons(result)).toHaveLength(2);
	expect(result.hints).toEqual(
		[0, 1].map(
			(index) =>
				`The free memory of ComfyUI at ${address(index)} was not steady within 2 s. If another program has too little memory, raise Wait For Free Memory (Seconds) in Options.`,
		),
	);
});

it('G2: a server that never frees its memory is asked twice, and delays two items by no more than that', async () => {
	sandboxes[0].configure({ engineFree: 'ignored' });
	const result = await runNode(run(pool.single(0), DONE));
	expect(jsons(result)).toHaveLength(2);
	expect(result.hints).toEqual([]);
	expect(frees()[0]).toBe(2);
});

it('G2: two items do not wait for the memory on a CPU, or while a job of another program keeps it', async () => {
	sandboxes[0].configure({ engineDevice: 'cpu' });
	await runNode(run(pool.single(0), DONE));
	sandboxes[1].configure({ gateOpen: false, workers: 2, engineConcurrency: 2 });
	const other = await submitted(sandboxes[1], gatedGraph(seed++), pool.single(1));
	await until(() => sandboxes[1].job(other)?.status === 'running');
	await runNode(run(pool.single(1), { ...DONE, freeMemoryEvenIfOthersWait: true }));
	sandboxes[1].configure({ gateOpen: true });
	// The submission of the job of another program recognizes the server too.
	expect([0, 1].map((index) => sandboxes[index]?.requests(STATS).length)).toEqual([READS_BEFORE_WAIT, READS_BEFORE_WAIT + 1]);
	expect(frees()).toEqual([1, 1, 0]);
});

it('G2: a time to wait that is not a number is reported before a job is submitted', async () => {
	const runs = sandboxes[0].ledger.runs.length;
	const { error } = await runNode(run(pool.single(0), { ...DONE, freeMemoryWaitSeconds: -1 }));
	expect(error?.message).toBe('Wait For Free Memory (Seconds) is not a number of at least 0');
	expect(sandboxes[0].ledger.runs).toHaveLength(runs);
});
