import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../client';
import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import type { Behaviour } from '../../../../sandbox';
import { until } from '../../../support/until';
import { diesIn } from '../../support/crashed';
import { type NodeRun, runNode, startNode } from '../../support/engine';
import { promptFile } from '../../support/editorFiles';
import { credentialFor, interfaceOf, type Way } from '../../support/flavours';
import { colorGraph, slowGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { recovered, retryOf, type Stored } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const started = () => ({
	mode: 'webhook' as const,
	executionContext: { version: 1 as const, establishedAt: Date.now(), source: 'webhook' as const },
});
const entries = (contextData: Record<string, IDataObject>) =>
	Object.values((contextData['node:Under Test']?.comfySubmissions ?? {}) as Record<string, { stopped_at?: number }>);
const statuses = () => sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.status);

const hasJobs = (count: number) => () => sandbox.ledger.runs.length === count;

/** Stops it when it is time, and waits until all jobs are canceled. */
async function stopped(run: NodeRun, contextData: Record<string, IDataObject>, isTime: () => boolean): Promise<void> {
	const { result, stop } = startNode({ ...run, contextData });
	await until(isTime);
	stop();
	await result.catch(() => undefined);
	expect(entries(contextData).every(({ stopped_at }) => stopped_at !== undefined)).toBe(true);
	// An engine keeps nothing of a job that has not run.
	await until(() => statuses().every((status) => status === 'canceled' || status === 'expired'));
}

it('Comfy Submit Workflow submits a new job for each item that a stop canceled', async () => {
	sandbox.configure({ workers: 0 });
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 1, fault: { kind: 'delay', ms: 500 } });
	const items = [{ json: { color: 1 } }, { json: { color: 2 } }];
	const parameters = { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
	const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(0), {
		items,
		parameters,
		...started(),
	});
	const contextData = {};
	await stopped(run, contextData, () => sandbox.requests('POST /api/v2/jobs').length === 2);
	sandbox.configure({ workers: 1 });
	const result = await runNode({ ...run, mode: 'retry', contextData });
	expect(result.error).toBeUndefined();
	expect(jsons(result).map(({ job_id }) => job_id)).toEqual(expect.arrayContaining(sandbox.ledger.runs.slice(2).map(({ jobId }) => jobId)));
	expect(new Set(sandbox.ledger.runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(4);
	expect(jsons(result).some((json) => 'recovered' in json)).toBe(false);
});

/** Stopped, run again, and n8n died when that had made its job. */
async function stoppedAndDied(workflow: ApiGraph, options: IDataObject = {}, way: Way = 'engine'): Promise<Stored> {
	const contextData: Record<string, IDataObject> = {};
	const run = runRun(credentialFor(sandbox, way), slowGraph(4_000, 50), {
		parameters: { options },
		...started(),
	});
	await stopped(run, contextData, hasJobs(1));
	sandbox.configure({ workers: 1 });
	const retry: NodeRun = {
		...run,
		parameters: { ...run.parameters, workflow },
		mode: 'retry',
		contextData: JSON.parse(JSON.stringify(contextData)) as typeof contextData,
	};
	return await diesIn(retry);
}

it.each<[way: Way, options: IDataObject, behaviour: Partial<Behaviour>]>([
	// A job that waits is taken out of the queue when it is canceled.
	['engine', {}, { workers: 0, enginePromptIds: 'asked_for', engineJobRoutes: true }],
	['engine', {}, { workers: 0, enginePromptIds: 'own', engineJobRoutes: false }],
	['v1', {}, {}],
	['v1', { idempotencyKeyMode: 'custom', idempotencyKey: 'not sent over v1' }, {}],
	['deployment', {}, {}],
	['hosted', {}, {}],
])(
	'the next retry recovers the job of a retry after a stop when n8n lost both, and submits no third job (%s, %j, %j)',
	async (way, options, behaviour) => {
		sandbox.configure(behaviour);
		const retry = retryOf(recovered(await stoppedAndDied(slowGraph(1, 10), { seeds: 'random', ...options }, way)));
		delete retry.goesOnFrom?.executionData?.contextData['node:Under Test'];
		claimedJobs.clear();
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		expect(statuses()).toEqual([way === 'engine' ? 'expired' : 'canceled', 'succeeded']);
		const submissions = sandbox.requests(interfaceOf(way) === 'v2' ? 'POST /api/v2/jobs' : 'POST /api/prompt');
		const [first, second] = submissions.map(({ bodyText }) => /"seed":(\d+)/.exec(bodyText)?.[1]);
		expect(second).toBe(first);
		const made = sandbox.ledger.runs[1];
		expect(jsons(result)[0]).toMatchObject({ job_id: made?.jobId, recovered: true, seeds: { '2.seed': Number(second) } });
		// Only the ID of an engine's job shows under which key it was submitted.
		if (way === 'engine' && behaviour.enginePromptIds !== 'own') expect(jsons(result)[0]?.idempotency_key).toBe(made?.jobId);
	},
);

it.each(['engine', 'v1'] as const)(
	'a job in place of one that a stop canceled has the same prompts, also if n8n lost both (%s)',
	async (way) => {
		const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`);
		const file = promptFile(`a {${words.join('|')}}`);
		const contextData: Record<string, IDataObject> = {};
		const run = runRun(credentialFor(sandbox, way), file, started());
		sandbox.configure({ workers: 0 });
		await stopped(run, contextData, hasJobs(1));
		sandbox.configure({ workers: 1 });
		const copy = JSON.parse(JSON.stringify(contextData)) as typeof contextData;
		const retry = retryOf(recovered(await diesIn({ ...run, mode: 'retry', contextData: copy })));
		delete retry.goesOnFrom?.executionData?.contextData['node:Under Test'];
		claimedJobs.clear();
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		const sent = sandbox.ledger.runs.map(({ jobId }) => Object.values(sandbox.job(jobId)?.graph ?? {}).map(({ inputs }) => inputs.text));
		expect(sent).toHaveLength(2);
		expect(sent[0]).toEqual(sent[1]);
		const { dynamic_prompts: prompts = {} } = jsons(result)[0] ?? {};
		expect(sent[1]).toEqual(expect.arrayContaining(Object.values(prompts as IDataObject)));
		expect(Object.keys(prompts as IDataObject)).toHaveLength(1);
	},
);
