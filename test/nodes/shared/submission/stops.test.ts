/** A stop is a wish that the service may never hear of: a retry looks what became of the job before it makes another. */
import type { IDataObject } from 'n8n-workflow';

import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import type { Behaviour } from '../../../../sandbox';
import { countTurns } from '../../../support/turnClock';
import { until } from '../../../support/until';
import { diesIn } from '../../support/crashed';
import { promptFile } from '../../support/editorFiles';
import { type NodeRun, runNode, startNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems, gatedGraph } from '../../support/graphs';
import { jsonRun, routerCredential } from '../../support/router';
import { runRun } from '../../support/run';
import { statusesIn, webhook } from '../../support/runAgain';
import { recovered, retryOf } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

countTurns(5);

const sandbox = freshSandbox();
const statuses = () => statusesIn(sandbox);

type Context = Record<string, IDataObject>;
interface Stoppable {
	result: Promise<unknown>;
	stop(): void;
	/** What the node has recorded. */
	context: Context;
	/** What n8n has saved of it when it was stopped, which it does at that moment. */
	saved(): Context;
	isSubmitted(): boolean;
}

function stoppable(run: NodeRun): Stoppable {
	const context: Context = {};
	let saved: string | undefined;
	const watch: NodeRun['watch'] = (hooks) =>
		hooks.addHandler('workflowExecuteAfter', ({ data }) => void (saved ??= JSON.stringify(data.executionData?.contextData)));
	const { result, stop } = startNode({ ...run, contextData: context, watch });
	return {
		result: result.catch(() => undefined),
		stop,
		context,
		saved: () => JSON.parse(saved ?? '') as Context,
		isSubmitted: () => /"(job_id|queue_request_id)"/.test(JSON.stringify(context)),
	};
}

/** Stops it once its job is known, and it is time. @returns what n8n has saved of it. */
async function stopped(run: NodeRun, isTime = () => true): Promise<Context> {
	const { result, stop, saved, isSubmitted } = stoppable(run);
	await until(() => isSubmitted() && isTime());
	stop();
	await result;
	return saved();
}

/** Stops it when it is time, and waits until all jobs are canceled. @returns what the node has recorded. */
async function canceled(run: NodeRun, isTime: () => boolean): Promise<Context> {
	const { result, stop, context } = stoppable(run);
	await until(isTime);
	stop();
	await result;
	const entries = Object.values((context['node:Under Test']?.comfySubmissions ?? {}) as Record<string, IDataObject>);
	expect(entries.every(({ stopped_at }) => stopped_at !== undefined)).toBe(true);
	// An engine keeps nothing of a job that has not run.
	await until(() => statuses().every((status) => status === 'canceled' || status === 'expired'));
	return JSON.parse(JSON.stringify(context)) as Context;
}

const retried = async (run: NodeRun, contextData: Context) => {
	const result = await runNode({ ...run, mode: 'retry', contextData });
	expect(result.error).toBeUndefined();
	return jsons(result);
};

