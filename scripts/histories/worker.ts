/** Plays parts as they are given, several at once: each has a sandbox of its own, and most of it is waiting. */
import '../../test/support/loopbackOnly';
import '../../test/nodes/support/typescriptFirst';

import { startSandbox } from '../../sandbox';
import { INTERFACES } from '../../test/histories/interfaces/all';
import { holdLives } from '../../test/histories/life';
import { runHistories } from '../../test/histories/runHistories';
import type { Part, PartDone } from './part';

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
