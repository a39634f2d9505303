import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { runNode, startNode } from '../support/engine';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted, waitRun } from '../support/submit';

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

it('a live wait takes three requests, for a job of any length', async () => {
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
		const result = await runNode(waitRun(credential, [jobId], { connected: STILL_RUNNING_OUTPUT, parameters: { maxWaitMinutes: 0.005 } }));
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
		return { jobId, result: await runNode(waitRun(credentialFor(sandbox), [jobId], { connected: STILL_RUNNING_OUTPUT, parameters })) };
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
		expect(result.hints).toEqual([expect.stringMatching(/may still run after Max Wait\. The job could not be canceled: .*does not allow/)]);
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
		expect(error?.message).toMatch(/was stopped before it finished|ComfyUI no longer has job/);
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
		// The time comes from the service, or is measured from its answer on. A busy machine measures late.
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
		const more = { connected: STILL_RUNNING_OUTPUT, parameters: { maxWaitMinutes: 0 } };
		const { outputs } = await runNode(waitRun(credentialFor(sandbox), [jobId], more));
		expect(outputs[1]?.[0]?.json).toMatchObject({ status: 'queued', queued_seconds: null, ran_seconds: null });
	});
});
