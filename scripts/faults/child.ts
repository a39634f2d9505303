/** Runs its share of the cells, many at the same time: most of them wait. */
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

/** A minute's limit is three seconds, and what answers in milliseconds is far from every limit all the same. */
const SPEED = 20;
const AT_ONCE = 40;
const BEHAVIOUR = { workers: 10_000, maxStreams: 10_000, gateOpen: false };

const inFlight = new Set<Cell>();
const strays: string[] = [];

/** Nobody can say whose it is but those that run. */
function stray(kind: string, error: unknown): void {
	strays.push(
		`${kind}: ${error instanceof Error ? error.stack : String(error)}; while these ran: ${[...inFlight].map(cellName).join(' | ')}`,
	);
}

async function testAll(places: readonly number[]): Promise<void> {
	process.on('uncaughtException', (error) => stray('uncaught exception', error));
	process.on('unhandledRejection', (error) => stray('unhandled rejection', error));
	countTurns(SPEED);
	const cells = matrix();
	const sandbox = await startSandbox(BEHAVIOUR);
	const waiting = [...places];
	const work = async (): Promise<void> => {
		for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) tell(await tested(cells[place] as Cell, place));
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
	// Nothing that a cell has left holds the others up.
	setTimeout(() => process.exit(), 5_000).unref();
}

const tell = (one: TestedCell): void => void process.send?.(one);

process.once('message', (places) => void testAll(places as number[]));
