/** `npm run test:faults`: every fault, done to every call. @see test/faults/README.md */
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { cellName, matrix } from '../test/faults/matrix';
import type { Cell } from '../test/faults/shapes';
import type { TestedCell } from './faults/child';

const PROCESSES = 2;
const LEAST_CELLS = 4_000;

const { values } = parseArgs({
	options: {
		only: { type: 'string', multiple: true },
		report: { type: 'string' },
		list: { type: 'boolean' },
		'one-in': { type: 'string' },
	},
});

const oneIn = Number(values['one-in'] ?? 1);
const isWhole = values.only === undefined && oneIn <= 4;

/** The same number for a place in every run, and about as often each. */
const hashPosition = (place: number): number => Math.imul(place + 1, 2_654_435_761) >>> 8;

/** The order of cells is the same in each process: a cell is known by its place. `--one-in 4`: a quarter of them, the same in every run. */
const isChosen = (cell: Cell, place: number): boolean =>
	(values.only ?? []).every((part) => cellName(cell).includes(part)) && hashPosition(place) % oneIn === 0;

const cells = matrix();

async function main(): Promise<void> {
	const places = cells.flatMap((cell, place) => (isChosen(cell, place) ? [place] : []));
	if (values.list) return places.forEach((place) => console.log(`${cellName(cells[place] as Cell)} → ${cells[place]?.expected.outcome}`));
	const { passed, failed } = await testCells(places);
	if (failed > 0) process.exitCode = 1;
	if (values.report !== undefined) await writeFile(values.report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}

async function testCells(places: readonly number[]): Promise<{ passed: number; failed: number }> {
	const startedAt = performance.now();
	// Cells of one call take about as long each: mixed, some wait while others work.
	const inOrder = [...places].sort((one, other) => hashPosition(one) - hashPosition(other));
	const shares = Array.from({ length: PROCESSES }, (_, process) => inOrder.filter((_place, at) => at % PROCESSES === process));
	const tested = (await Promise.all(shares.filter((share) => share.length > 0).map(testInProcess))).flat();
	const passed = tested.filter(({ failures }) => failures.length === 0).length;
	const distinct = new Set(tested.map(({ place, outcome }) => `${cells[place]?.fault.name}·${cells[place]?.call.name}·${outcome}`)).size;
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	console.log(
		`${distinct} distinct (fault, call, outcome) cells; ${passed} passed, ${places.length - passed} failed of ${places.length}; ${seconds} s`,
	);
	const isTooFew = isWhole && distinct < LEAST_CELLS;
	if (isTooFew) console.log(`Fewer than ${LEAST_CELLS} distinct cells`);
	return { passed, failed: places.length - passed + (isTooFew ? 1 : 0) };
}

async function testInProcess(places: readonly number[]): Promise<TestedCell[]> {
	const tested: TestedCell[] = [];
	const child = fork(join(__dirname, 'faults/child.ts'), { execArgv: ['--import', 'tsx'] });
	child.on('message', (message) => {
		const one = message as TestedCell;
		tested.push(one);
		if (one.failures.length > 0) console.log(`✗ ${cellName(cells[one.place] as Cell)}: ${one.failures.join('; ')}`);
	});
	child.send(places);
	const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
	if (code !== 0) console.log(`A process of cells ended with ${code}`);
	return tested;
}

void main();
