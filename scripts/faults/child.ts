/** Runs cells, many at the same time. */
import '../../test/support/loopbackOnly';
import { startSandbox } from '../../sandbox';
import { cellName, matrix } from '../../test/faults/matrix';
import { runCell } from '../../test/faults/runCell';
import type { Cell } from '../../test/faults/shapes';
import { countTurns } from '../../test/support/turnClock';
import { answerRequests } from '../workers';

export interface TestedCell {
	/** In the matrix. */
	place: number;
	outcome: string;
	failures: string[];
}

/** A limit of one minute becomes three seconds, which is still far more than answers take. */
const SPEED = 20;
const BEHAVIOUR = { workers: 10_000, maxStreams: 10_000, gateOpen: false };

const inFlight = new Set<Cell>();
const strays: string[] = [];

/** Records an error outside of a cell, with all cells that were running. */
function recordStray(kind: string, error: unknown): void {
	strays.push(
		`${kind}: ${error instanceof Error ? error.stack : String(error)}; while these ran: ${[...inFlight].map(cellName).join(' | ')}`,
	);
}

process.on('uncaughtException', (error) => recordStray('uncaught exception', error));
process.on('unhandledRejection', (error) => recordStray('unhandled rejection', error));
countTurns(SPEED);
const cells = matrix();
const sandbox = startSandbox(BEHAVIOUR);

async function test(place: number): Promise<TestedCell> {
	const cell = cells[place] as Cell;
	inFlight.add(cell);
	try {
		const { outcome, failures } = await runCell(cell, await sandbox);
		return { place, outcome, failures: [...failures, ...strays.splice(0)] };
	} catch (error) {
		return { place, outcome: 'none', failures: [`the cell could not be run: ${error instanceof Error ? error.stack : String(error)}`] };
	} finally {
		inFlight.delete(cell);
	}
}

answerRequests(test, async () => await (await sandbox).close());
