import type { IDataObject } from 'n8n-workflow';

import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { bytesOf, runNode, startNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();

const executedBy = (jobId: string) => sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId).map(({ nodeId }) => nodeId);
const isHeard = () => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;
let seed = 1000;

const WORLDS: Array<[Way, boolean]> = [...ways.map((way): [Way, boolean] => [way, false]), ['engine', true], ['bare_engine', true]];
it.each(WORLDS.flatMap((world) => ['live', 'polling'].map((howToWait) => [...world, howToWait] as const)))(
	'outputs the ended job with its outputs (%s, job routes of the engine: %s, %s)',
	async (way, engineJobRoutes, howToWait) => {
		sandbox.configure({ engineJobRoutes });
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(4, 20, seed++), credential);
		const result = await runNode(waitRun(credential, [jobId], { parameters: { howToWait } }));
		expect(result.status).toBe('success');
		const [job] = jsons(result);
		expect(job).toMatchObject({
			job_id: jobId,
			interface: interfaceOf(way),
			status: 'succeeded',
			service_status: interfaceOf(way) === 'v2' ? 'succeeded' : 'success',
			job_error: null,
			outputs: [{ node_id: '3', type: 'image', content_type: 'image/png' }],
		});
		expect(job).not.toHaveProperty('error');
		expect(result.outputs[1]).toEqual([]);
	},
);

it('live takes three requests, whatever the job’s length', async () => {
	const turn = jobsWait(sandbox, isHeard);
	const jobId = await submitted(sandbox, slowGraph(20, 50, seed++));
	sandbox.resetRecords();
	await Promise.all([runNode(waitRun(credentialFor(sandbox), [jobId])), turn]);
	expect(sandbox.requests().map(({ method, path }) => `${method} ${path.replace(jobId, ':id')}`)).toEqual([
		'GET /api/v2/jobs/:id',
		'GET /api/v2/jobs/:id/events',
		'GET /api/v2/jobs/:id',
	]);
});

describe('a job that did not succeed leaves through the error output', () => {
	it('with the failing node’s id, class, message and traceback', async () => {
		const jobId = await submitted(sandbox, failingGraph());
		const { status, error } = await runNode(waitRun(credentialFor(sandbox), [jobId]));
		expect(status).toBe('error');
		expect(error?.message).toContain(jobId);
		expect(error?.message).toMatch(/node 7 \(SandboxFail\)/);
		expect(error?.message).toMatch(/CUDA out of memory/);
		expect(error?.description).toMatch(/Traceback|File "|OOMError/);
		expect(error?.context).toMatchObject({
			itemIndex: 0,
			data: { job_id: jobId, status: 'failed', job_error: { node_id: '7', class_type: 'SandboxFail' } },
		});
	});

	it('through the error output of the node', async () => {
		const failing = await submitted(sandbox, failingGraph('two'));
		const result = await runNode(waitRun(credentialFor(sandbox), [failing], { settings: { onError: 'continueErrorOutput' } }));
		expect(result.outputs.slice(0, 2)).toEqual([[], []]);
		expect(jsons(result, 2)).toMatchObject([{ job_id: failing, interface: 'v2', status: 'failed', job_error: { node_id: '7' } }]);
	});
});

describe('Max Wait', () => {
	it.each(['hosted', 'v1'] as const)('sends a job that still runs to Still Running, and leaves it running (%s)', async (way) => {
		sandbox.configure({ gateOpen: false });
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, gatedGraph(seed++), credential);
		const result = await runNode(waitRun(credential, [jobId], { parameters: { maxWaitMinutes: 0.005 } }));
		expect(result.outputs[0]).toEqual([]);
		expect(jsons(result, 1)).toMatchObject([{ job_id: jobId, interface: interfaceOf(way) }]);
		expect(sandbox.ledger.cancels.filter((cancel) => cancel.jobId === jobId)).toEqual([]);
		sandbox.configure({ gateOpen: true });
		expect(jsons(await runNode(waitRun(credential, [jobId])))[0]?.status).toBe('succeeded');
	});

	const waitAndCancel = async () => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		const parameters = { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } };
		return { jobId, result: await runNode(waitRun(credentialFor(sandbox), [jobId], { parameters })) };
	};

	it('cancels it where asked to', async () => {
		const { jobId } = await waitAndCancel();
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		expect(executedBy(jobId)).not.toContain('3');
	});

	it('gives a hint when the cancel failed', async () => {
		sandbox.inject({ on: 'POST /api/v2/jobs/:id/cancel', times: Infinity, answer: { status: 403, code: 'forbidden' } });
		const { jobId, result } = await waitAndCancel();
		expect(jsons(result, 1)).toMatchObject([{ job_id: jobId }]);
		expect(result.hints).toEqual([expect.stringMatching(/could not be canceled after Max Wait and may still run: .*does not allow/)]);
	});
});

