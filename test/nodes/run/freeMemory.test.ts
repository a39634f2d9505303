import type { IDataObject } from 'n8n-workflow';

import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { until } from '../../support/until';
import { countTurns } from '../../support/turnClock';
import { type Credential, type NodeRun, runNode, startNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { COLOR_OF_ITEM, colorGraph, failingGraph, gatedGraph, newColorItems } from '../support/graphs';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();
beforeEach(() => void (sandbox.ledger.frees.length = 0));

let seed = 4_000;
const engine = (): Credential => credentialFor(sandbox, 'engine');
const DONE = { freeMemory: 'whenDone' };
const EACH = { freeMemory: 'afterEachJob' };
const CHOICES = [
	['When This Run Is Done', DONE],
	['After Each Job', EACH],
] as const;

/** Runs one job for each item. */
const batch = (count: number, options: IDataObject, credential = engine(), more: Partial<NodeRun> = {}): NodeRun =>
	runRun(credential, colorGraph(0), {
		items: newColorItems(count),
		...more,
		parameters: { options: { ...COLOR_OF_ITEM, ...options } },
	});
const runGraph = (graph: object, options: IDataObject): NodeRun => runRun(engine(), graph, { parameters: { options } });
const frees = () => sandbox.ledger.frees;
const FREED = { models: true, caches: true };
const MANAGED: unknown = expect.stringMatching(/^The service of the Comfy API credential manages its memory itself/);

const jobIds = async (count: number): Promise<string[]> => {
	const ids = [];
	for (let index = 0; index < count; index++) ids.push(await submitted(sandbox, colorGraph(seed++), engine()));
	return ids;
};

/** While a job of another program runs. */
async function whileOtherRuns<T>(work: () => Promise<T>): Promise<T> {
	sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const id = await submitted(sandbox, gatedGraph(seed++), engine());
	await until(() => sandbox.job(id)?.status === 'running');
	const result = await work();
	sandbox.configure({ gateOpen: true });
	await until(() => sandbox.job(id)?.status === 'succeeded');
	return result;
}

describe('Comfy Run Workflow', () => {
	it.each(['engine', 'bare_engine', 'self_hosted'] as const)('frees models and caches once after its last job (%s)', async (way) => {
		const result = await runNode(batch(3, { ...DONE, concurrency: 3 }, credentialFor(sandbox, way)));
		expect(jsons(result)).toHaveLength(3);
		expect(result.hints).toEqual([]);
		expect(frees()).toMatchObject([{ ...FREED, unfinishedJobs: 0 }]);
	});

	it('frees the memory once for each credential, whatever the interfaces of its items', async () => {
		const options = { ...COLOR_OF_ITEM, ...DONE, interface: '={{ ["engine", "v2", "automatic", "v2"][$itemIndex] }}' };
		const authentication = '={{ $itemIndex === 3 ? "comfyApi" : "comfySelfHostedApi" }}';
		const run = runRun({ ...engine(), interface: undefined }, colorGraph(0), {
			items: newColorItems(4),
			otherCredential: credentialFor(sandbox),
			parameters: { authentication, options },
		});
		const result = await runNode(run);
		expect(result.error).toBeUndefined();
		expect(new Set(jsons(result).map(({ interface: name }) => name))).toEqual(new Set(['engine', 'v2']));
		expect(frees()).toMatchObject([FREED]);
		expect(result.hints).toEqual([MANAGED]);
	});

	it('frees the memory as often as the options of its items say', async () => {
		const each = async (...choices: string[]) => {
			frees().length = 0;
			const freeMemory = `={{ ${JSON.stringify(choices)}[$itemIndex] }}`;
			const result = await runNode(batch(choices.length, { freeMemory, concurrency: 4 }));
			expect(jsons(result)).toHaveLength(choices.length);
			expect(result.hints).toEqual([]);
			return frees().length;
		};
		// Some of these jobs are submitted while another one frees its memory.
		expect(await each(...Array<string>(16).fill('afterEachJob'))).toBe(16);
		expect(await each('no', 'afterEachJob', 'no')).toBe(1);
		expect(await each('no', 'whenDone')).toBe(1);
		expect(await each('no', 'no')).toBe(0);
	});

	it.each(CHOICES)('frees the memory after a job that fails (%s)', async (_, options) => {
		const result = await runNode(runGraph(failingGraph(), options));
		expect(result.status).toBe('error');
		expect(frees()).toMatchObject([FREED]);
	});

	it('frees no memory if it submitted no job', async () => {
		expect((await runNode(runGraph({ '1': { class_type: 'NoSuchClass', inputs: {} } }, DONE))).status).toBe('error');
		expect(frees()).toEqual([]);
	});

	it.each(CHOICES)('frees the memory after a stop (%s)', async (_, options) => {
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

	it.each(CHOICES)('frees no memory while a job of another program runs, and says so in one hint (%s)', async (_, options) => {
		const { status, hints } = await whileOtherRuns(async () => await runNode(batch(2, options)));
		expect(status).toBe('success');
		expect(frees()).toEqual([]);
		expect(hints).toEqual([
			'The memory of ComfyUI was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.',
		]);
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
		expect(result.hints).toEqual([MANAGED]);
		expect(frees()).toEqual([]);
	});

	it('succeeds with a hint if it knows only the address of the API proxy, or if ComfyUI cannot free its memory', async () => {
		const proxyOnly = credentialFor(sandbox, 'self_hosted', { engineIsElsewhere: false, engineUrl: '' });
		const first = await runNode(batch(2, DONE, proxyOnly));
		expect(jsons(first)).toHaveLength(2);
		expect(first.hints).toEqual([expect.stringMatching(/^The memory of ComfyUI was not freed: .*ComfyUI Address/)]);
		sandbox.configure({ engineFree: 'absent' });
		const second = await runNode(batch(2, EACH));
		expect(jsons(second)).toHaveLength(2);
		expect(second.hints).toEqual([
			expect.stringMatching(/^The memory of ComfyUI was not freed: ComfyUI itself does not offer this function\. \w/),
		]);
	});

	it.each([
		[{ freeMemory: 'sometimes' }, 'Free Memory Afterwards "sometimes" does not exist'],
		[{ ...DONE, freeMemoryWaitSeconds: -1 }, 'Wait For Free Memory (Seconds) is not a number of at least 0'],
	])('rejects %j before it submits a job', async (options, message) => {
		const before = sandbox.ledger.runs.length;
		const { error } = await runNode(batch(1, options));
		expect(error?.message).toBe(message);
		expect(sandbox.ledger.runs).toHaveLength(before);
	});
});

describe('Comfy Wait For Job', () => {
	it('frees the memory once after the last job, also if ComfyUI still lists a job that has just ended', async () => {
		const ids = await jobIds(3);
		await until(() => ids.every((id) => sandbox.job(id)?.status === 'succeeded'));
		const answer = { status: 200, json: { queue_running: [[1, ids[2], {}, {}, []]], queue_pending: [] } };
		sandbox.inject({ on: 'GET /api/queue', surface: 'engine', answer });
		const result = await runNode(waitRun(engine(), ids, { parameters: { options: DONE } }));
		expect(jsons(result)).toHaveLength(3);
		expect(result.hints).toEqual([]);
		expect(frees()).toMatchObject([{ ...FREED, unfinishedJobs: 0 }]);
	});

	it('frees the memory after each job, although the jobs of its later items still wait and one has no readable Job ID', async () => {
		sandbox.configure({ workers: 0 });
		const ids = await jobIds(3);
		const items = [...ids.map((job_id) => ({ json: { job_id } })), {}];
		const jobId = '={{ $json.job_id ?? $("Nowhere").item.json.job_id }}';
		const parameters = { jobId, options: { ...EACH, concurrency: 1 } };
		const waiting = runNode(waitRun(engine(), [], { ...CONTINUE, items, parameters }));
		sandbox.configure({ workers: 1 });
		const result = await waiting;
		expect(jsons(result).map(({ error }) => error === undefined)).toEqual([true, true, true, false]);
		expect(result.hints).toEqual([]);
		expect(frees()).toHaveLength(3);
	});
});
