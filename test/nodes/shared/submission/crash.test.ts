/** Executions that n8n did not survive, or of which it lost something: what their retries find. */
import type { IDataObject, IExecutionContext } from 'n8n-workflow';

import { clock } from '../../../../client/async/clock';
import { loopOverItems, nodeBefore, toldTo } from '../../support/around';
import { diesIn, retryAfterDeath, runStored } from '../../support/crashed';
import { editorFile } from '../../support/editorFiles';
import { NODE_NAME, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems, slowGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { recovered, retryOf } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const ENGINE_SUBMIT = { on: 'POST /api/prompt', surface: 'engine' } as const;
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const jobsOf = (results: NodeResult[]) => results.map((result) => jsons(result)[0]?.job_id);
const colorOf = (jobId: unknown) => sandbox.job(String(jobId))?.graph['1']?.inputs.color;

it.each([
	['with default settings', false, false],
	['with saved progress', true, false],
	['of which an artificial run of the node stays, because n8n removes it only from the last node', false, true],
])(
	'after a crash %s, a retry returns the job of each of two items under its key, although an earlier node changes its items in place',
	async (_what, savesProgress, keepsRun) => {
		const told: IDataObject[] = [];
		const around = nodeBefore((items, execution) => {
			told.push(toldTo(execution));
			for (const { json } of items) json.changed = true;
		});
		const parameters = { options: COLOR_OF_ITEM };
		const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(0), { around, items: colorItems(2), parameters });
		const stored = recovered(await diesIn(run, { savesProgress }));
		stored.data.resultData.lastNodeExecuted = keepsRun ? 'Before' : NODE_NAME;
		const retry = retryOf(stored);
		expect(retry.goesOnFrom?.resultData.runData[NODE_NAME] ?? []).toHaveLength(keepsRun ? 1 : 0);
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		expect(jsons(result).map(({ job_id: id, recovered: isFound }) => [colorOf(id), isFound])).toEqual([
			[0, true],
			[1, true],
		]);
		expect(jobIds()).toHaveLength(2);
		expect(new Set(sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
		const [{ establishedAt } = {}] = told;
		expect(told).toEqual(
			[
				{ mode: 'webhook', source: 'webhook', establishedAt, runIndex: 0, context: {} },
				{ mode: 'retry', source: 'webhook', establishedAt, runIndex: 1, context: {} },
			].slice(0, savesProgress ? 1 : 2),
		);
		expect(result.executionContext?.establishedAt).toBe(establishedAt);
	},
);

it('a retry sends nothing and says so when n8n lost the start time of the execution, as before 2.20', async () => {
	const stored = recovered(await diesIn(submitRun(credentialFor(sandbox, 'deployment'), colorGraph(2))));
	delete stored.data.executionData?.runtimeData;
	const result = await runNode(retryOf(stored));
	expect(result.executionContext).toMatchObject({ source: 'retry' });
	expect(result.error).toMatchObject({
		message: expect.stringMatching(/may have submitted this item, and n8n has lost the start time/),
		description: expect.stringMatching(/Get Many.*start a new execution/s),
	});
	expect(jobIds()).toHaveLength(1);
});

it.each([
	['engine', true],
	['deployment', false],
	['v1', false],
] as const)(
	'when n8n lost the start time, a retry finds the job of a custom key if the key is its ID, and otherwise submits no second job (%s)',
	async (way, isFound) => {
		const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order-77' };
		const stored = recovered(await diesIn(submitRun(credentialFor(sandbox, way), colorGraph(4), { parameters: { options } })));
		delete stored.data.executionData?.runtimeData;
		const result = await runNode(retryOf(stored));
		expect(jsons(result).map(({ job_id: id }) => id)).toEqual(isFound ? jobIds() : []);
		if (!isFound) expect(result.error?.message).toMatch(/may have submitted this item|key has already been used/);
		expect(jobIds()).toHaveLength(1);
	},
);

it('a second retry recovers the job of a first retry in which n8n crashed, also if the first start was rejected', async () => {
	sandbox.inject({ ...ENGINE_SUBMIT, answer: { status: 413 } });
	const { result, stored } = await runStored(submitRun(credentialFor(sandbox, 'engine'), colorGraph(3)));
	expect(result.status).toBe('error');
	const third = await runNode(await retryAfterDeath(retryOf(stored)));
	expect(third.error).toBeUndefined();
	expect(jobIds()).toEqual(jobsOf([third]));
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

it('as an AI tool, the same call in a retry returns the lost job, and another call makes its own job', async () => {
	const run = submitRun(credentialFor(sandbox, 'engine'), colorGraph(8), { asTool: true });
	const same = await runNode(await retryAfterDeath(run));
	expect(jobIds()).toEqual(jobsOf([same]));
	await runNode({ ...(await retryAfterDeath(run)), parameters: { ...run.parameters, workflow: colorGraph(9) } });
	expect(jobIds()).toHaveLength(3);
});

describe('what is chosen at random', () => {
	const run = (more: Partial<NodeRun> = {}) =>
		runRun(credentialFor(sandbox, 'engine'), slowGraph(1, 1), {
			items: [{ json: { n: 1 } }, { json: { n: 2 } }],
			parameters: { options: { seeds: 'random' } },
			...more,
		});
	const seedsOf = (result: NodeResult) => jsons(result).map(({ seeds }) => (seeds as IDataObject)['2.seed']);
	type Graph = Record<string, { inputs: { seed?: number; filename_prefix?: string } }>;
	const sent = (): Graph[] =>
		sandbox.requests(ENGINE_SUBMIT.on, 'engine').map(({ bodyText }) => (JSON.parse(bodyText) as { prompt: Graph }).prompt);

	it('a retry submits an item that a crash lost before its submission with the same seeds', async () => {
		sandbox.inject({ ...ENGINE_SUBMIT, times: Infinity, answer: { status: 413 } });
		const retry = await retryAfterDeath(run());
		const refused = sent().map((graph) => graph['2']?.inputs.seed);
		sandbox.clearFaults();
		const result = await runNode(retry);
		expect(seedsOf(result)).toEqual(expect.arrayContaining([...new Set(refused)]));
	});

	it('each execution, run and item generates different seeds', async () => {
		const seeds = [...seedsOf(await runNode(run())), ...seedsOf(await runNode(run()))];
		const looped = await runNode(run({ around: loopOverItems() }));
		seeds.push(...(looped.runData[NODE_NAME] ?? []).map(({ data }) => (data?.main?.[0]?.[0]?.json.seeds as IDataObject)['2.seed']));
		expect(seeds).toHaveLength(6);
		expect(new Set(seeds).size).toBe(6);
	});

	it('a retry sends file names with the date of the first start', async () => {
		const file = JSON.stringify(editorFile(7)).replace('from-editor', '%date:yyyy-MM-dd hh-mm-ss%');
		sandbox.inject({ ...ENGINE_SUBMIT, times: Infinity, answer: { status: 413 } });
		const retry = await retryAfterDeath(runRun(credentialFor(sandbox, 'engine'), file, { items: [{ json: {} }] }));
		const now = clock.wallNow();
		jest.spyOn(clock, 'wallNow').mockReturnValue(now + 5_000);
		const namesSent = () => sent().flatMap((graph) => Object.values(graph).flatMap(({ inputs }) => inputs.filename_prefix ?? []));
		const before = namesSent();
		await runNode(retry);
		expect(before[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d-\d\d-\d\d$/);
		expect(namesSent().length).toBeGreaterThan(before.length);
		expect(new Set(namesSent())).toEqual(new Set(before));
	});
});

describe('executions that begin in one millisecond with the same items', () => {
	let moment = Date.now();
	const twins = (count: number): NodeRun[] => {
		const executionContext: IExecutionContext = { version: 1, establishedAt: moment++, source: 'webhook' };
		return Array.from({ length: count }, () =>
			submitRun(credentialFor(sandbox, 'engine'), colorGraph(1), { executionContext: { ...executionContext } }),
		);
	};
	const keysOf = (results: NodeResult[]) => results.map((result) => jsons(result)[0]?.idempotency_key);

	it('60 executions of one millisecond make 60 jobs with 60 keys', async () => {
		const results = await Promise.all(twins(60).map(async (run) => (await runStored(run)).result));
		expect(results.map(({ status }) => status)).toEqual(results.map(() => 'success'));
		expect([jobIds().length, new Set(jobsOf(results)).size, new Set(keysOf(results)).size]).toEqual([60, 60, 60]);
	});

	it('a retry after an ordinary failure keeps the key of its execution', async () => {
		const [first, second] = twins(2) as [NodeRun, NodeRun];
		await runStored(first);
		sandbox.inject({ ...ENGINE_SUBMIT, answer: { status: 413 } });
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
		const again = await runNode(retryOf(dead[3]!));
		expect(jobIds()).toHaveLength(5);
		expect(new Set(jobsOf([...results, again])).size).toBe(1);
	});

	it('executions with another start time, other items or another workflow share no key and no job', async () => {
		const [run] = twins(1) as [NodeRun];
		const others: NodeRun[] = [
			{ ...run, items: [{ json: { n: 1 } }] },
			{ ...run, items: [{ json: { n: 2 } }] },
			{ ...run, ofWorkflow: { id: 'wf2', name: 'other' } },
			run,
			...twins(1),
		];
		const dead = await Promise.all(others.map(async (one) => recovered(await diesIn(one))));
		// A process that has just been started knows of no other.
		const results = await Promise.all(dead.reverse().map(async (stored) => await runNode({ ...retryOf(stored), retryOf: undefined })));
		expect([jobIds().length, new Set(keysOf(results)).size, new Set(jobsOf(results)).size]).toEqual([5, 5, 5]);
	});
});
