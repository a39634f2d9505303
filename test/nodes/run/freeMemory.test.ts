import type { IDataObject } from 'n8n-workflow';

import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { until } from '../../support/until';
import { countTurns } from '../../support/turnClock';
import { type Credential, type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();
beforeEach(() => void (sandbox.ledger.frees.length = 0));

let seed = 4_000;
const engine = (changes: IDataObject = {}): Credential => credentialFor(sandbox, 'engine', changes);
const DONE = { freeMemory: 'whenDone' };
const EACH = { freeMemory: 'afterEachJob' };
const ANYWAY = { freeMemoryEvenIfOthersWait: true };

const colors = (count: number) => Array.from({ length: count }, () => ({ json: { color: seed++ } }));
const COLOR = { inputValues: '={{ { "1": { color: $json.color } } }}' };
/** Runs one job for each item. */
const batch = (count: number, options: IDataObject, credential = engine(), more: Partial<NodeRun> = {}): NodeRun =>
	runRun(credential, colorGraph(0), { items: colors(count), ...more, parameters: { options: { ...COLOR, ...options } } });
const runGraph = (graph: object, options: IDataObject, credential = engine()): NodeRun =>
	runRun(credential, graph, { parameters: { options } });
const frees = () => sandbox.ledger.frees;
const FREED = { models: true, caches: true };

/** A job of another program that runs until the gate opens. */
async function otherJob(): Promise<string> {
	sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const id = await submitted(sandbox, gatedGraph(seed++), engine());
	await until(() => sandbox.job(id)?.status === 'running');
	return id;
}

describe('Comfy Run Workflow', () => {
	it('frees no memory by default', async () => {
		expect((await runNode(batch(2, {}))).status).toBe('success');
		expect(frees()).toEqual([]);
	});

	it.each(['engine', 'bare_engine', 'self_hosted'] as const)('frees models and caches once after its last job (%s)', async (way) => {
		const result = await runNode(batch(3, { ...DONE, concurrency: 3 }, credentialFor(sandbox, way)));
		expect(jsons(result)).toHaveLength(3);
		expect(result.hints).toEqual([]);
		expect(frees()).toMatchObject([{ ...FREED, unfinishedJobs: 0 }]);
	});

	it('frees the memory once if its items use several interfaces of one credential', async () => {
		const options = { ...DONE, interface: '={{ ["engine", "v2", "automatic"][$itemIndex] }}' };
		const result = await runNode(batch(3, options, { ...engine(), interface: undefined }));
		expect(result.error).toBeUndefined();
		expect(new Set(jsons(result).map(({ interface: name }) => name))).toEqual(new Set(['engine', 'v2']));
		expect(frees()).toMatchObject([FREED]);
	});

	it('frees the memory after each job', async () => {
		const result = await runNode(batch(3, { ...EACH, concurrency: 2 }));
		expect(jsons(result)).toHaveLength(3);
		expect(result.hints).toEqual([]);
		expect(frees()).toHaveLength(3);
	});

	it.each([
		['When This Run Is Done', DONE],
		['After Each Job', EACH],
	])('frees the memory after a job that fails (%s)', async (_, options) => {
		const result = await runNode(runGraph(failingGraph(), options));
		expect(result.status).toBe('error');
		expect(frees()).toMatchObject([FREED]);
	});

	it('frees no memory if it submitted no job', async () => {
		expect((await runNode(runGraph({ '1': { class_type: 'NoSuchClass', inputs: {} } }, DONE))).status).toBe('error');
		expect(frees()).toEqual([]);
	});

	it.each([
		['When This Run Is Done', DONE],
		['After Each Job', EACH],
	])('frees the memory after a stop (%s)', async (_, options) => {
		sandbox.configure({ gateOpen: false });
		const earlier = sandbox.ledger.runs.length;
		const { result, stop } = startNode(runGraph(gatedGraph(seed++), options));
		await until(() => sandbox.job(sandbox.ledger.runs[earlier]?.jobId ?? '')?.status === 'running');
		stop();
		await result.catch(() => undefined);
		// n8n does not wait for the node, which cancels the job first.
		await until(() => frees().length > 0);
		expect(frees()).toMatchObject([FREED]);
		sandbox.configure({ gateOpen: true });
	});

	it.each([
		['When This Run Is Done', DONE],
		['After Each Job', EACH],
	])('frees no memory while a job of another program runs, and says so in one hint (%s)', async (_, options) => {
		const other = await otherJob();
		const result = await runNode(batch(2, options));
		sandbox.configure({ gateOpen: true });
		expect(result.status).toBe('success');
		expect(frees()).toEqual([]);
		expect(result.hints).toEqual([
			'The memory of ComfyUI was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.',
		]);
		await until(() => sandbox.job(other)?.status === 'succeeded');
	});

	it('frees the memory while a job of another program runs if Free Memory Even If Others Wait is on', async () => {
		const other = await otherJob();
		const result = await runNode(batch(2, { ...DONE, ...ANYWAY }));
		sandbox.configure({ gateOpen: true });
		expect(result.hints).toEqual([]);
		expect(frees()).toMatchObject([{ ...FREED, unfinishedJobs: 1 }]);
		await until(() => sandbox.job(other)?.status === 'succeeded');
	});

	it('frees no memory while its own job continues after Max Wait', async () => {
		sandbox.configure({ gateOpen: false });
		const run = runGraph(gatedGraph(seed++), { ...DONE, maxWaitMinutes: 0.001 });
		const result = await runNode({ ...run, connected: STILL_RUNNING_OUTPUT });
		sandbox.configure({ gateOpen: true });
		expect(jsons(result, STILL_RUNNING_OUTPUT)).toHaveLength(1);
		expect(result.hints).toEqual([expect.stringMatching(/1 job is still queued or running/)]);
		expect(frees()).toEqual([]);
	});

	it.each(['hosted', 'v1', 'deployment'] as const)('reports in a hint that the service manages its memory itself (%s)', async (way) => {
		const result = await runNode(batch(2, EACH, credentialFor(sandbox, way)));
		expect(result.status).toBe('success');
		expect(result.hints).toEqual([
			'The service of the Comfy API credential manages its memory itself, so Free Memory Afterwards has no effect. Remove the option.',
		]);
		expect(frees()).toEqual([]);
	});

	it('asks for Engine Address if it knows only the address of the API proxy', async () => {
		const credential = credentialFor(sandbox, 'self_hosted', { engineIsElsewhere: false, engineUrl: '' });
		const result = await runNode(batch(1, DONE, credential));
		expect(result.status).toBe('success');
		expect(result.hints).toEqual([expect.stringMatching(/^The memory of ComfyUI was not freed: .*Engine Address/)]);
	});

	it('succeeds with a hint if ComfyUI cannot free its memory', async () => {
		sandbox.configure({ engineFree: 'absent' });
		const result = await runNode(batch(2, EACH));
		expect(result.status).toBe('success');
		expect(result.hints).toEqual([
			expect.stringMatching(/^The memory of ComfyUI was not freed: ComfyUI itself does not offer this function\. \w/),
		]);
	});

	it('succeeds with a hint if ComfyUI does not respond', async () => {
		sandbox.inject({ on: 'POST /api/free', surface: 'engine', times: Infinity, fault: { kind: 'delay', ms: 30_000 } });
		const result = await runNode(batch(1, DONE));
		expect(result.status).toBe('success');
		expect(result.hints).toEqual([expect.stringMatching(/not freed, because ComfyUI did not respond in time\./)]);
	}, 20_000);

	it('keeps the results and frees the memory if n8n does not return the credential after the last job', async () => {
		const before = sandbox.ledger.runs.length;
		const { data, ...rest } = engine();
		const credential: Credential = {
			...rest,
			get data() {
				if (sandbox.ledger.runs.length > before) throw new Error('The database of n8n does not respond');
				return data;
			},
		};
		const result = await runNode(batch(1, DONE, credential));
		expect(result.error).toBeUndefined();
		expect(jsons(result)).toHaveLength(1);
		expect(frees()).toMatchObject([FREED]);
	});

	it('rejects an unknown choice before it submits a job', async () => {
		const before = sandbox.ledger.runs.length;
		const { error } = await runNode(batch(1, { freeMemory: 'sometimes' }));
		expect(error?.message).toBe('Free Memory Afterwards "sometimes" does not exist');
		expect(sandbox.ledger.runs).toHaveLength(before);
	});

	it('frees the memory once when an AI agent runs it', async () => {
		const result = await runNode(batch(1, DONE, engine(), { asTool: true }));
		expect(result.error).toBeUndefined();
		expect(frees()).toMatchObject([FREED]);
	});
});

describe('Comfy Wait For Job', () => {
	const jobIds = async (count: number): Promise<string[]> => {
		const ids = [];
		for (let index = 0; index < count; index++) ids.push(await submitted(sandbox, colorGraph(seed++), engine()));
		return ids;
	};

	it('frees the memory once after the last job', async () => {
		const result = await runNode(waitRun(engine(), await jobIds(3), { parameters: { options: DONE } }));
		expect(jsons(result)).toHaveLength(3);
		expect(frees()).toMatchObject([{ ...FREED, unfinishedJobs: 0 }]);
	});

	it('frees the memory if ComfyUI still lists the job that has just ended', async () => {
		const [id] = await jobIds(1);
		await until(() => sandbox.job(String(id))?.status === 'succeeded');
		const entry = [1, id, {}, {}, []];
		sandbox.inject({
			on: 'GET /api/queue',
			surface: 'engine',
			answer: { status: 200, json: { queue_running: [entry], queue_pending: [] } },
		});
		const result = await runNode(waitRun(credentialFor(sandbox, 'self_hosted'), [String(id)], { parameters: { options: DONE } }));
		expect(result.hints).toEqual([]);
		expect(frees()).toMatchObject([FREED]);
	});

	it('frees the memory after each job, although the jobs of its later items still wait', async () => {
		sandbox.configure({ workers: 0 });
		const ids = await jobIds(3);
		const waiting = runNode(waitRun(engine(), ids, { parameters: { options: { ...EACH, concurrency: 1 } } }));
		sandbox.configure({ workers: 1 });
		const result = await waiting;
		expect(jsons(result)).toHaveLength(3);
		expect(result.hints).toEqual([]);
		expect(frees()).toHaveLength(3);
	});

	it('frees the memory after a job although the Job ID of another item cannot be read', async () => {
		const [id] = await jobIds(1);
		const jobId = '={{ $itemIndex === 0 ? $json.job_id : $("Missing").item.json.job_id }}';
		const run = waitRun(engine(), [String(id), ''], {
			parameters: { jobId, options: EACH },
			settings: { onError: 'continueRegularOutput' },
		});
		const result = await runNode(run);
		expect(jsons(result)).toMatchObject([{ status: 'succeeded' }, { error: expect.any(String) }]);
		expect(frees()).toMatchObject([FREED]);
	});

	it('frees the memory after a stop', async () => {
		sandbox.configure({ gateOpen: false });
		const id = await submitted(sandbox, gatedGraph(seed++), engine());
		const { result, stop } = startNode(waitRun(engine(), [id], { parameters: { options: DONE } }));
		await until(() => sandbox.sockets('engine').length > 0);
		stop();
		await result.catch(() => undefined);
		await until(() => frees().length > 0);
		expect(frees()).toMatchObject([FREED]);
		sandbox.configure({ gateOpen: true });
	});
});