describe('a stop', () => {
	it.each(ways)('cancels the job: no node of it is executed afterwards (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential);
		const { result, stop } = startNode(waitRun(credential, [jobId]));
		await until(() => sandbox.job(jobId)?.status === 'running' && sandbox.requests().some(({ path }) => path.includes(jobId)));
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		expect(executedBy(jobId)).not.toContain('3');
		const { error } = await runNode(waitRun(credential, [jobId]));
		expect(error?.message).toMatch(/was stopped before it finished|is not known to ComfyUI any more/);
	});

	it('cancels jobs of items that were not started', async () => {
		sandbox.configure({ workers: 0 });
		const jobs: string[] = [];
		for (let index = 0; index < 4; index++) jobs.push(await submitted(sandbox, slowGraph(2_000, 50, seed++)));
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), jobs, { parameters: { options: { concurrency: 1 } } }));
		await until(isHeard);
		stop();
		await result.catch(() => undefined);
		await until(() => jobs.every((id) => sandbox.job(id)?.status === 'canceled'));
	});

	it('leaves the job alone where asked to', async () => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { options: { cancelOnStop: false } } }));
		await until(() => sandbox.job(jobId)?.status === 'running' && isHeard());
		stop();
		await result.catch(() => undefined);
		sandbox.configure({ gateOpen: true });
		await until(() => sandbox.job(jobId)?.status === 'succeeded');
	});
});

it('as an AI tool the node uses only the first output', async () => {
	const jobId = await submitted(sandbox, slowGraph(10, 100, seed++));
	const result = await runNode(waitRun(credentialFor(sandbox), [jobId], { asTool: true, parameters: { maxWaitMinutes: 0.005 } }));
	expect(jsons(result)).toMatchObject([{ job_id: jobId }]);
	expect(result.outputs[1]).toEqual([]);
});

describe('times of a job', () => {
	beforeEach(() => sandbox.configure({ workers: 0 }));

	const QUEUED_MS = 300;
	const RAN_MS = 600;
	let seed = 77_000;
	it.each(ways)('over %s the item says how long the job queued and ran', async (way) => {
		await until(() => sandbox.sockets().length === 0);
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(1, RAN_MS, seed++), credential);
		sandbox.resetRecords();
		const waiting = runNode(waitRun(credential, [jobId]));
		await until(() => (interfaceOf(way) === 'v2' ? isHeard() : sandbox.sockets().length > 0));
		await new Promise((resolve) => setTimeout(resolve, QUEUED_MS));
		sandbox.configure({ workers: 4 });
		// A time is the service's own or ours, which begins when its answer has come, and a busy machine is late.
		const [{ queued_seconds, ran_seconds } = {}] = jsons(await waiting);
		for (const [seconds, atLeastMs] of [
			[queued_seconds, QUEUED_MS],
			[ran_seconds, RAN_MS],
		] as const) {
			expect(seconds).toBeGreaterThanOrEqual(atLeastMs / 3_000);
			expect(seconds).toBeLessThan(60);
		}
	});

	it('leaves out the times of a running job behind a proxy, which reports none', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		sandbox.configure({ workers: 4 });
		const jobId = await submitted(sandbox, slowGraph(1, 1_500, seed++), credential);
		await until(() => sandbox.job(jobId)?.status === 'running');
		const [job] = jsons(await runNode(waitRun(credential, [jobId])));
		expect(job).toMatchObject({ status: 'succeeded', queued_seconds: null, ran_seconds: null });
	});

	it('leaves out the times of a queued job', async () => {
		const jobId = await submitted(sandbox, slowGraph(1, RAN_MS, seed++));
		const { outputs } = await runNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { maxWaitMinutes: 0 } }));
		expect(outputs[1]?.[0]?.json).toMatchObject({ status: 'queued', queued_seconds: null, ran_seconds: null });
	});
});

describe('over v1', () => {
	const v1 = () => credentialFor(sandbox, 'v1');
	let seed = 9_000;

	describe('where the service has no job read', () => {
		beforeEach(() => sandbox.configure({ v1JobsRead: false }));

		it('Live receives the outputs, and Download takes them from the item', async () => {
			sandbox.configure({ workers: 0 });
			const jobId = await submitted(sandbox, slowGraph(5, 60, seed++), v1());
			const waiting = runNode(waitRun(v1(), [jobId]));
			await until(() => sandbox.sockets('hosted').length > 0);
			sandbox.configure({ workers: 4 });
			const wait = await waiting;
			expect(jsons(wait)).toMatchObject([{ job_id: jobId, status: 'succeeded', outputs: [{ node_id: '3' }] }]);
			const download = await runNode({ ...downloadRun(v1(), []), items: wait.outputs[0] });
			expect(download.status).toBe('success');
			expect((await bytesOf(download.outputs[0]?.[0])).subarray(1, 4).toString()).toBe('PNG');
		});

		it('a wait that starts too late says that the files exist', async () => {
			const jobId = await finishedUnheard();
			for (const mode of ['live', 'polling']) {
				const { error, outputs } = await runNode(waitRun(v1(), [jobId], { parameters: { howToWait: mode } }));
				expect(outputs).toEqual([]);
				expect(error?.message).toMatch(/succeeded, but the service no longer tells which files it made/);
				expect(error?.description).toMatch(/exist and are paid for.*How To Wait set to Live/);
				expect(error?.context).toMatchObject({ data: { job_id: jobId, status: 'succeeded' } });
			}
		});

		it.each([
			['nothing', {}],
			['outputs of another job', { job_id: 'another', outputs: [{ node_id: '3', name: 'a.png', url: 'http://127.0.0.1/a.png' }] }],
			['outputs without a link', { outputs: [{ node_id: '3', name: 'a.png' }] }],
		])('Download of an item with %s says so too, and Continue On Fail keeps the ids', async (_, json) => {
			const jobId = await finishedUnheard();
			const items = [{ json: { job_id: jobId, ...json } as IDataObject }];
			const run = { ...downloadRun(v1(), [], { jobId }), items };
			const { error } = await runNode(run);
			expect(error?.message).toMatch(/no longer tells which files it made/);
			expect(error?.description).toMatch(/right after Comfy Wait For Job/);
			expect(jsons(await runNode({ ...run, ...CONTINUE }))).toMatchObject([
				{ job_id: jobId, error: expect.stringContaining('no longer tells') },
			]);
		});

		/** Nobody listened to it. */
		async function finishedUnheard(): Promise<string> {
			sandbox.configure({ v1JobsRead: true });
			const jobId = await finished(sandbox, colorGraph(seed++), v1());
			sandbox.configure({ v1JobsRead: false });
			return jobId;
		}
	});
});

