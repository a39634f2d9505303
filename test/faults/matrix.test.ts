import { startSandbox, type Sandbox } from '../../sandbox';
import { CALLS, cellName, FAULTS, matrix } from './matrix';
import { expectationOf } from './outcomes';
import { runCell, runUnharmed } from './runCell';
import type { Call, Cell } from './shapes';

/*
 * The matrix itself. `npm run test:faults` runs its cells.
 */

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ gateOpen: false });
});
afterAll(async () => await sandbox.close());

const cellOf = (call: string, fault: string, attempts: Cell['attempts']): Cell => {
	const cell = matrix().find((one) => one.call.name === call && one.fault.name === fault && one.attempts === attempts);
	if (cell === undefined) throw new Error(`There is no cell ${call} · ${fault}`);
	return cell;
};

test('each name stands for one fault, one call, one cell', () => {
	for (const names of [FAULTS.map(({ name }) => name), CALLS.map(({ name }) => name), matrix().map(cellName)])
		expect(names).toEqual([...new Set(names)]);
});

test('each fault is met by some call, each call by some fault', () => {
	const cells = matrix();
	expect(FAULTS.filter((fault) => !cells.some((cell) => cell.fault === fault)).map(({ name }) => name)).toEqual([]);
	expect(CALLS.filter((call) => !cells.some((cell) => cell.call === call)).map(({ name }) => name)).toEqual([]);
});

test('the matrix has at least 16,000 distinct (fault, call, outcome)', () => {
	const distinct = new Set(matrix().map(({ fault, call, expected }) => `${fault.name}·${call.name}·${expected.outcome}`));
	expect(distinct.size).toBeGreaterThanOrEqual(16_000);
});

test('of each cell is known how it ends, and why', () => {
	const unknown = matrix().filter(({ expected }) => expected.outcome === '' || expected.because === '');
	expect(unknown.map(cellName)).toEqual([]);
});

test.each(CALLS.map((call) => [call.name, call] as const))('%s: well, through a proxy that does nothing', async (_name, call) => {
	const outcome = await runUnharmed(call, sandbox);
	expect(outcome).toBe(call.unharmed ?? 'done');
});

describe('a cell', () => {
	it('holds where the call ends as expected', async () => {
		expect(await runCell(cellOf('v2 get, hosted', '404 in the service’s words', 'every'), sandbox)).toEqual({
			outcome: 'api 404 not_found',
			failures: [],
		});
	});

	it('says how it ends otherwise', async () => {
		const cell = cellOf('v2 get, hosted', '404 in the service’s words', 'every');
		const { failures } = await runCell({ ...cell, expected: { outcome: 'done', because: 'of a mistake' } }, sandbox);
		expect(failures).toEqual(['ended as "api 404 not_found", not as "done" (of a mistake)']);
	});

	const changed = (call: Partial<Call>): Cell => {
		const cell = cellOf('v2 get, hosted', '404 in the service’s words', 'every');
		const other = { ...cell.call, ...call };
		return { ...cell, call: other, expected: expectationOf(cell.fault, other, cell.attempts) };
	};

	it('says that too much is paid', async () => {
		expect((await runCell(changed({ billed: () => 2 }), sandbox)).failures).toEqual(['2 jobs are paid']);
	});

	it('says that nothing has met the fault', async () => {
		const { failures } = await runCell(changed({ on: 'GET /nowhere' }), sandbox);
		expect(failures).toContain('no request met the fault');
	});

	it('reports a leaked secret', async () => {
		const run = async (): Promise<void> => {
			throw new Error(`The key is ${sandbox.keys.apiKey}`);
		};
		const { failures } = await runCell(changed({ run }), sandbox);
		expect(failures).toEqual(expect.arrayContaining(['a secret stands in the error', 'the message does not say what to do']));
	});

	it('says that a stranger has got a key', async () => {
		const run: Call['run'] = async ({ stranger }) => {
			await (await fetch(stranger, { headers: { authorization: `Bearer ${sandbox.keys.apiKey}` } })).text();
		};
		expect((await runCell(changed({ run }), sandbox)).failures).toContain('a stranger has got a key');
	});
});
