import type { IExecutionContext } from 'n8n-workflow';

import { diesIn, runStored } from '../../support/crashed';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { recovered, retryOf } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

let moment = Date.now();
/** Executions that begin in one millisecond with the same items. */
const twins = (count: number, graph: unknown = colorGraph(1)): NodeRun[] => {
	const executionContext: IExecutionContext = { version: 1, establishedAt: moment++, source: 'webhook' };
	return Array.from({ length: count }, () =>
		submitRun(credentialFor(sandbox, 'engine'), graph, { executionContext: { ...executionContext } }),
	);
};
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const jobsOf = (results: NodeResult[]) => results.map((result) => jsons(result)[0]?.job_id);

it('60 executions of one millisecond make 60 jobs with 60 keys', async () => {
	const results = await Promise.all(twins(60).map(async (run) => (await runStored(run)).result));
	expect(results.map(({ status }) => status)).toEqual(results.map(() => 'success'));
	expect(jobIds()).toHaveLength(60);
	expect(new Set(jobsOf(results)).size).toBe(60);
	expect(new Set(results.map((result) => jsons(result)[0]?.idempotency_key)).size).toBe(60);
});

it('a retry after an ordinary failure keeps the key of its execution', async () => {
	const [first, second] = twins(2) as [NodeRun, NodeRun];
	await runStored(first);
	sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', answer: { status: 413 } });
	const { result: failed, stored } = await runStored(second);
	expect(failed.status).toBe('error');
	expect(stored.data.executionData?.contextData.flow).toEqual({ comfyOrdinal: 1 });
	const keyOf = (contextData: NodeResult['contextData']) =>
		(contextData['node:Under Test']?.comfySubmissions as Record<string, { key: string }>)['0:0']?.key;
	// As if the node had not been reached: its entry is gone, and its key has to be made again.
	const retry = retryOf(stored);
	delete retry.goesOnFrom?.executionData?.contextData['node:Under Test'];
	const result = await runNode(retry);
	expect(result.error).toBeUndefined();
	expect(jobIds()).toHaveLength(2);
	expect(keyOf(result.contextData)).toBe(keyOf(failed.contextData));
	expect(jsons(result)[0]).not.toHaveProperty('recovered');
});

it('after a crash all retries return the job of the first execution, because nothing says which one began a chain of retries', async () => {
	const dead = await Promise.all(twins(5).map(async (run) => recovered(await diesIn(run))));
	expect(jobIds()).toHaveLength(5);
	const results = await Promise.all(dead.map(async (stored) => await runNode(retryOf(stored))));
	expect(jobIds()).toHaveLength(5);
	expect(new Set(jobsOf(results)).size).toBe(1);
	const again = await runNode(retryOf(dead[3] as (typeof dead)[number]));
	expect(jobsOf([again])).toEqual(jobsOf(results.slice(3, 4)));
});

it('executions with another start time, other items or another workflow share no key and no job', async () => {
	const [run] = twins(1) as [NodeRun];
	const others: NodeRun[] = [
		{ ...run, items: [{ json: { n: 1 } }] },
		{ ...run, items: [{ json: { n: 2 } }] },
		{ ...run, ofWorkflow: { id: 'wf2', name: 'other' } },
		run,
	];
	const later: NodeRun = { ...run, executionContext: { version: 1, establishedAt: moment++, source: 'webhook' } };
	const dead = await Promise.all([...others, later].map(async (one) => recovered(await diesIn(one))));
	const keysOf = (results: NodeResult[]) => results.map((result) => jsons(result)[0]?.idempotency_key);
	// A process that has just been started knows of no other.
	const results = await Promise.all(dead.reverse().map(async (stored) => await runNode({ ...retryOf(stored), retryOf: undefined })));
	expect(new Set(keysOf(results)).size).toBe(5);
	expect(new Set(jobsOf(results)).size).toBe(5);
	expect(jobIds()).toHaveLength(5);
});