describe('on an engine', () => {
	const engine = () => credentialFor(sandbox, 'engine');
	let seed = 900;

	it.each([false, true])(
		'a stop cancels only the own job, and the job of another client continues (job routes: %s)',
		async (engineJobRoutes) => {
			sandbox.configure({ engineJobRoutes, engineConcurrency: 2, gateOpen: false });
			const [mine, theirs] = [
				await submitted(sandbox, gatedGraph(seed++), engine()),
				await submitted(sandbox, gatedGraph(seed++), engine()),
			];
			await until(() => [mine, theirs].every((id) => sandbox.job(id)?.status === 'running'));
			const { result, stop } = startNode(waitRun(engine(), [mine]));
			await until(() => sandbox.sockets('engine').length > 0);
			stop();
			await result.catch(() => undefined);
			await until(() => sandbox.job(mine)?.status === 'canceled');
			sandbox.configure({ gateOpen: true });
			expect((await runNode(waitRun(engine(), [theirs]))).status).toBe('success');
		},
	);

	it('Wait with 20 items outputs them in their order, over one socket that they share', async () => {
		const turn = jobsWait(sandbox, () => sandbox.sockets('engine').length > 0);
		const graphs = Array.from({ length: 20 }, () => ({ json: { color: seed++ } }));
		const submit = submitRun(engine(), colorGraph(0), {
			items: graphs,
			parameters: { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } },
		});
		const jobIds = jsons(await runNode(submit)).map(({ job_id }) => String(job_id));
		sandbox.resetRecords();
		const result = await runNode(waitRun(engine(), jobIds, { parameters: { options: { concurrency: 20 } } }));
		await turn;
		expect(jsons(result).map(({ job_id, status }) => [job_id, status])).toEqual(jobIds.map((id) => [id, 'succeeded']));
		// On a busy machine all that have begun may have ended before the next one begins: it opens another.
		expect(sandbox.requests('GET /ws', 'engine').length).toBeLessThanOrEqual(2);
	});

	it('two executions at the same time do not close each other’s socket', async () => {
		const turn = jobsWait(sandbox, () => sandbox.requests('GET /ws', 'engine').length === 2);
		const jobIds = [
			await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
			await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
		];
		sandbox.resetRecords();
		const results = await Promise.all(jobIds.map(async (id) => await runNode(waitRun(engine(), [id]))));
		await turn;
		expect(results.map(({ status }) => status)).toEqual(['success', 'success']);
		const clientIds = sandbox.requests('GET /ws', 'engine').map(({ query }) => new URLSearchParams(query).get('clientId'));
		expect(new Set(clientIds).size).toBe(clientIds.length);
		expect(clientIds).toHaveLength(2);
	});

	it('the token goes only to the proxy, and Engine Authorization only to the engine', async () => {
		const secrets = { token: 'the-token', engineAuthorizationSecret: 'Basic the-authorization' };
		sandbox.resetRecords();
		for (const way of ['engine', 'self_hosted'] as const) {
			const credential = credentialFor(sandbox, way, secrets);
			await finished(sandbox, slowGraph(3, 20, seed++), credential);
			await runNode({ node: 'comfyManageJobs', credential, parameters: { resource: 'queue', operation: 'get' } });
		}
		const sentTo = (surface: 'engine' | 'self_hosted') => [
			...new Set(sandbox.requests('* *', surface).map(({ headers }) => headers.authorization)),
		];
		expect(sentTo('engine')).toEqual(['Basic the-authorization']);
		expect(sentTo('self_hosted')).toEqual(['Bearer the-token']);
		expect(JSON.stringify(sandbox.requests('* *', 'engine'))).not.toContain('the-token');
	});
});
