import { startSandbox } from '../../../../sandbox';
import { until } from '../../../support/until';
import { startNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { slowGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { jsons } from '../../support/submit';

/** Jest's `process` is a copy: what is emitted here reaches this file alone. The true signal is in shutdown.test.ts. */
it('a node knows in this version of n8n whether Still Running is connected', async () => {
	const sandbox = await startSandbox();
	const run = (seed: number) => runRun(credentialFor(sandbox, 'deployment'), slowGraph(600, 100, seed));
	process.once('SIGTERM', () => undefined);
	const [toStillRunning, toDone, toNothing] = [
		startNode({ ...run(1), connected: 1 }),
		startNode({ ...run(2), connected: 0 }),
		startNode(run(3)),
	];
	await until(() => sandbox.ledger.runs.length === 3, 30_000);
	process.emit('SIGTERM');
	const open = await toStillRunning.result;
	expect(open.error).toBeUndefined();
	expect(jsons(open, 1)).toMatchObject([{ job_id: expect.any(String) as string }]);
	for (const { result } of [toDone, toNothing])
		expect((await result).error?.message).toMatch(/^n8n is shutting down, and the node no longer waits for job /);
	expect(sandbox.ledger.cancels).toEqual([]);
	await sandbox.close();
});
