import { setTimeout as delay } from 'node:timers/promises';

import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { retryExecution } from '../../support/retried';
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
	// n8n 2.x says of an execution which one it retries, if any.
	await executeTwice({ watch: (hooks) => Object.assign(hooks, { retryOf: undefined }) });
	expect(sandbox.ledger.runs).toHaveLength(2);
	process.argv[2] = 'start';
	await executeTwice();
	expect(sandbox.ledger.runs).toHaveLength(4);
});

it('a retry of a failed execution that a worker of n8n 1.x executes submits the items that were not started', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 402, code: 'insufficient_credits' } });
	const run: NodeRun = {
		...submitRun(credentialFor(sandbox, 'deployment'), colorGraph(2), { items: [{}, {}], parameters: { options: { concurrency: 1 } } }),
		watch: forgetRetries,
	};
	const first = await runNode(run);
	expect(first.status).toBe('error');
	const second = await runNode({ ...retryExecution(run, first), mode: 'retry', executionContext: first.executionContext });
	expect(second.error).toBeUndefined();
	expect(jsons(second).map(({ job_id: id }) => id)).toEqual(sandbox.ledger.runs.map(({ jobId }) => jobId));
	expect(sandbox.ledger.runs).toHaveLength(2);
});
