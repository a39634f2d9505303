import type { IDataObject } from 'n8n-workflow';

import { countTurns } from '../../support/turnClock';
import { type NodeRun, runNode } from '../support/engine';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedPool } from '../support/pool';
import { finished, jsons } from '../support/submit';

countTurns(20);
const pool = sharedPool();
const { sandboxes, address } = pool;
const GIB = 1024 ** 3;
const STATS = 'GET /api/system_stats';
/** To recognize the server, before the request, and after it. */
const READS_BEFORE_WAIT = 3;

let seed = 90_000;
const used = [sandboxes[0], sandboxes[1]];
beforeEach(async () => {
	for (const [index, sandbox] of used.entries()) {
		sandbox.configure({ engineDevice: 'cuda', engineFreeMs: 200 });
		await finished(sandbox, colorGraph(seed++), pool.single(index));
	}
});

const free = async (options: IDataObject = {}, credential = pool.credential(), more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credential, 'server:freeMemory', { parameters: { options }, ...more }));
const memory = (gib: number) => ({ vram_free: gib * GIB, ram_free: gib * GIB });

it('G1: two servers return all memory that they free in steps, and a server with a CPU is not waited for', async () => {
	expect(jsons(await free())).toMatchObject([
		{ server: address(0), freed: 'now', is_final: true, before: memory(22), after: memory(24) },
		{ server: address(1), freed: 'now', is_final: true, before: memory(22), after: memory(24) },
		{ server: address(2), freed: 'now', is_final: null },
	]);
	expect(sandboxes[2].requests(STATS)).toHaveLength(READS_BEFORE_WAIT);
	expect(sandboxes.map(({ ledger }) => ledger.frees.length)).toEqual([1, 1, 1]);
});

it('G1: two items of a server that never frees its memory ask it twice each, and return the same memory before and after', async () => {
	sandboxes[0].configure({ engineFree: 'ignored' });
	const result = await free({ server: address(0), concurrency: 1 }, pool.credential(), { items: [{}, {}] });
	const item = { freed: 'now', is_final: true, before: memory(22), after: memory(22) };
	expect(jsons(result)).toMatchObject([item, item]);
	expect(sandboxes[0].ledger.frees).toHaveLength(4);
});

it.each([0, 1])('G1: memory that may still change after %i s is not final', async (freeMemoryWaitSeconds) => {
	for (const sandbox of used) {
		sandbox.configure({ engineFreeMs: 600_000 });
		if (freeMemoryWaitSeconds > 0)
			sandbox.inject({ on: STATS, surface: 'engine', skip: READS_BEFORE_WAIT, fault: { kind: 'delay', ms: 60_000 } });
	}
	expect(jsons(await free({ freeMemoryWaitSeconds }))).toMatchObject([
		{ server: address(0), freed: 'now', is_final: false, after: memory(22) },
		{ server: address(1), freed: 'now', is_final: false, after: memory(22) },
		{ server: address(2), is_final: null },
	]);
});

it('G1: a time to wait that is not a number is reported, and nothing is sent', async () => {
	const { error } = await free({ freeMemoryWaitSeconds: 'long' });
	expect(error?.message).toBe('Wait For Free Memory (Seconds) is not a number of at least 0');
	expect(sandboxes.flatMap(({ ledger }) => ledger.frees)).toEqual([]);
});
