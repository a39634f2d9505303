/** Retries of executions of which n8n has lost everything: their jobs are found by what each service offers. */
import type { IDataObject } from 'n8n-workflow';

import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { promptFile } from '../../support/editorFiles';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { CONTINUE } from '../../support/files';
import { credentialFor, type Way } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems } from '../../support/graphs';
import { afterCrash, retryOf, storedContext } from '../../support/retried';
import { jsons, submitRun } from '../../support/submit';
import { runFaster } from '../../../support/fastClock';
import { freshSandbox } from '../../support/sandbox';

runFaster(5);

const sandbox = freshSandbox();

const HOUR_MS = 3_600_000;
const WAYS = ['hosted', 'deployment', 'self_hosted', 'v1', 'engine', 'bare_engine'] as const satisfies Way[];
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const ids = (result: NodeResult) => jsons(result).map(({ job_id }) => job_id);
const equalItems = (count: number) => Array.from({ length: count }, () => ({ json: {} }));

describe.each(WAYS)('over %s', (way) => {
	const run = (more: Partial<NodeRun> = {}): NodeRun => submitRun(credentialFor(sandbox, way), colorGraph(1), more);

	it('items with equal workflows recover one job each, also at the same time', async () => {
		const first = await runNode(run({ items: equalItems(7) }));
		const second = await runNode(afterCrash(run({ items: equalItems(7) }), first));
		expect(second.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(7);
		expect([...new Set(ids(second))].sort()).toEqual([...jobIds()].sort());
	});

	it('five equal executions that are retried at the same time return five jobs', async () => {
		const firsts = [];
		for (let count = 0; count < 5; count++) firsts.push(await runNode(run()));
		const seconds = await Promise.all(firsts.map(async (first) => await runNode(afterCrash(run(), first))));
		expect(seconds.map(({ error }) => error)).toEqual(firsts.map(() => undefined));
		expect(seconds.flatMap(ids).sort()).toEqual(jobIds().sort());
		expect(sandbox.ledger.runs).toHaveLength(5);
	});

	it('an ordinary retry submits ten items with a few more requests than a first run', async () => {
		const items = { items: colorItems(10), parameters: { options: COLOR_OF_ITEM } };
		await runNode(run(items));
		const ofFirstRun = sandbox.requests().length;
		for (const id of jobIds()) sandbox.ageJob(id, 2 * HOUR_MS);
		sandbox.resetRecords();
		const second = await runNode(retryOf(run(items), { version: 1, establishedAt: Date.now(), source: 'webhook' }));
		expect(second.error).toBeUndefined();
		expect(ids(second).sort()).toEqual(jobIds().slice(10).sort());
		expect(jobIds()).toHaveLength(20);
		expect(jsons(second).some((item) => 'recovered' in item)).toBe(false);
		// An older engine is asked for its version, and for queue and history in place of its list.
		expect(sandbox.requests().length - ofFirstRun).toBeLessThanOrEqual(way === 'bare_engine' ? 6 : 4);
	});

	it('a retry finds the job of a custom key', async () => {
		const parameters = { options: { idempotencyKeyMode: 'custom', idempotencyKey: `order ${way}` } };
		const first = await runNode(run({ parameters }));
		const second = await runNode(afterCrash(run({ parameters }), first));
		expect(jobIds()).toEqual(ids(first));
		expect(jsons(second)[0]).toMatchObject({ job_id: jobIds()[0], recovered: true });
	});
});

describe.each(['hosted', 'deployment'] as const)('over %s, later than a key lives', (way) => {
	const run = (more: Partial<NodeRun> = {}): NodeRun => submitRun(credentialFor(sandbox, way), colorGraph(1), more);
	const longAgo = () => ({ version: 1, establishedAt: Date.now() - 30 * HOUR_MS, source: 'webhook' }) as const;
	/** As if it had all been so long ago. */
	const lastWeek = async (ageMs: number): Promise<void> => {
		await runNode(run());
		sandbox.ageJob(jobIds().at(-1) ?? '', ageMs);
		afterCrash(run(), {});
	};

	it('a retry sends nothing under the old key, and finds the job by its workflow', async () => {
		await lastWeek(29 * HOUR_MS);
		const second = await runNode(retryOf(run(), longAgo()));
		expect(jsons(second)[0]).toMatchObject({ job_id: jobIds()[0], recovered: true });
		expect(sandbox.requests('POST /api/v2/jobs')).toHaveLength(1);
	});

	it('a retry submits when the list covers the start time and has no such job', async () => {
		await lastWeek(31 * HOUR_MS);
		const second = await runNode(retryOf(run(), longAgo()));
		expect(second.error).toBeUndefined();
		expect(ids(second)).toEqual([jobIds()[1]]);
	});

	it('a retry reports an unconfirmed submission when the list does not cover the start time', async () => {
		const second = await runNode(retryOf(submitRun(credentialFor(sandbox, way), colorGraph(2)), longAgo()));
		expect(second.error?.message).toMatch(/may have submitted this item.*the server does not report/);
		expect(second.error?.description).toMatch(/Nothing was sent, because.*idempotency key is [0-9a-f-]{36}.*start a new execution/s);
		expect(sandbox.ledger.runs).toHaveLength(0);
	});
});

it.each([
	['a job made long before', 5 * 60_000, true],
	['one made just now, perhaps by this very try', 0, false],
])('a server that replays keys returns %s, which is marked as recovered only if that is certain', async (_name, ageMs, recovered) => {
	sandbox.configure({ replaysKeys: true });
	const run = submitRun(credentialFor(sandbox), colorGraph(1));
	const first = await runNode(run);
	sandbox.ageJob(jobIds()[0] ?? '', ageMs);
	const second = await runNode(afterCrash(run, first));
	expect(jobIds()).toEqual(ids(second));
	expect(jsons(second)[0]?.recovered === true).toBe(recovered);
});

it.each([
	['long ago', 5 * 60_000],
	['just now', 0],
])('a server that replays keys returns no job of another workflow, which was made %s', async (_when, ageMs) => {
	sandbox.configure({ replaysKeys: true });
	const run = (values: string) => {
		const parameters = { options: { inputValues: values, keepTryingForSeconds: 1 } };
		return submitRun(credentialFor(sandbox), colorGraph(0), { items: colorItems(2), parameters });
	};
	const first = await runNode(run(COLOR_OF_ITEM.inputValues));
	for (const id of jobIds()) sandbox.ageJob(id, ageMs);
	// The rows are the same, and the workflow asks for something else now.
	const second = await runNode({
		...afterCrash(run('={{ { Canvas: { color: $json.color + 10 } } }}'), first),
		settings: CONTINUE.settings,
	});
	expect(jsons(second).map(({ error }) => error)).toEqual(Array(2).fill(expect.stringMatching(/may have submitted this item/)));
	expect(jobIds()).toHaveLength(2);
});

it('a server that returns a job but not its workflow: each item says that the job cannot be checked, and nothing is sent', async () => {
	sandbox.configure({ replaysKeys: true });
	const run = submitRun(credentialFor(sandbox), colorGraph(0), { items: colorItems(2), parameters: { options: COLOR_OF_ITEM } });
	const first = await runNode(run);
	for (const id of jobIds()) sandbox.ageJob(id, 5 * 60_000);
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/workflow', times: 2, answer: { status: 403, code: 'forbidden' } });
	const second = await runNode({ ...afterCrash(run, first), settings: CONTINUE.settings });
	const unchecked = expect.stringMatching(/has a job for this item, but does not return its workflow/);
	expect(jsons(second).map(({ error }) => error)).toEqual([unchecked, unchecked]);
	expect(jobIds()).toHaveLength(2);
});

describe('over v1', () => {
	const run = (more: Partial<NodeRun> = {}): NodeRun => submitRun(credentialFor(sandbox, 'v1'), colorGraph(1), more);

	it('an item sends nothing and says what to do when jobs cannot be listed, and its next try searches again', async () => {
		const first = await runNode(run());
		sandbox.configure({ v1JobsRead: false });
		const second = await runNode(afterCrash(run(), first));
		expect(second.error?.message).toMatch(/may have submitted this item.*the server does not report/);
		expect(second.error?.description).toMatch(/Nothing was sent, because.*billed.*Look for the job on the server.*start a new execution/s);
		expect(second.error?.context).toMatchObject({ itemIndex: 0 });
		expect(sandbox.ledger.runs).toHaveLength(1);
		sandbox.configure({ v1JobsRead: true });
		const third = await runNode({
			...afterCrash(run(), first),
			contextData: storedContext(second),
		});
		expect(jsons(third)[0]).toMatchObject({ job_id: jobIds()[0], recovered: true });
		expect(sandbox.ledger.runs).toHaveLength(1);
	});
});

/** A submission of which n8n has kept the record, but not what came of it, at the limits of each rule. */
describe('an unconfirmed submission', () => {
	const SUBMIT = 'POST /api/v2/jobs';
	const MINUTE_MS = 60_000;
	const began = () => ({ version: 1 as const, establishedAt: Date.now() - 1_000, source: 'webhook' as const });
	const run = (way: Way, options: IDataObject = {}, graph: unknown = colorGraph(1)): NodeRun => ({
		...submitRun(credentialFor(sandbox, way), graph, { parameters: { options: { keepTryingForSeconds: 0, ...options } } }),
		executionContext: began(),
	});
	/** *Retry execution* after an ordinary failure: n8n keeps the context of the node. */
	const again = (one: NodeRun, { contextData }: Pick<NodeResult, 'contextData'>, graph?: unknown): NodeRun => ({
		...one,
		mode: 'retry',
		contextData: storedContext({ contextData }),
		...(graph !== undefined && { parameters: { ...one.parameters, workflow: graph as IDataObject } }),
	});
	const text = ({ contextData }: NodeResult): string => JSON.stringify(contextData);
	const loses = (kind: 'drop_before' | 'drop_after', on = SUBMIT) => sandbox.inject({ on, fault: { kind } });

	it('finds the job from the time when it was first sent, not from the time of the retry', async () => {
		loses('drop_after', 'POST /api/prompt');
		const one = run('v1');
		const first = await runNode(one);
		sandbox.ageJob(jobIds()[0] ?? '', 10 * MINUTE_MS);
		claimedJobs.clear();
		const contextData = storedContext(first);
		const [entry] = Object.values(contextData['node:Under Test']?.comfySubmissions as Record<string, { sent_at: number }>);
		if (entry !== undefined) entry.sent_at -= 10 * MINUTE_MS;
		const second = await runNode(again(one, { contextData }));
		expect(ids(second)).toEqual(jobIds());
		expect(jobIds()).toHaveLength(1);
	});

	it('sends a corrected workflow after a 422: the graph that was rejected is not kept', async () => {
		loses('drop_before');
		const one = run('deployment');
		const first = await runNode(one);
		expect(text(first)).toContain('EmptyImage');
		sandbox.inject({ on: SUBMIT, answer: { status: 422, code: 'invalid_workflow' } });
		const second = await runNode(again(one, first));
		expect(second.status).toBe('error');
		expect(text(second)).not.toContain('EmptyImage');
		const third = await runNode(again(one, second, colorGraph(2)));
		expect(third.error).toBeUndefined();
		expect(sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.graph['1']?.inputs.color)).toEqual([2]);
	});

	it.each([
		[200 * 1024, true],
		[300 * 1024, false],
	])('keeps a workflow of %d characters with the execution: %s', async (length, isKept) => {
		loses('drop_before');
		const marker = `long${'x'.repeat(length)}`;
		const first = await runNode(run('deployment', {}, { ...colorGraph(1), '9': { class_type: 'Note', inputs: { text: marker } } }));
		expect(first.status).toBe('error');
		expect(text(first).includes(marker)).toBe(isKept);
	});

	it('reports what was chosen for the request that was sent, also if its workflow has changed and was not kept', async () => {
		sandbox.configure({ replaysKeys: true, editorFiles: 'accepted' });
		loses('drop_after');
		const one = run('hosted', {}, promptFile('a {red|green} fox'));
		const first = await runNode(one);
		const contextData = storedContext(first);
		const [entry] = Object.values(contextData['node:Under Test']?.comfySubmissions as Record<string, IDataObject>);
		delete entry?.sent_graph;
		const second = await runNode(again(one, { contextData }, promptFile('two {dogs|cats}')));
		expect(second.error).toBeUndefined();
		expect(ids(second)).toEqual(jobIds());
		expect(jsons(second)[0]?.dynamic_prompts).toEqual({ '2.text': sandbox.job(String(jobIds()[0]))?.graph['2']?.inputs.text });
	});

	it.each(['engine', 'bare_engine', 'deployment', 'hosted', 'self_hosted', 'v1'] as const)(
		'without a key (None) every later retry gets the same job (%s)',
		async (way) => {
			const one = run(way, { idempotencyKeyMode: 'none' });
			await runNode(one);
			claimedJobs.clear();
			for (let times = 0; times < 2; times++) {
				const retried = await runNode(retryOf(one, one.executionContext));
				expect(ids(retried)).toEqual([jobIds()[0]]);
				expect(jsons(retried)[0]).toMatchObject({ recovered: true });
				expect(jsons(retried)[0]).not.toHaveProperty('idempotency_key');
			}
			expect(jobIds()).toHaveLength(1);
		},
	);

	it('a job that another execution made under a custom key is not marked as recovered', async () => {
		const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order 17' };
		await runNode(run('engine', options));
		const second = await runNode(run('engine', options));
		expect(ids(second)).toEqual([jobIds()[0]]);
		expect(jsons(second)[0]).not.toHaveProperty('recovered');
	});

	it.each([
		['canceling', 'another job'],
		['canceled', 'another job'],
		['expired', 'another job'],
		['succeeded', 'the same job'],
		['running', 'the same job'],
		['failed', 'the same job'],
	] as const)('a retry after a stop returns, for a job that is %s, %s', async (status, returned) => {
		const one = run('deployment');
		const first = await runNode(one);
		const contextData = storedContext(first);
		const [entry] = Object.values(contextData['node:Under Test']?.comfySubmissions as Record<string, IDataObject>);
		if (entry !== undefined) entry.stopped_at = Date.now();
		const json = { id: jobIds()[0], status };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: returned === 'another job' ? 2 : 1, answer: { status: 200, json } });
		const second = await runNode(again(one, { contextData }));
		expect(second.error).toBeUndefined();
		expect(jobIds()).toHaveLength(returned === 'another job' ? 2 : 1);
		expect(ids(second)).toEqual([jobIds().at(-1)]);
	});
});
