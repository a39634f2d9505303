/** `npm run test:faults`: every fault, done to every call. @see test/faults/README.md */
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { cellName, matrix } from '../test/faults/matrix';
import type { Cell } from '../test/faults/shapes';
import type { Share, TestedCell } from './faults/child';

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

interface Tally {
	passed: number;
	failed: number;
}

/** The same order of cells in each process: a cell is known by its place. */
const isChosen = (cell: Cell): boolean => (values.only ?? []).every((part) => cellName(cell).includes(part));

/** The same number for a place in every run, and about as often each. */
const mixed = (place: number): number => Math.imul(place + 1, 2_654_435_761) >>> 8;

/** `--one-in 4`: a quarter of the cells, the same in every run, of every fault and every call. */
const isInSample = (place: number): boolean => mixed(place) % oneIn === 0;

async function main(): Promise<void> {
	const cells = matrix();
	const places = cells.flatMap((cell, place) => (isChosen(cell) && isInSample(place) ? [place] : []));
	if (values.list) return places.forEach((place) => console.log(`${cellName(cells[place] as Cell)} → ${cells[place]?.expected.outcome}`));
	const { passed, failed } = await testCells(places, cells);
	if (failed > 0) process.exitCode = 1;
	if (values.report !== undefined) await writeFile(values.report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}

async function testCells(places: readonly number[], cells: readonly Cell[]): Promise<Tally> {
	const startedAt = performance.now();
	// Cells of one call take about as long each: mixed, some wait while others work.
	const inOrder = [...places].sort((one, other) => mixed(one) - mixed(other));
	const shares = Array.from({ length: PROCESSES }, (_, process) => inOrder.filter((_place, at) => at % PROCESSES === process));
	const tested = (await Promise.all(shares.filter((share) => share.length > 0).map(async (share) => await inProcess(share, cells)))).flat();
	const passed = tested.filter(({ failures }) => failures.length === 0).length;
	const distinct = new Set(tested.map(({ place, outcome }) => `${cells[place]?.fault.name}·${cells[place]?.call.name}·${outcome}`)).size;
	console.log(tableOf(tested.map(({ place, failures }) => ({ cell: cells[place] as Cell, hasPassed: failures.length === 0 }))));
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	console.log(
		`${distinct} distinct (fault, call, outcome) cells; ${passed} passed, ${places.length - passed} failed of ${places.length}; ${seconds} s`,
	);
	const isTooFew = isWhole && distinct < LEAST_CELLS;
	if (isTooFew) console.log(`Fewer than ${LEAST_CELLS} distinct cells`);
	return { passed, failed: places.length - passed + (isTooFew ? 1 : 0) };
}

async function inProcess(places: readonly number[], cells: readonly Cell[]): Promise<TestedCell[]> {
	const tested: TestedCell[] = [];
	const child = fork(join(__dirname, 'faults/child.ts'), { execArgv: ['--import', 'tsx'] });
	child.on('message', (message) => {
		const one = message as TestedCell;
		tested.push(one);
		if (one.failures.length > 0) console.log(`✗ ${cellName(cells[one.place] as Cell)}: ${one.failures.join('; ')}`);
	});
	child.send({ places } satisfies Share);
	const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
	if (code !== 0) console.log(`A process of cells ended with ${code}`);
	return tested;
}

/** How many cells hold, by family of faults and by what is called: `40` or `38/40`. */
function tableOf(tested: ReadonlyArray<{ cell: Cell; hasPassed: boolean }>): string {
	const kindOf = ({ call }: Cell): string => call.name.split(/[ ,]/)[0] ?? '';
	const families = [...new Set(tested.map(({ cell }) => cell.fault.family))];
	const kinds = [...new Set(tested.map(({ cell }) => kindOf(cell)))];
	const rows = families.map((family) => [
		family,
		...kinds.map((kind) => {
			const here = tested.filter(({ cell }) => cell.fault.family === family && kindOf(cell) === kind);
			const passed = here.filter(({ hasPassed }) => hasPassed).length;
			return here.length === 0 ? '' : passed === here.length ? String(passed) : `${passed}/${here.length}`;
		}),
	]);
	return [['', ...kinds], ...rows]
		.map(([family = '', ...cells]) => family.padEnd(16) + cells.map((cell) => cell.padStart(10)).join(''))
		.join('\n');
}

void main();
