import { until } from '../support/until';
import { runNode, startNode } from './support/engine';
import { credentialFor, surfaces } from './support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from './support/graphs';
import { jobsWait } from './support/jobsWait';
import { jsons, submitted, waitRun } from './support/submit';
import { countTurns } from '../support/turnClock';
import { sharedSandbox } from './support/sandbox';

countTurns(5);

const sandbox = sharedSandbox();

const executedBy = (jobId: string) => sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId).map(({ nodeId }) => nodeId);
/** The job runs, and the node listens to it. */
const waiting = async (jobId: string) =>
	await until(() => sandbox.job(jobId)?.status === 'running' && sandbox.requests('GET /api/v2/jobs/:id/events').length > 0);
const isHeard = () => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;
let seed = 1000;

describe.each(surfaces)('on %s', (surface) => {
	it.each(['live', 'polling'])('returns the ended job with its outputs (%s)', async (mode) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = await submitted(sandbox, slowGraph(4, 20, seed++), credential);
		const result = await runNode(waitRun(credential, [jobId], { parameters: { mode } }));
		expect(result.status).toBe('success');
		const [job] = jsons(result);
		expect(job).toMatchObject({ job_id: jobId, interface: 'v2', status: 'succeeded', service_status: 'succeeded', job_error: null });
		expect(job?.outputs).toMatchObject([{ node_id: '3', type: 'image', content_type: 'image/png' }]);
		expect(job).not.toHaveProperty('error');
		expect(result.outputs[1]).toEqual([]);
	});
});

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

it('passes where /events answers 501', async () => {
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: Infinity, answer: { status: 501, code: 'not_implemented' } });
	const turn = jobsWait(sandbox, isHeard);
	const jobId = await submitted(sandbox, slowGraph(5, 20, seed++));
	const [result] = await Promise.all([runNode(waitRun(credentialFor(sandbox), [jobId])), turn]);
	expect(jsons(result)[0]?.status).toBe('succeeded');
	expect(sandbox.requests('GET /api/v2/jobs/:id/events')).toHaveLength(1);
});

describe('a job that did not succeed goes n8n’s error way', () => {
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

	it('and, with Continue On Fail, on as an item that keeps every id', async () => {
		const failing = await submitted(sandbox, failingGraph('one'));
		const fine = await submitted(sandbox, colorGraph(seed++));
		const result = await runNode(waitRun(credentialFor(sandbox), [failing, fine], { settings: { onError: 'continueRegularOutput' } }));
		const [first, second] = jsons(result);
		expect(first).toMatchObject({
			job_id: failing,
			interface: 'v2',
			status: 'failed',
			job_error: { node_id: '7' },
			error: expect.stringContaining('node 7'),
		});
		expect(second).toMatchObject({ job_id: fine, status: 'succeeded' });
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('and, with the error output, on to that', async () => {
		const failing = await submitted(sandbox, failingGraph('two'));
		const result = await runNode(waitRun(credentialFor(sandbox), [failing], { settings: { onError: 'continueErrorOutput' } }));
		expect(result.outputs.slice(0, 2)).toEqual([[], []]);
		expect(jsons(result, 2)).toMatchObject([{ job_id: failing, status: 'failed' }]);
	});

	it('canceled', async () => {
		sandbox.configure({ workers: 0 });
		const jobId = await submitted(sandbox, slowGraph(1, 10, seed++));
		const wait = runNode(waitRun(credentialFor(sandbox), [jobId]));
		await until(() => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0);
		await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}/cancel`, {
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.keys.apiKey}` },
		});
		expect((await wait).error?.message).toMatch(/was stopped before it finished/);
	});

	it.each([
		['unknown', () => '00000000-0000-4000-8000-000000000000'],
		['expired', () => sandbox.seeds.expiredJob],
		['another account’s', () => sandbox.seeds.foreignJob],
	])('%s: says what to check', async (_, id) => {
		const { error } = await runNode(waitRun(credentialFor(sandbox), [id()]));
		expect(error?.message).toMatch(/knows no such/);
		expect(error?.description).toMatch(/retention/);
	});

	it('without a job id names the field', async () => {
		const { error } = await runNode(waitRun(credentialFor(sandbox), [''], {}));
		expect(error?.message).toMatch(/Job ID is empty/);
	});
});

