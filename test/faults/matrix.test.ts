import { startSandbox, type Sandbox } from '../../sandbox';
import { CALLS, cellName, FAULTS, matrix } from './matrix';
import { expectationOf } from './outcomes';
import { runCell } from './runCell';
import type { Call } from './shapes';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ gateOpen: false });
});
afterAll(async () => await sandbox.close());

test('each name stands for one fault, one call, one cell', () => {
	for (const names of [FAULTS.map(({ name }) => name), CALLS.map(({ name }) => name), matrix().map(cellName)])
		expect(names).toEqual([...new Set(names)]);
});

test('each fault is met by some call, each call by some fault', () => {
	const cells = matrix();
	expect(FAULTS.filter((fault) => !cells.some((cell) => cell.fault === fault)).map(({ name }) => name)).toEqual([]);
	expect(CALLS.filter((call) => !cells.some((cell) => cell.call === call)).map(({ name }) => name)).toEqual([]);
});

test('of each cell is known how it ends, and why', () => {
	const unknown = matrix().filter(({ expected }) => expected.outcome === '' || expected.because === '');
	expect(unknown.map(cellName)).toEqual([]);
});

/** Does nothing but what must be reported. */
const LEAKS: Call['run'] = async ({ sandbox: { keys } }) => {
	throw new Error(`The key is ${keys.apiKey}`);
};
const SENDS_KEY: Call['run'] = async ({ stranger, sandbox: { keys } }) => {
	await (await fetch(stranger, { headers: { authorization: `Bearer ${keys.apiKey}` } })).text();
};

test.each<[what: string, changed: Partial<Call>, failures: string[]]>([
	['nothing, where all is well', {}, []],
	['that too much is paid', { billed: () => 2 }, ['2 jobs are paid']],
	['that nothing has met the fault', { on: 'GET /nowhere' }, ['no request met the fault']],
	['a leaked secret', { run: LEAKS }, ['a secret stands in the error', 'the message does not say what to do']],
	['a key that a stranger has got', { run: SENDS_KEY }, ['a stranger has got a key']],
])('a cell reports %s', async (_what, changed, failures) => {
	const cell = matrix().find((one) => cellName(one) === 'v2 get, hosted · 404 in the service’s words · every');
	if (cell === undefined) throw new Error('This cell does not exist');
	const call = { ...cell.call, ...changed };
	const result = await runCell({ ...cell, call, expected: expectationOf(cell.fault, call, cell.attempts) }, sandbox);
	expect(result.failures).toEqual(failures.length === 0 ? [] : expect.arrayContaining(failures));
});
