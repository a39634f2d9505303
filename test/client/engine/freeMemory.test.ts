import { freeMemory, type FreeRequest } from '../../../client/comfyui/freeMemory';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { slowGraph } from '../support/graphs';
import { useEngine } from './support/engine';

countTurns(50);
const engine = useEngine();
const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const STATS = 'GET /api/system_stats';

beforeEach(() => {
	engine.sandbox.clearFaults();
	engine.sandbox.configure({ engineDevice: 'cuda', engineFree: 'there', engineFreeMs: 100 });
	engine.sandbox.ledger.frees.length = 0;
});

/** The engine reports these bytes in one read after the other. */
function report(readings: number[][]): void {
	for (const bytes of readings) {
		const devices = bytes.map((vram_free, index) => ({ name: `gpu ${index}`, type: 'cuda', index, vram_total: 24 * GIB, vram_free }));
		engine.sandbox.inject({ on: STATS, answer: { status: 200, json: { system: { os: 'linux' }, devices } } });
	}
}

const free = async (request: Partial<FreeRequest> = {}, waitSignal?: AbortSignal) =>
	await freeMemory(engine.connect(), { caches: true, maxWaitMs: 20_000, ...request }, {}, { signal: waitSignal });
const posts = () => engine.sandbox.ledger.frees.length;
const reads = () => engine.count(STATS);
const vramOf = ({ devices }: { devices: Array<{ vram_free: number | null }> }) =>
	devices.map(({ vram_free: bytes }) => Number(bytes) / GIB);

const ONE = (readings: number[]) => readings.map((gib) => [gib * GIB]);

it.each<[what: string, readings: number[][], last: number[], requests: number]>([
	['rises in steps of two equal readings', ONE([10, 10, 12, 12, 14, 14, 16, 16, 16]), [16], 1],
	['falls again when another program takes some of it', ONE([10, 14, 13, 13, 13]), [13], 1],
	['changes by a few megabytes only', [[10 * GIB], [20 * GIB], [20 * GIB + MIB], [20 * GIB - MIB]], [20 - 1 / 1024], 1],
	['does not change until the second request', ONE([10, 10, 10, 10, 11, 12, 12, 12]), [12], 2],
	['never changes', ONE([10, 10, 10, 10, 10, 10, 10]), [10], 2],
	[
		'rises on the second of two devices',
		[
			[4, 10],
			[4, 12],
			[4, 12],
			[4, 14],
			[4, 14],
			[4, 14],
		].map((gib) => gib.map((one) => one * GIB)),
		[4, 14],
		1,
	],
])('G1: memory that %s is final after three readings that agree', async (_, readings, last, requests) => {
	report(readings);
	const { after, isFinal } = await free();
	expect([vramOf(after), isFinal]).toEqual([last, true]);
	expect([reads(), posts()]).toEqual([readings.length, requests]);
});

it('G1: memory that has not settled at the end of the time is not final, and the last reading is returned', async () => {
	report(ONE([10, 12, 14]));
	engine.sandbox.inject({ on: STATS, fault: { kind: 'delay', ms: 60_000 } });
	const { after, isFinal } = await free();
	expect([vramOf(after), isFinal, reads()]).toEqual([[14], false, 4]);
});

it('G1: nothing is waited for if the engine reports no memory of devices, or while a job runs that has not just ended', async () => {
	report([[], []]);
	await expect(free()).resolves.toMatchObject({ isFinal: null, isBusy: false });
	const { job_id } = await engine.connect().jobs.submit({ graph: slowGraph(20, 100) });
	await engine.running(job_id);
	await expect(free()).resolves.toMatchObject({ isFinal: false, isBusy: true, queue: { running: [{ job_id }] } });
	expect([reads(), posts()]).toEqual([4, 2]);
	report(ONE([10, 12, 12, 12]));
	await expect(free({ endedJobIds: new Set([job_id]) })).resolves.toMatchObject({ isFinal: true, isBusy: false });
});

it('G1: a stop ends the wait, and the last reading is returned', async () => {
	const stop = new AbortController();
	engine.sandbox.configure({ engineFreeMs: 600_000 });
	await engine.ended((await engine.submit()).job_id);
	const freeing = free({ maxWaitMs: 10_000_000 }, stop.signal);
	await until(() => reads() > 3);
	stop.abort();
	await expect(freeing).resolves.toMatchObject({ isFinal: false });
});

it('G1: an engine that fails while it frees its memory is reported', async () => {
	report(ONE([10, 11]));
	engine.sandbox.inject({ on: STATS, times: Infinity, answer: { status: 403 } });
	await expect(free()).rejects.toMatchObject({ status: 403 });
});