it('T1: an ended "expired" is believed only after a second read', async () => {
	const credential = credentialFor(sandbox, 'self_hosted');
	const jobId = await submitted(sandbox, slowGraph(5, 20, seed++), credential);
	sandbox.inject({ on: `GET /api/v2/jobs/${jobId}`, fault: { kind: 'false_expired' } });
	expect(jsons(await runNode(waitRun(credential, [jobId], { parameters: { howToWait: 'polling' } })))[0]?.status).toBe('succeeded');
});

describe('Max Wait', () => {
	it('sends a job that still runs to Still Running, and leaves it running', async () => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		const result = await runNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { maxWaitMinutes: 0.005 } }));
		expect(result.outputs[0]).toEqual([]);
		expect(jsons(result, 1)).toMatchObject([{ job_id: jobId, interface: 'v2' }]);
		expect(sandbox.ledger.cancels.filter((cancel) => cancel.jobId === jobId)).toEqual([]);
		sandbox.configure({ gateOpen: true });
		expect(jsons(await runNode(waitRun(credentialFor(sandbox), [jobId])))[0]?.status).toBe('succeeded');
	});

	it('cancels it where asked to', async () => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		await runNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } } }));
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		expect(executedBy(jobId)).not.toContain('3');
	});
});

it('says so when the cancel after Max Wait did not work', async () => {
	sandbox.configure({ gateOpen: false });
	const jobId = await submitted(sandbox, gatedGraph(seed++));
	sandbox.inject({ on: 'POST /api/v2/jobs/:id/cancel', times: Infinity, answer: { status: 403, code: 'forbidden' } });
	const result = await runNode(
		waitRun(credentialFor(sandbox), [jobId], { parameters: { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } } }),
	);
	expect(jsons(result, 1)).toMatchObject([{ job_id: jobId }]);
	expect(result.hints).toEqual([expect.stringMatching(/could not be canceled after Max Wait and may still run: .*does not allow/)]);
});

describe('a stop', () => {
	it.each(surfaces)('cancels the job: no node of it is executed afterwards (%s)', async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential);
		const { result, stop } = startNode(waitRun(credential, [jobId]));
		await waiting(jobId);
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		expect(executedBy(jobId)).not.toContain('3');
	});

	it('cancels jobs whose turn had not come, too', async () => {
		sandbox.configure({ workers: 0 });
		const jobs: string[] = [];
		for (let index = 0; index < 4; index++) jobs.push(await submitted(sandbox, slowGraph(2_000, 50, seed++)));
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), jobs, { parameters: { options: { concurrency: 1 } } }));
		await until(() => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0);
		stop();
		await result.catch(() => undefined);
		await until(() => jobs.every((id) => sandbox.job(id)?.status === 'canceled'));
	});

	it('leaves the job alone where asked to', async () => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { options: { cancelOnStop: false } } }));
		await waiting(jobId);
		stop();
		await result.catch(() => undefined);
		sandbox.configure({ gateOpen: true });
		await until(() => sandbox.job(jobId)?.status === 'succeeded');
	});

	it('is the end: Retry On Fail sends no request afterwards', async () => {
		const jobId = await submitted(sandbox, slowGraph(2_000, 50, seed++));
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), [jobId], { settings }));
		await waiting(jobId);
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		const sent = sandbox.requests().length;
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(sandbox.requests()).toHaveLength(sent);
		expect(sandbox.ledger.cancels.filter((cancel) => cancel.jobId === jobId)).toHaveLength(1);
	});
});

it('as an AI tool everything goes to the first output', async () => {
	const jobId = await submitted(sandbox, slowGraph(10, 100, seed++));
	const result = await runNode(waitRun(credentialFor(sandbox), [jobId], { asTool: true, parameters: { maxWaitMinutes: 0.005 } }));
	expect(jsons(result)).toMatchObject([{ job_id: jobId }]);
	expect(result.outputs[1]).toEqual([]);
});
