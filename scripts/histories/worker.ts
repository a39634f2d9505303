/** Runs several parts at the same time, because they mostly wait. Each has its own sandbox. */
import '../../test/support/loopbackOnly';
import '../../test/nodes/support/typescriptFirst';

import { startSandbox } from '../../sandbox';
import { deployment, engine, olderEngine, pool, v1, v2 } from '../../test/histories/interfaces/jobs';
import { routerDirect, routerQueued } from '../../test/histories/interfaces/router';
import { holdLives } from '../../test/histories/life';
import { startSandboxPool } from '../../test/support/sandboxPool';
import { type Counts, type Failed, runHistories, type Wanted } from '../../test/histories/runHistories';
import { answerRequests } from '../workers';

const INTERFACES = [v2, deployment, v1, engine, olderEngine, pool, routerDirect, routerQueued];

/** Histories of one interface, with their own seed. */
export interface Part extends Wanted {
	interface: string;
}

export interface PartDone {
	part: Part;
	counts: Counts;
	failed?: Failed;
}

/** Factor by which the client waits less. */
const SPEED = 10;

async function play(part: Part): Promise<PartDone> {
	const via = INTERFACES.find(({ name }) => name === part.interface);
	if (via === undefined) throw new Error(`There is no interface "${part.interface}"`);
	const sandbox = via.servers === undefined ? await startSandbox() : await startSandboxPool(via.servers);
	try {
		return { part, ...(await runHistories(via, sandbox, part)) };
	} finally {
		await sandbox.close();
	}
}

holdLives(SPEED);
answerRequests(play);
