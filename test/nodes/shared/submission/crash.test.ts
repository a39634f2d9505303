import type { IDataObject } from 'n8n-workflow';

import { nodeBefore, toldTo } from '../../support/around';
import { diesIn, retryAfterDeath, runStored } from '../../support/crashed';
import { NODE_NAME, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { recovered, retryOf } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const SUBMIT = 'POST /api/v2/jobs';
const sentKeys = () => sandbox.requests(SUBMIT).map(({ headers }) => headers['idempotency-key']);
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);

describe('the state of an execution that a retry receives from n8n', () => {
	const told: IDataObject[] = [];
	beforeEach(() => void told.splice(0));

	/** A node before it, from which the node under test gets its items. */
	const probed = (more: Partial<NodeRun> = {}): NodeRun =>
		submitRun(credentialFor(sandbox, 'deployment'), colorGraph(2), {
			...more,
			around: nodeBefore((_, execution) => {
				told.push(toldTo(execution));
				execution.getContext('node').seen = true;
			}),
		});
	/** Sent under one key, and returned. */
	const expectOneJob = (result: NodeResult): void => {
		expect(new Set(sentKeys()).size).toBe(1);
		expect(jobIds()).toEqual([jsons(result)[0]?.job_id]);
	};

	it('after a crash with default settings, a retry has a new id, the context and start time of the first start, and artificial runs only', async () => {
		const run = await retryAfterDeath(probed());
		expect(run.goesOnFrom?.resultData.runData).toMatchObject({
			Start: [{ executionStatus: 'success' }],
			Before: [{ executionStatus: 'success' }],
		});
		const result = await runNode(run);
		const establishedAt = told[0]?.establishedAt;
		expect(establishedAt).toEqual(expect.any(Number));
		expect(told).toEqual([
			{ mode: 'webhook', source: 'webhook', establishedAt, runIndex: 0, context: {} },
			{ mode: 'retry', source: 'webhook', establishedAt, runIndex: 1, context: {} },
		]);
		expectOneJob(result);
	});

	it('after a crash, an artificial run of the node does not count, although n8n removes only the run of the last node', async () => {
		const run = probed();
		const stored = recovered(await diesIn(run));
		const task = stored.data.resultData.runData[NODE_NAME];
		expect(task).toMatchObject([{ executionStatus: 'crashed' }]);
		stored.data.resultData.lastNodeExecuted = 'Before';
		const retry = retryOf(stored);
		expect(retry.goesOnFrom?.resultData.runData[NODE_NAME]).toHaveLength(1);
		const result = await runNode(retry);
		expectOneJob(result);
	});

	it('after a crash with saved progress, a retry continues at the node with the context of finished nodes', async () => {
		const run = await retryAfterDeath(probed(), { savesProgress: true });
		expect(run.goesOnFrom?.resultData.runData).toMatchObject({ Before: [{ data: { main: [[{ json: {} }]] } }] });
		expect(run.goesOnFrom?.executionData?.contextData).toEqual({ 'node:Before': { seen: true } });
		const result = await runNode(run);
		expect(told).toHaveLength(1);
		expect(result.executionContext?.establishedAt).toBe(told[0]?.establishedAt);
		expectOneJob(result);
	});

	it('after an ordinary failure, a retry continues at the failed node with its context', async () => {
		sandbox.inject({ on: SUBMIT, answer: { status: 402, code: 'insufficient_credits' } });
		const { result: first, stored } = await runStored(probed());
		expect(first.status).toBe('error');
		const run = retryOf(stored);
		expect(run.goesOnFrom?.executionData?.contextData).toMatchObject({
			[`node:${NODE_NAME}`]: { comfySubmissions: { '0:0': { refused: true } } },
		});
		const result = await runNode(run);
		expect(result.error).toBeUndefined();
		expect(told).toHaveLength(1);
		expect(sentKeys()).toHaveLength(2);
		expect(new Set(sentKeys()).size).toBe(1);
		expect(jobIds()).toHaveLength(1);
		expect(jsons(result)[0]).not.toHaveProperty('recovered');
	});

	it('a retry sends nothing and says so when n8n lost the start time of the execution, as before 2.20', async () => {
		const stored = recovered(await diesIn(probed()));
		delete stored.data.executionData?.runtimeData;
		const result = await runNode(retryOf(stored));
		expect(result.executionContext).toMatchObject({ source: 'retry' });
		expect(result.error).toMatchObject({
			message: expect.stringMatching(/may have submitted this item, and n8n has lost the start time/),
			description: expect.stringMatching(/Get Many.*start a new execution/s),
		});
		expect(jobIds()).toHaveLength(1);
	});

	it('a retry finds the job by a custom key when n8n lost the start time of the execution', async () => {
		const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order-77' };
		const stored = recovered(await diesIn(submitRun(credentialFor(sandbox, 'engine'), colorGraph(4), { parameters: { options } })));
		delete stored.data.executionData?.runtimeData;
		expect(jsons(await runNode(retryOf(stored)))).toMatchObject([{ job_id: jobIds()[0] }]);
		expect(jobIds()).toHaveLength(1);
	});
});

it('a second retry recovers the job of a first retry in which n8n crashed, also if the first start was rejected', async () => {
	sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', answer: { status: 413 } });
	const { result, stored } = await runStored(submitRun(credentialFor(sandbox, 'engine'), colorGraph(3)));
	expect(result.status).toBe('error');
	const third = await runNode(await retryAfterDeath(retryOf(stored)));
	expect(third.error).toBeUndefined();
	expect(jobIds()).toEqual([jsons(third)[0]?.job_id]);
	expect(jsons(third)[0]).toMatchObject({ recovered: true });
});

it.each(['engine', 'bare_engine', 'deployment'] as const)(
	'a retry with a corrected workflow sends nothing while a job exists, and does not return the job of the other workflow (%s)',
	async (way) => {
		const retry = await retryAfterDeath(submitRun(credentialFor(sandbox, way), colorGraph(4)));
		const result = await runNode({ ...retry, parameters: { ...retry.parameters, workflow: colorGraph(5) } });
		expect(jobIds()).toHaveLength(1);
		expect(result.error?.message).toMatch(/may have submitted this item.*key is in use.*no job with this workflow/);
		expect(result.error?.description).toMatch(/not submitted with a different key.*idempotency key is [0-9a-f-]{36}.*Seeds/s);
	},
);

it('an earlier node that changes its items in place changes no key', async () => {
	const around = nodeBefore((items) => items.forEach(({ json }) => Object.assign(json, { changed: true })));
	for (const savesProgress of [false, true]) {
		const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(6), { around, items: [{ json: { n: 1 } }] });
		const retry = await retryAfterDeath(run, { savesProgress });
		expect(jsons(await runNode(retry))[0]).toMatchObject({ recovered: true });
	}
	expect(new Set(sentKeys()).size).toBe(2);
	expect(jobIds()).toHaveLength(2);
});

it('as an AI tool, the same call in a retry returns the lost job, and another call makes its own job', async () => {
	const run = submitRun(credentialFor(sandbox, 'engine'), colorGraph(8), { asTool: true });
	const retry = await retryAfterDeath(run);
	const same = await runNode(retry);
	expect(jobIds()).toEqual([jsons(same)[0]?.job_id]);
	await runNode({ ...(await retryAfterDeath(run)), parameters: { ...run.parameters, workflow: colorGraph(9) } });
	expect(jobIds()).toHaveLength(3);
});
