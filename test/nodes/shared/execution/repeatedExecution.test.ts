import { setTimeout as delay } from 'node:timers/promises';

import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const [, , command] = process.argv;
const sandbox = freshSandbox();
beforeEach(async () => {
	process.argv[2] = 'worker';
});
afterEach(async () => {
	process.argv[2] = String(command);
});

/** As n8n 1.x has it: what a dead worker leaves behind is executed again, with the same id and nothing else. */
async function executeTwice(changes: Partial<NodeRun> = {}) {
	const run: NodeRun = {
		...submitRun(credentialFor(sandbox, 'deployment'), colorGraph(1)),
		mode: 'webhook',
		executionId: '77',
		watch: forgetRetries,
		...changes,
	};
	await runNode(run);
	await delay(5);
	return await runNode(run);
}
const forgetRetries: NodeRun['watch'] = (hooks) => delete (hooks as { retryOf?: string }).retryOf;

it('a worker of n8n 1.x that repeats an execution of a crashed worker submits no second job', async () => {
	const second = await executeTwice();
	expect(second.error).toBeUndefined();
	expect(sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual([jsons(second)[0]?.job_id]);
	await executeTwice({ executionId: '78' });
	expect(sandbox.ledger.runs).toHaveLength(2);
});

it('other executions are identified by the time of their first start', async () => {
	process.argv[2] = 'start';
	await executeTwice();
	expect(sandbox.ledger.runs).toHaveLength(2);
});
