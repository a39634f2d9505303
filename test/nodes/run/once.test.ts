import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { until } from '../../support/until';
import { runNode, startNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, interfaceOf, ways } from '../support/flavours';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { countTurns } from '../../support/turnClock';
import { freshSandbox } from '../support/sandbox';

countTurns(5);

const sandbox = freshSandbox();

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
const GRAPH = { workflow: '={{ $json.graph }}' };
const itemsOf = (graphs: ApiGraph[]) => graphs.map((graph) => ({ json: { graph: JSON.stringify(graph) } }));
const passedOn = (contextData: object) => JSON.parse(JSON.stringify(contextData)) as Record<string, IDataObject>;

describe.each(ways)('over %s', (way) => {
	const submissions = () => sandbox.requests(interfaceOf(way) === 'v2' ? 'POST /api/v2/jobs' : 'POST /api/prompt');

	it('W8: a job that ended badly is looked at by the tries of Retry On Fail, never run again, and the message says how to run it anew', async () => {
		const { error } = await runNode(runRun(credentialFor(sandbox, way), failingGraph(), { settings: RETRY }));
		expect(error?.message).toMatch(/stopped at node 7/);
		expect(error?.description).toMatch(/looks at the same job again: to run it anew, start a new execution/);
		expect(submissions()).toHaveLength(1);
		expect(sandbox.ledger.runs).toHaveLength(1);
	});

	it('Retry execution hands on what has succeeded, and runs only what failed before it was sent', async () => {
		const items = itemsOf([colorGraph(1), colorGraph(2)]);
		sandbox.inject({ on: interfaceOf(way) === 'v2' ? 'POST /api/v2/jobs' : 'POST /api/prompt', skip: 1, answer: { status: 413 } });
		const run = runRun(credentialFor(sandbox, way), '', { items, parameters: { ...GRAPH, options: { concurrency: 1 } } });
		const first = await runNode(run);
		expect(first.status).toBe('error');
		expect(sandbox.ledger.runs).toHaveLength(1);
		const second = await runNode({ ...run, contextData: passedOn(first.contextData), executionId: 'another' });
		expect(second.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(2);
		expect(jsons(second).map(({ job_id }) => job_id)).toEqual(sandbox.ledger.runs.map(({ jobId }) => jobId));
	});
});

it('a download that fails is tried again, the job is not', async () => {
	sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: 20, answer: { status: 404 } });
	const failed = await runNode(runRun(credentialFor(sandbox), colorGraph(3), CONTINUE));
	expect(jsons(failed)[0]).toMatchObject({
		job_id: sandbox.ledger.runs[0]?.jobId,
		status: 'succeeded',
		seed: null,
		error: expect.stringContaining('no longer has the bytes'),
	});
	sandbox.clearFaults();
	const again = await runNode(
		runRun(credentialFor(sandbox), colorGraph(3), { contextData: passedOn(failed.contextData), executionId: 'another' }),
	);
	expect(jsons(again)[0]).toMatchObject({ job_id: sandbox.ledger.runs[0]?.jobId, binary_field: 'data' });
	expect(sandbox.ledger.runs).toHaveLength(1);
});

it('a custom key draws the same seed in every execution, as it stands for one job', async () => {
	const parameters = { options: { idempotencyKeyMode: 'custom', idempotencyKey: 'order-9', seeds: 'random' } };
	const run = runRun(credentialFor(sandbox, 'engine'), slowGraph(1, 1), { parameters });
	const [first, second] = [await runNode(run), await runNode({ ...run, executionId: 'another' })];
	expect(sandbox.ledger.runs).toHaveLength(1);
	expect(jsons(second)[0]).toMatchObject({ job_id: jsons(first)[0]?.job_id, seed: jsons(first)[0]?.seed });
});

it.each(['hosted', 'self_hosted', 'v1', 'engine'] as const)(
	'a stop cancels what is in flight, keeps what has ended, and starts nothing (over %s)',
	async (way) => {
		sandbox.configure({ workers: 2, engineConcurrency: 2 });
		const graphs = [colorGraph(4), ...[5, 6, 7, 8, 9].map((seed) => slowGraph(2_000, 50, seed))];
		const run = runRun(credentialFor(sandbox, way), '', {
			items: itemsOf(graphs),
			parameters: { ...GRAPH, options: { concurrency: 3 } },
			settings: RETRY,
		});
		const { result, stop } = startNode(run);
		const jobs = () => sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.status);
		await until(() => jobs().length === 4 && jobs().includes('succeeded') && jobs().includes('running'));
		stop();
		await result.catch(() => undefined);
		// An engine keeps nothing of a job that has not run; which of them is canceled first is open.
		const stopped = () =>
			jobs().filter((status) => status === 'canceled' || (['self_hosted', 'engine'].includes(way) && status === 'expired'));
		await until(() => stopped().length === 3);
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect([jobs().length, stopped().length, jobs().filter((status) => status === 'succeeded').length]).toEqual([4, 3, 1]);
	},
);
