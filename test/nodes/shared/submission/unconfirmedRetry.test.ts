/** What a retry does with a submission of which an earlier try does not know what came of it, at the limits of each rule. */
import type { IDataObject } from 'n8n-workflow';

import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { promptFile } from '../../support/editorFiles';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { retryOf } from '../../support/retried';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const SUBMIT = 'POST /api/v2/jobs';
const MINUTE_MS = 60_000;
const began = () => ({ version: 1 as const, establishedAt: Date.now() - 1_000, source: 'webhook' as const });
const run = (way: Way, options: IDataObject = {}, graph: unknown = colorGraph(1)): NodeRun => ({
	...submitRun(credentialFor(sandbox, way), graph, { parameters: { options: { keepTryingForSeconds: 0, ...options } } }),
	executionContext: began(),
});
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** *Retry execution* after an ordinary failure: n8n keeps the context of the node. */
const again = (one: NodeRun, { contextData }: Pick<NodeResult, 'contextData'>, graph?: unknown): NodeRun => ({
	...one,
	mode: 'retry',
	contextData: copyOf(contextData),
	...(graph !== undefined && { parameters: { ...one.parameters, workflow: graph as IDataObject } }),
});
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const ids = (result: NodeResult) => jsons(result).map(({ job_id }) => job_id);
const text = ({ contextData }: NodeResult): string => JSON.stringify(contextData);
const loses = (kind: 'drop_before' | 'drop_after', on = SUBMIT) => sandbox.inject({ on, fault: { kind } });

it('finds the job from the time when it was first sent, not from the time of the retry', async () => {
	loses('drop_after', 'POST /api/prompt');
	const one = run('v1');
	const first = await runNode(one);
	sandbox.ageJob(jobIds()[0] ?? '', 10 * MINUTE_MS);
	claimedJobs.clear();
	const contextData = copyOf(first.contextData);
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
	sandbox.configure({ replaysKeys: true });
	loses('drop_after');
	const one = run('hosted', {}, promptFile('a {red|green} fox'));
	const first = await runNode(one);
	const contextData = copyOf(first.contextData);
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

it('a retry with a custom key sends nothing over v1 when n8n lost the start time of the execution', async () => {
	const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order 18' };
	const lost = { ...began(), source: 'retry' as never };
	const overV1 = await runNode(retryOf(run('v1', options), lost));
	expect(overV1.error?.message).toMatch(/may have submitted this item/);
	expect(jobIds()).toEqual([]);
	const overV2 = await runNode(retryOf(run('deployment', options), lost));
	expect(overV2.error).toBeUndefined();
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
	const contextData = copyOf(first.contextData);
	const [entry] = Object.values(contextData['node:Under Test']?.comfySubmissions as Record<string, IDataObject>);
	if (entry !== undefined) entry.stopped_at = Date.now();
	const json = { id: jobIds()[0], status };
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: returned === 'another job' ? 2 : 1, answer: { status: 200, json } });
	const second = await runNode(again(one, { contextData }));
	expect(second.error).toBeUndefined();
	expect(jobIds()).toHaveLength(returned === 'another job' ? 2 : 1);
	expect(ids(second)).toEqual([jobIds().at(-1)]);
});
