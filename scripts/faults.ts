/** `npm run test:faults`: applies every fault to every call. @see test/faults/README.md */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { cellName, matrix } from '../test/faults/matrix';
import type { Cell } from '../test/faults/shapes';
import type { TestedCell } from './faults/child';
import { askWorkers } from './workers';

/** In each process, because cells mostly wait. */
const AT_ONCE = 40;

const USAGE = `Usage: npm run test:faults -- [--only PART]… [--one-in N] [--list] [--report FILE]
  --only PART    runs only the cells whose name contains PART; several must all be in the name
  --one-in N     runs one of N cells, the same ones in every run
  --list         prints the names of the cells and how they end, and runs none
  --report FILE  writes how many cells passed and failed, in the format of Jest
  --help         prints this`;

const { values } = parseArgs({
	options: {
		only: { type: 'string', multiple: true },
		report: { type: 'string' },
		list: { type: 'boolean' },
		'one-in': { type: 'string', default: '1' },
		help: { type: 'boolean' },
	},
});

const oneIn = Number(values['one-in']);

/** The same number for a place in every run, and about as often each. */
const hashPosition = (place: number): number => Math.imul(place + 1, 2_654_435_761) >>> 8;

/** The order of cells is the same in each process: a cell is known by its place. */
const isChosen = (cell: Cell, place: number): boolean =>
	(values.only ?? []).every((part) => cellName(cell).includes(part)) && hashPosition(place) % oneIn === 0;

const cells = matrix();

async function main(): Promise<void> {
	if (values.help) return console.log(USAGE);
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
	const tested: TestedCell[] = [];
	await askWorkers<number, TestedCell>(join(__dirname, 'faults/child.ts'), inOrder, AT_ONCE, (one) => {
		tested.push(one);
		if (one.failures.length > 0) console.log(`✗ ${cellName(cells[one.place] as Cell)}: ${one.failures.join('; ')}`);
	}).catch((error: unknown) => console.log(error));
	const passed = tested.filter(({ failures }) => failures.length === 0).length;
	const distinct = new Set(tested.map(({ place, outcome }) => `${cells[place]?.fault.name}·${cells[place]?.call.name}·${outcome}`)).size;
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	console.log(
		`${distinct} distinct (fault, call, outcome) cells; ${passed} passed, ${places.length - passed} failed of ${places.length}; ${seconds} s`,
	);
	return { passed, failed: places.length - passed };
}

void main();
