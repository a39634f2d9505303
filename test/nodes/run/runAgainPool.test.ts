/** The option *Run Failed Jobs Again* with several ComfyUIs. */
import { claimedJobs } from '../../../client/recovery/claimedJobs';
import { countTurns } from '../../support/turnClock';
import { diesIn, runStored } from '../support/crashed';
import { runNode } from '../support/engine';
import { sharedPool } from '../support/pool';
import { RETRY } from '../support/retried';
import { runRun } from '../support/run';
import { again, partnerGraph, seededGate, statusesIn, twoItems, webhook } from '../support/runAgain';
import { recovered, retryOf } from '../support/stored';
import { jsons } from '../support/submit';

countTurns(5);
const pool = sharedPool();

/** Without the jobs of earlier tests, which the servers have forgotten. */
const statuses = () =>
	pool.sandboxes
		.flatMap(statusesIn)
		.filter((status) => status !== 'expired')
		.toSorted();
const failOnce = () => pool.sandboxes.forEach((sandbox) => sandbox.configure({ memoryFailures: 1 }));

it('Retry On Fail runs only the job again that failed', async () => {
	const { items, workflow } = twoItems();
	pool.sandboxes[0].configure({ memoryFailures: 1 });
	const options = again('ifFree', { concurrency: 1 });
	const result = await runNode(runRun(pool.credential(), workflow, { items, ...webhook(), settings: RETRY, parameters: { options } }));
	expect(result.error).toBeUndefined();
	expect(statuses()).toEqual(['failed', 'succeeded', 'succeeded']);
	expect(jsons(result).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

it('a workflow with partner nodes does not run again', async () => {
	failOnce();
	const run = runRun(pool.credential(), partnerGraph(), { ...webhook(), settings: RETRY, parameters: { options: again('ifFree') } });
	const result = await runNode(run);
	expect(result.error?.description).toMatch(/the workflow has partner nodes/);
	expect(statuses()).toEqual(['failed']);
});

it.each(['kept', 'lost'])('a retry after a crash of n8n in the second try finds the second job, the record %s', async (record) => {
	const run = runRun(pool.credential(), seededGate(), { ...webhook(), parameters: { options: again('ifFree') } });
	pool.sandboxes[0].configure({ memoryFailures: 1 });
	const { stored, result: first } = await runStored(run);
	expect(first.error?.message).toMatch(/CUDA out of memory/);
	const third = retryOf(recovered(await diesIn(retryOf(stored))));
	if (record === 'lost') delete third.goesOnFrom?.executionData?.contextData['node:Under Test'];
	claimedJobs.clear();
	const result = await runNode(third);
	expect(result.error).toBeUndefined();
	expect(statuses()).toEqual(['failed', 'succeeded']);
	expect(jsons(result)[0]).toMatchObject({ recovered: true, status: 'succeeded' });
});

it('a retry runs a job again whose server was restarted', async () => {
	failOnce();
	const run = runRun(pool.credential(), seededGate(), { ...webhook(), parameters: { options: again('ifFree') } });
	const { stored, result: first } = await runStored(run);
	expect(first.error?.message).toMatch(/CUDA out of memory/);
	for (const sandbox of pool.sandboxes) {
		sandbox.restartEngine();
		sandbox.configure({ memoryFailures: 0 });
	}
	const result = await runNode(retryOf(stored));
	expect(result.error).toBeUndefined();
	expect(statuses()).toEqual(['succeeded']);
	expect(jsons(result)).toHaveLength(1);
});