describe('jobs that a stop canceled', () => {
	it('Comfy Submit Workflow submits a new job for each item that a stop canceled', async () => {
		sandbox.configure({ workers: 0 });
		sandbox.inject({ on: 'POST /api/v2/jobs', skip: 1, fault: { kind: 'delay', ms: 500 } });
		const more = { items: colorItems(2), parameters: { options: COLOR_OF_ITEM }, ...webhook() };
		const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(0), more);
		const contextData = await canceled(run, () => sandbox.requests('POST /api/v2/jobs').length === 2);
		sandbox.configure({ workers: 1 });
		const items = await retried(run, contextData);
		expect(items.map(({ job_id: id }) => sandbox.job(String(id))?.graph['1']?.inputs.color)).toEqual([0, 1]);
		expect(items.map(({ job_id }) => job_id).toSorted()).toEqual(
			sandbox.ledger.runs
				.slice(2)
				.map(({ jobId }) => jobId)
				.toSorted(),
		);
		expect(new Set(sandbox.ledger.runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(4);
		expect(items.some((json) => 'recovered' in json)).toBe(false);
	});

	it.each<[way: Way, options: IDataObject, behaviour: Partial<Behaviour>]>([
		['engine', {}, { enginePromptIds: 'asked_for', engineJobRoutes: true }],
		['engine', {}, { enginePromptIds: 'own', engineJobRoutes: false }],
		['v1', {}, {}],
		['v1', { idempotencyKeyMode: 'custom', idempotencyKey: 'not sent over v1' }, {}],
		['hosted', {}, {}],
	])(
		'the next retry recovers the job of a retry after a stop when n8n lost both, with the same seeds and prompts, and submits no third job (%s, %j, %j)',
		async (way, options, behaviour) => {
			const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`);
			const parameters = { options: { seeds: 'random', ...options } };
			const run = runRun(credentialFor(sandbox, way), promptFile(`a {${words.join('|')}}`), { ...webhook(), parameters });
			// A job that waits is taken out of the queue when it is canceled.
			sandbox.configure({ workers: 0, ...behaviour });
			const contextData = await canceled(run, () => sandbox.ledger.runs.length === 1);
			sandbox.configure({ workers: 1 });
			const retry = retryOf(recovered(await diesIn({ ...run, mode: 'retry', contextData })));
			delete retry.goesOnFrom?.executionData?.contextData['node:Under Test'];
			claimedJobs.clear();
			const result = await runNode(retry);
			expect(result.error).toBeUndefined();
			expect(statuses()).toEqual([way === 'engine' ? 'expired' : 'canceled', 'succeeded']);
			const [first, second] = sandbox.ledger.runs.map(({ jobId }) => {
				const graph = sandbox.job(jobId)?.graph;
				return { seeds: { '5.seed': graph?.['5']?.inputs.seed }, dynamic_prompts: { '2.text': graph?.['2']?.inputs.text } };
			});
			expect(second).toEqual(first);
			const made = sandbox.ledger.runs[1];
			expect(jsons(result)[0]).toMatchObject({ job_id: made?.jobId, recovered: true, ...second });
			// Only the ID of an engine's job shows under which key it was submitted.
			if (way === 'engine' && behaviour.enginePromptIds !== 'own') expect(jsons(result)[0]?.idempotency_key).toBe(made?.jobId);
		},
	);
});

it.each([
	['with routes to cancel jobs', true, ['POST /api/jobs/:id/cancel', 'POST /api/jobs/cancel']],
	['without them', false, ['POST /api/queue', 'POST /api/interrupt']],
] as const)(
	'a stop cancels the jobs of six items on an engine %s with fewer requests than jobs',
	async (_, engineCancelRoutes, requests) => {
		sandbox.configure({ engineJobRoutes: true, engineCancelRoutes, gateOpen: false, engineConcurrency: 1 });
		const items = Array.from({ length: 6 }, (_item, index) => ({ json: { graph: JSON.stringify(gatedGraph(index)) } }));
		const run = runRun(credentialFor(sandbox, 'engine'), '={{ $json.graph }}', {
			...webhook(),
			items,
			parameters: { options: { concurrency: 6 } },
		});
		await canceled(run, () => sandbox.ledger.runs.length === 6 && statuses().includes('running'));
		const sent = requests.map((on) => sandbox.requests(on).length);
		expect(sent.reduce((sum, count) => sum + count)).toBeLessThan(6);
		for (const count of sent) expect(count).toBeGreaterThan(0);
	},
);

describe('jobs that a stop may not have canceled', () => {
	const LOST = { times: 100, fault: { kind: 'drop_after' } } as const;
	/** No job ends before it may. */
	beforeEach(() => sandbox.configure({ gateOpen: false }));
	const mayEnd = () => sandbox.configure({ gateOpen: true });
	const runOver = (way: Way): NodeRun => runRun(credentialFor(sandbox, way), gatedGraph(), webhook());
	const isRunning = () => statuses().includes('running');

	/** Stops it while its job runs, which the service does not cancel. @returns what n8n has saved of it. */
	async function stoppedInVain(run: NodeRun, cancel: string): Promise<Context> {
		const { result, stop, saved, isSubmitted } = stoppable(run);
		await until(() => isSubmitted() && isRunning());
		const refused = sandbox.inject({ on: cancel, times: 100, answer: { status: 503, code: 'service_unavailable' } });
		stop();
		await result;
		await until(() => refused.used > 0);
		sandbox.clearFaults();
		return saved();
	}

	async function expectSameJob(items: Promise<IDataObject[]>): Promise<void> {
		mayEnd();
		expect((await items)[0]?.job_id).toBe(sandbox.ledger.runs[0]?.jobId);
		expect(statuses()).toEqual(['succeeded']);
	}

	it.each([
		['deployment', 'POST /api/v2/jobs/:id/cancel'],
		['v1', 'POST /api/queue'],
		['engine', 'POST *'],
	] as const)('a retry returns a job that the service did not cancel, and submits no second one (%s)', async (way, cancel) => {
		const run = runOver(way);
		await expectSameJob(retried(run, await stoppedInVain(run, cancel)));
	});

	it.each([
		['deployment', 'GET /api/v2/jobs/:id', 'POST /api/v2/jobs/:id/cancel'],
		['v1', 'GET /api/job/:id/status', 'POST /api/queue'],
	] as const)('a retry reads a stopped job again after one 404, and submits no second one (%s)', async (way, read, cancel) => {
		const run = runOver(way);
		const saved = await stoppedInVain(run, cancel);
		const missing = sandbox.inject({ on: read, times: 1, answer: { status: 404, code: 'not_found' } });
		const retry = retried(run, saved);
		await until(() => missing.used === 1);
		await expectSameJob(retry);
	});

	it('a stop while files are downloaded leaves the job as it is, and a retry returns it', async () => {
		mayEnd();
		const run = runOver('engine');
		const download = sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: 100, fault: { kind: 'stall' } });
		const saved = await stopped(run, () => download.used > 0);
		expect(JSON.stringify(saved)).not.toContain('stopped_at');
		sandbox.clearFaults();
		await expectSameJob(retried(run, saved));
	});

	it('a retry finds a job without an answer by the workflow that was sent, whatever an expression returns now', async () => {
		const run = runOver('deployment');
		sandbox.inject({ on: 'POST /api/v2/jobs', ...LOST });
		const { result, stop, saved } = stoppable(run);
		await until(() => sandbox.ledger.runs.length === 1);
		stop();
		await result;
		sandbox.clearFaults();
		mayEnd();
		const now = { ...run, parameters: { ...run.parameters, workflow: gatedGraph(2) } };
		const [item] = await retried(now, saved());
		expect(item?.job_id).toBe(sandbox.ledger.runs[0]?.jobId);
		expect(statuses()).toEqual(['succeeded']);
	});
});

describe('queued router requests', () => {
	const SUBMITS = 'POST /v2/models/:provider/:model/requests';
	const CANCELS = 'PUT /v2/models/:provider/:model/requests/:id/cancel';
	const establishedAt = Date.now();
	const run = (): NodeRun =>
		jsonRun(
			routerCredential(sandbox),
			'lab/slow',
			{ ms: 1_000, note: 'once' },
			{ parameters: { delivery: 'queued', options: { limitRuns: 1 } }, executionContext: { version: 1, establishedAt, source: 'webhook' } },
		);
	const keys = () => new Set(sandbox.requests(SUBMITS).map(({ headers }) => headers['idempotency-key']));
	const isCanceled = () => sandbox.requests(CANCELS).some(({ finished }) => finished);

	it.each(['arrived', 'was lost'])(
		'a retry runs a canceled request again, which does not count as a run (its confirmation %s)',
		async (how) => {
			if (how === 'was lost') sandbox.inject({ on: CANCELS, times: 100, fault: { kind: 'drop_after' } });
			const saved = await stopped(run());
			await until(isCanceled);
			expect((await retried(run(), saved))[0]).toMatchObject({ output: { note: 'once' } });
			expect(keys().size).toBe(2);
		},
	);

	it('a retry collects a request that was not canceled', async () => {
		sandbox.inject({ on: CANCELS, times: 100, fault: { kind: 'drop_before' } });
		const saved = await stopped(run());
		expect((await retried(run(), saved))[0]).toMatchObject({ output: { note: 'once' } });
		expect([keys().size, sandbox.ledger.routerRuns.length]).toEqual([1, 1]);
	});
});
