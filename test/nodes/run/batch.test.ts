import { setTimeout as pause } from 'node:timers/promises';

import { until } from '../../support/until';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems, slowGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { freshSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

const sandbox = freshSandbox();

const COUNT = 80;
const SUBMIT = 'POST /api/v2/jobs';

const batch = (count: number, options: object = {}, more: Partial<NodeRun> = {}): NodeRun =>
	runRun(credentialFor(sandbox), colorGraph(0), {
		items: colorItems(count),
		...more,
		parameters: { options: { ...COLOR_OF_ITEM, ...options } },
	});
const colorsOf = (count: number): unknown[] => colorItems(count).map(({ json }) => json?.color);
const colorOf = (jobId: unknown) => sandbox.job(String(jobId))?.graph['1']?.inputs.color;
const refusals = () => sandbox.requests(SUBMIT).filter(({ status }) => status === 429);

it(`${COUNT} items succeed in order with at most three jobs in flight, and the service rejects almost no request`, async () => {
	sandbox.setQueueLimit(3);
	const result = await runNode(batch(COUNT, { concurrency: 20 }));
	expect(result.error).toBeUndefined();
	expect(jsons(result).map(({ job_id }) => colorOf(job_id))).toEqual(colorsOf(COUNT));
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(colorsOf(COUNT).map((_, item) => ({ item })));
	expect(sandbox.peakJobs('hosted')).toBe(3);
	expect(refusals().length).toBeLessThanOrEqual(COUNT * 0.1);
}, 240_000);

const slowRows = (count: number, steps: number, options: object) =>
	runRun(credentialFor(sandbox), slowGraph(steps, 50), {
		items: colorItems(count),
		parameters: { options: { inputValues: '={{ { "2": { seed: $json.color } } }}', ...options } },
	});

it('Concurrency limits the number of jobs in flight', async () => {
	sandbox.configure({ workers: 0 });
	const running = runNode(slowRows(20, 2, { concurrency: 7 }));
	await until(() => sandbox.ledger.runs.length === 7);
	sandbox.configure({ workers: 4 });
	expect((await running).error).toBeUndefined();
	expect(sandbox.peakJobs('hosted')).toBe(7);
});

it('the next job starts while the files of the previous one are still downloading', async () => {
	const stuck = sandbox.inject({ on: 'GET *', surface: 'storage', fault: { kind: 'stall' } });
	const { result, stop } = startNode(batch(5, { concurrency: 1 }));
	// The first file never comes: the second job runs all the same, the third waits for it.
	while (stuck.used === 0 || sandbox.ledger.runs.length < 2) await pause(10);
	await pause(300);
	expect(sandbox.ledger.runs).toHaveLength(2);
	stop();
	const { error } = await result;
	expect(error?.message).toBe('The execution was stopped: items 2 to 4 were not started');
	expect(error?.description).toMatch(/Nothing was sent for them\..*Timeout Workflow/);
});

it('Max Wait starts for each item with its turn, so that late items have the same time', async () => {
	const result = await runNode(slowRows(8, 10, { concurrency: 1, maxWaitMinutes: 0.05 }));
	expect(result.error).toBeUndefined();
	expect(jsons(result)).toHaveLength(8);
});

it('a failure without Continue On Fail names the jobs that exist, and a retry of the execution collects them and runs nothing twice', async () => {
	const inputValues = '={{ $json.color === 29 ? { "99": { color: 1 } } : { "1": { color: $json.color } } }}';
	const { error, contextData } = await runNode(batch(30, { concurrency: 5, inputValues }, { executionId: 'one' }));
	expect(error?.context.itemIndex).toBe(29);
	expect(error?.description).toMatch(
		/Jobs that exist: item 0: .*, item 19: [\w-]+, and 9 more, see existing_jobs in the details of this error\.\nTo get their files retry this execution/,
	);
	expect((error?.context.data as { existing_jobs: unknown[] }).existing_jobs).toHaveLength(29);
	expect(sandbox.ledger.runs).toHaveLength(29);
	sandbox.resetRecords();
	const result = await runNode(batch(30, { concurrency: 5 }, { executionId: 'two', contextData }));
	expect(result.error).toBeUndefined();
	expect(jsons(result).map(({ job_id }) => colorOf(job_id))).toEqual(colorsOf(30));
	expect([sandbox.ledger.runs.length, sandbox.requests(SUBMIT).length]).toEqual([30, 1]);
});
