/** Runs its share of the cells, many at the same time, because cells mostly wait. */
import '../../test/support/loopbackOnly';
import { startSandbox } from '../../sandbox';
import { cellName, matrix } from '../../test/faults/matrix';
import { runCell } from '../../test/faults/runCell';
import type { Cell } from '../../test/faults/shapes';
import { countTurns } from '../../test/support/turnClock';

export interface TestedCell {
	/** In the matrix. */
	place: number;
	outcome: string;
	failures: string[];
}

/** A limit of one minute becomes three seconds, which is still far more than answers take. */
const SPEED = 20;
const AT_ONCE = 40;
const BEHAVIOUR = { workers: 10_000, maxStreams: 10_000, gateOpen: false };

const inFlight = new Set<Cell>();
const strays: string[] = [];

/** Records an error outside of a cell, with all cells that were running. */
function recordStray(kind: string, error: unknown): void {
	strays.push(
		`${kind}: ${error instanceof Error ? error.stack : String(error)}; while these ran: ${[...inFlight].map(cellName).join(' | ')}`,
	);
}

async function testAll(places: readonly number[]): Promise<void> {
	process.on('uncaughtException', (error) => recordStray('uncaught exception', error));
	process.on('unhandledRejection', (error) => recordStray('unhandled rejection', error));
	countTurns(SPEED);
	const cells = matrix();
	const sandbox = await startSandbox(BEHAVIOUR);
	const waiting = [...places];
	const work = async (): Promise<void> => {
		for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) report(await tested(cells[place] as Cell, place));
	};
	const tested = async (cell: Cell, place: number): Promise<TestedCell> => {
		inFlight.add(cell);
		try {
			const { outcome, failures } = await runCell(cell, sandbox);
			return { place, outcome, failures: [...failures, ...strays.splice(0)] };
		} catch (error) {
			return { place, outcome: 'none', failures: [`the cell could not be run: ${error instanceof Error ? error.stack : String(error)}`] };
		} finally {
			inFlight.delete(cell);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	await sandbox.close();
	process.disconnect();
	// Handles that a cell left open must not keep the process alive.
	setTimeout(() => process.exit(), 5_000).unref();
}

const report = (one: TestedCell): void => void process.send?.(one);

process.once('message', (places) => void testAll(places as number[]));
