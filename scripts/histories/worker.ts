/** Plays parts as they are given, several at once: each has a sandbox of its own, and most of it is waiting. */
import '../../test/support/loopbackOnly';
import '../../test/nodes/support/typescriptFirst';

import { startSandbox } from '../../sandbox';
import { deployment, engine, olderEngine, v1, v2 } from '../../test/histories/interfaces/jobs';
import { routerDirect, routerQueued } from '../../test/histories/interfaces/router';
import { holdLives } from '../../test/histories/life';
import { type Counts, type Failed, runHistories, type Wanted } from '../../test/histories/runHistories';

const INTERFACES = [v2, deployment, v1, engine, olderEngine, routerDirect, routerQueued];

/** Histories of one interface, drawn from a seed of their own. */
export interface Part extends Wanted {
	interface: string;
}

export interface PartDone {
	part: Part;
	counts: Counts;
	failed?: Failed;
}

/** How many times as fast the client waits. */
const SPEED = 10;

async function play(part: Part): Promise<PartDone> {
	const via = INTERFACES.find(({ name }) => name === part.interface);
	if (via === undefined) throw new Error(`There is no interface "${part.interface}"`);
	const sandbox = await startSandbox();
	try {
		return { part, ...(await runHistories(via, sandbox, part)) };
	} finally {
		await sandbox.close();
	}
}

holdLives(SPEED);
process.on('message', (part: Part) => void play(part).then((done) => process.send?.(done)));
// What the dead had open does not hold the process.
process.on('disconnect', () => process.exit());
