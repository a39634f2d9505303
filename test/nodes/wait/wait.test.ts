import { createHash } from 'node:crypto';

import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { bytesOf, runNode, startNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { COLOR_OF_ITEM, colorGraph, failingGraph, gatedGraph, newColorItems, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();

const executedBy = (jobId: string) => sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId).map(({ nodeId }) => nodeId);
const isHeard = () => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;
const statusOf = (jobId: string) => sandbox.job(jobId)?.status;
let seed = 1000;

/** Submits these graphs one after another. */
async function submitAll(credential: ReturnType<typeof credentialFor>, graphs: Array<ReturnType<typeof colorGraph>>): Promise<string[]> {
	const ids = [];
	for (const graph of graphs) ids.push(await submitted(sandbox, graph, credential));
	return ids;
}

const WORLDS: Array<[Way, boolean]> = [...ways.map((way): [Way, boolean] => [way, false]), ['bare_engine', true]];
it.each(WORLDS)(
	'outputs each ended job with its outputs, whether its item waits live or by polling (%s, job routes of the engine: %s)',
	async (way, engineJobRoutes) => {
		sandbox.configure({ engineJobRoutes });
		const credential = credentialFor(sandbox, way);
		const jobIds = await submitAll(credential, [colorGraph(seed++), slowGraph(4, 20, seed++), slowGraph(10, 40, seed++)]);
		const howToWait = '={{ ["live", "live", "polling"][$itemIndex] }}';
		const result = await runNode(waitRun(credential, jobIds, { parameters: { howToWait } }));
		expect(result.status).toBe('success');
		expect(jsons(result)).toMatchObject(
			jobIds.map((job_id, index) => ({
				job_id,
				interface: interfaceOf(way),
				status: 'succeeded',
				service_status: interfaceOf(way) === 'v2' ? 'succeeded' : 'success',
				job_error: null,
				outputs: [{ node_id: ['2', '3', '3'][index], type: 'image', content_type: 'image/png' }],
			})),
		);
		for (const job of jsons(result)) expect(job).not.toHaveProperty('error');
		expect(result.outputs[1]).toEqual([]);
		const streams = sandbox.requests('GET /api/v2/jobs/:id/events').map(({ path }) => path);
		expect(streams.filter((path) => path.includes(String(jobIds[2])))).toEqual([]);
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

it('a job that failed leaves through the error output, with the failing node’s id, class, message and traceback', async () => {
	const jobIds = await submitAll(credentialFor(sandbox), [colorGraph(seed++), failingGraph()]);
	const { error } = await runNode(waitRun(credentialFor(sandbox), jobIds));
	expect(error?.message).toContain(jobIds[1]);
	expect(error?.message).toMatch(/node 7 \(SandboxFail\).*CUDA out of memory/);
	expect(error?.description).toMatch(/Traceback|File "|OOMError/);
	const failed = { job_id: jobIds[1], status: 'failed', job_error: { node_id: '7', class_type: 'SandboxFail' } };
	expect(error?.context).toMatchObject({ itemIndex: 1, data: failed });
	const result = await runNode(waitRun(credentialFor(sandbox), jobIds, { settings: { onError: 'continueErrorOutput' } }));
	expect(result.outputs.slice(0, 2)).toMatchObject([[{ json: { job_id: jobIds[0] } }], []]);
	expect(jsons(result, 2)).toMatchObject([{ ...failed, interface: 'v2' }]);
});

describe('Max Wait', () => {
	it.each(['hosted', 'v1'] as const)(
		'of each item sends a job that still runs to Still Running, and cancels it only if asked to (%s)',
		async (way) => {
			sandbox.configure({ gateOpen: false });
			const credential = credentialFor(sandbox, way);
			const jobIds = await submitAll(credential, [gatedGraph(seed++), gatedGraph(seed++), gatedGraph(seed++)]);
			const parameters = {
				maxWaitMinutes: '={{ [0.005, 0.005, 10][$itemIndex] }}',
				options: { cancelOnTimeout: '={{ $itemIndex === 1 }}' },
			};
			const running = runNode(waitRun(credential, jobIds, { connected: STILL_RUNNING_OUTPUT, parameters, ...CONTINUE }));
			await until(() => sandbox.ledger.cancels.some(({ jobId }) => jobId === jobIds[1]));
			sandbox.configure({ gateOpen: true });
			const result = await running;
			expect(jsons(result)).toContainEqual(expect.objectContaining({ job_id: jobIds[2], status: 'succeeded' }));
			expect(jsons(result, 1).map(({ job_id }) => job_id)).toEqual(expect.arrayContaining([jobIds[0]]));
			expect(sandbox.ledger.cancels.map(({ jobId }) => jobId)).not.toContain(jobIds[0]);
			expect(executedBy(String(jobIds[1]))).not.toContain('3');
			expect(jsons(await runNode(waitRun(credential, [String(jobIds[0])])))[0]?.status).toBe('succeeded');
		},
	);

	it('gives a hint when the cancel failed, and uses only the first output as an AI tool', async () => {
		sandbox.inject({ on: 'POST /api/v2/jobs/:id/cancel', times: Infinity, answer: { status: 403, code: 'forbidden' } });
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(seed++));
		const parameters = { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } };
		const run = waitRun(credentialFor(sandbox), [jobId], { connected: STILL_RUNNING_OUTPUT, parameters });
		const result = await runNode(run);
		expect(jsons(result, 1)).toMatchObject([{ job_id: jobId }]);
		expect(result.hints).toEqual([expect.stringMatching(/may still run after Max Wait\. The job could not be canceled: .*does not allow/)]);
		const ofTool = await runNode({ ...run, asTool: true });
		expect([jsons(ofTool), ofTool.outputs[1]]).toMatchObject([[{ job_id: jobId }], []]);
		sandbox.configure({ gateOpen: true });
	});
});

describe('a stop', () => {
	it.each(ways)('cancels the job: no node of it is executed afterwards (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential);
		const { result, stop } = startNode(waitRun(credential, [jobId]));
		await until(() => statusOf(jobId) === 'running' && sandbox.requests().some(({ path }) => path.includes(jobId)));
		stop();
		await result.catch(() => undefined);
		await until(() => statusOf(jobId) === 'canceled');
		expect(executedBy(jobId)).not.toContain('3');
		const { error } = await runNode(waitRun(credential, [jobId]));
		expect(error?.message).toMatch(/was stopped before it finished|ComfyUI no longer has job/);
	});

	it('cancels the jobs of its items, also of those that were not started, except where Cancel On Stop is off', async () => {
		sandbox.configure({ gateOpen: false, workers: 4 });
		const jobIds = await submitAll(
			credentialFor(sandbox),
			[1, 2, 3, 4].map(() => gatedGraph(seed++)),
		);
		const options = { concurrency: 2, cancelOnStop: '={{ [false, true, false, true][$itemIndex] }}' };
		const { result, stop } = startNode(waitRun(credentialFor(sandbox), jobIds, { parameters: { options } }));
		await until(() => sandbox.requests('GET /api/v2/jobs/:id/events').length === 2);
		stop();
		await result.catch(() => undefined);
		await until(() => [1, 3].every((index) => statusOf(String(jobIds[index])) === 'canceled'));
		sandbox.configure({ gateOpen: true });
		await until(() => [0, 2].every((index) => statusOf(String(jobIds[index])) === 'succeeded'));
	});

	it.each([false, true])(
		'cancels only the own jobs on an engine, and the job of another client continues (job routes: %s)',
		async (engineJobRoutes) => {
			const engine = credentialFor(sandbox, 'engine');
			sandbox.configure({ engineJobRoutes, engineConcurrency: 2, gateOpen: false });
			const [running = '', theirs = '', queued = ''] = await submitAll(
				engine,
				[1, 2, 3].map(() => gatedGraph(seed++)),
			);
			await until(() => [running, theirs].every((id) => statusOf(id) === 'running'));
			const { result, stop } = startNode(waitRun(engine, [running, queued]));
			await until(() => sandbox.sockets('engine').length > 0);
			stop();
			await result.catch(() => undefined);
			await until(() => statusOf(running) === 'canceled' && /canceled|expired/.test(String(statusOf(queued))));
			sandbox.configure({ gateOpen: true });
			expect((await runNode(waitRun(engine, [theirs]))).status).toBe('success');
		},
	);
});

describe('on an engine', () => {
	const engine = () => credentialFor(sandbox, 'engine');

	it('20 items are output in their order, over one socket that they share', async () => {
		const turn = jobsWait(sandbox, () => sandbox.sockets('engine').length > 0);
		const submit = submitRun(engine(), colorGraph(0), { items: newColorItems(20), parameters: { options: COLOR_OF_ITEM } });
		const jobIds = jsons(await runNode(submit)).map(({ job_id }) => String(job_id));
		sandbox.resetRecords();
		const result = await runNode(waitRun(engine(), jobIds, { parameters: { options: { concurrency: 20 } } }));
		await turn;
		expect(jsons(result).map(({ job_id, status }) => [job_id, status])).toEqual(jobIds.map((id) => [id, 'succeeded']));
		// On a busy machine, all running jobs may have ended before the next one begins, which then opens another socket.
		expect(sandbox.requests('GET /ws', 'engine').length).toBeLessThanOrEqual(2);
	});
});

describe('over v1 where the service has no job read', () => {
	const v1 = () => credentialFor(sandbox, 'v1');
	beforeEach(() => sandbox.configure({ v1JobsRead: false }));

	it('Live receives the outputs of two jobs, and Download takes those of its own job from each item', async () => {
		sandbox.configure({ workers: 0 });
		const jobIds = await submitAll(v1(), [slowGraph(5, 60, seed++), slowGraph(5, 60, seed++)]);
		const waiting = runNode(waitRun(v1(), jobIds));
		await until(() => sandbox.sockets('hosted').length > 0);
		sandbox.configure({ workers: 4 });
		const wait = await waiting;
		expect(jsons(wait)).toMatchObject(jobIds.map((job_id) => ({ job_id, status: 'succeeded', outputs: [{ node_id: '3' }] })));
		const { outputs } = await runNode({ ...downloadRun(v1(), []), items: wait.outputs[0] });
		expect(jsons({ outputs } as typeof wait).map(({ job_id }) => job_id)).toEqual(jobIds);
		const hashes = await Promise.all(
			(outputs[0] ?? []).map(async (item) =>
				createHash('md5')
					.update(await bytesOf(item))
					.digest('hex'),
			),
		);
		expect(new Set(hashes).size).toBe(2);
	});

	it('a wait or a download that comes too late says that the files exist', async () => {
		sandbox.configure({ v1JobsRead: true });
		const jobId = await finished(sandbox, colorGraph(seed++), v1());
		sandbox.configure({ v1JobsRead: false });
		for (const mode of ['live', 'polling']) {
			const { error } = await runNode(waitRun(v1(), [jobId], { parameters: { howToWait: mode } }));
			expect(error?.message).toMatch(/succeeded, but the server no longer lists its files/);
			expect(error?.description).toMatch(/exist and are billed.*set How To Wait to Live/);
			expect(error?.context).toMatchObject({ data: { job_id: jobId, status: 'succeeded' } });
		}
		const items = [
			{ job_id: jobId },
			{ job_id: 'another', outputs: [{ node_id: '3', name: 'a.png', url: 'http://127.0.0.1/a.png' }] },
			{ job_id: jobId, outputs: [{ node_id: '3', name: 'a.png' }] },
		].map((json) => ({ json }));
		const result = await runNode({ ...downloadRun(v1(), [], { jobId }), items, ...CONTINUE });
		const late = { error: expect.stringContaining('no longer lists its files'), error_description: expect.stringMatching(/right after/) };
		expect(jsons(result)).toMatchObject(items.map(() => ({ job_id: jobId, ...late })));
	});
});

describe('times of a job', () => {
	const QUEUED_MS = 300;
	const RAN_MS = 600;

	it.each(ways)('over %s the item says how long the job queued and ran', async (way) => {
		await until(() => sandbox.sockets().length === 0);
		sandbox.configure({ workers: 0 });
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
});
