import { until } from '../../support/until';
import { waitForJob, type Connection, isTerminal, type ApiGraph } from '../../../client';
import { toV1Job, type V1JobFacts } from '../../../client/v1/decode';
import { failureOf } from '../support/bytes';
import { failingGraph, quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { finished, JOB, STATUS } from '../support/v1';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1JobsRead: true, workers: 4 }));

let colors = 0x400000;
const newGraph = () => quickGraph(++colors);
const count = (on: string) => harness.sandbox.requests(on).length;

/** Submits, and waits with the socket open from before the job starts. */
async function heard(connection: Connection, graph = slowGraph(2, 20)) {
	harness.sandbox.configure({ workers: 0 });
	const { job_id } = await connection.jobs.submit({ graph });
	const waiting = waitForJob(connection.jobs, job_id, { mode: 'live', maxWaitMs: 60_000 });
	await until(() => harness.sandbox.sockets('hosted').length > 0);
	harness.sandbox.configure({ workers: 4 });
	return (await waiting).job;
}

test('an ended job has the times and unknown fields of its record, and both outputs of one name', async () => {
	const save = (folder: string) => ({ class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: `${folder}/out` } });
	const job = await finished(harness.connectV1(), { '1': newGraph()['1'] as ApiGraph[string], '2': save('red'), '3': save('blue') });
	const held = harness.sandbox.job(job.job_id);
	expect(job).toMatchObject({
		status: 'succeeded',
		service_status: 'success',
		created_at: new Date(Number(held?.createdAt)).toISOString(),
		job_error: null,
		node_outputs: { '2': { images: [{ type: 'output' }] }, '3': { images: [{ type: 'output' }] } },
		outputs_count: 2,
		assigned_inference: expect.any(String),
	});
	const [red, blue] = job.outputs;
	expect([red, blue]).toMatchObject([{ node_id: '2' }, { node_id: '3' }].map((node) => ({ ...node, type: 'image', job_id: job.job_id })));
	expect(red?.name).toBe(blue?.name);
	const [created, started, completed] = [job.created_at, job.started_at, job.completed_at].map((time) => Date.parse(String(time)));
	expect(started).toBeGreaterThanOrEqual(Number(created));
	expect(completed).toBeGreaterThanOrEqual(Number(started));
	for (const field of ['id', 'error', 'workflow', 'outputs_unavailable']) expect(job).not.toHaveProperty(field);
});

describe('where the jobs read is missing (404)', () => {
	test('outputs come from the frames, without a further request', async () => {
		harness.sandbox.configure({ v1JobsRead: false });
		const connection = harness.connectV1();
		const job = await heard(connection);
		expect(job).toMatchObject({
			status: 'succeeded',
			outputs: [{ node_id: '3', type: 'image' }],
			node_outputs: { '3': { images: [expect.anything()] } },
		});
		expect(job).not.toHaveProperty('outputs_unavailable');
		expect(count(JOB)).toBe(0);
	});

	test('outputs are unavailable, not empty, when no feed was open', async () => {
		harness.sandbox.configure({ v1JobsRead: false });
		const job = await finished(harness.connectV1(), newGraph());
		expect(job).toMatchObject({ status: 'succeeded', outputs: [], outputs_unavailable: true });
	});

	test('the reason of a failure comes from the frames, or from the status when no feed was open', async () => {
		harness.sandbox.configure({ v1JobsRead: false });
		await expect(heard(harness.connectV1(), failingGraph())).resolves.toMatchObject({
			status: 'failed',
			job_error: { code: 'PaintError', message: 'Out of paint', node_id: '1', class_type: 'SandboxFail' },
		});
		const job = await finished(harness.connectV1(), failingGraph());
		expect(job).toMatchObject({ status: 'failed', job_error: { code: 'execution_error', message: 'Out of paint' } });
		expect(job).not.toHaveProperty('outputs_unavailable');
	});
});

describe('a record that lags behind the status', () => {
	const lagging = { status: 200, json: { id: 'a', status: 'in_progress', create_time: 1_700_000_000 } };

	test('a record that lags behind the status is read again', async () => {
		const connection = harness.connectV1();
		harness.sandbox.inject({ on: JOB, times: 2, answer: lagging });
		await expect(finished(connection, newGraph())).resolves.toMatchObject({ outputs: [{ node_id: '2' }] });
		expect(count(JOB)).toBe(3);
	});

	test('a record that never catches up leaves the outputs unavailable', async () => {
		harness.sandbox.inject({ on: JOB, times: Infinity, answer: lagging });
		await expect(finished(harness.connectV1(), newGraph())).resolves.toMatchObject({
			outputs: [],
			outputs_unavailable: true,
			created_at: expect.any(String),
		});
	});

	test('a job has no outputs when its record counts none', async () => {
		harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'completed', outputs_count: 0 } } });
		const job = await finished(harness.connectV1(), newGraph());
		expect(job.outputs).toEqual([]);
		expect(job).not.toHaveProperty('outputs_unavailable');
	});
});

test('a job id is one segment of the address, whatever it holds', async () => {
	await failureOf(harness.connectV1().jobs.get('../queue?y#z'));
	expect(harness.sandbox.requests()[0]?.path).toBe('/api/job/..%2Fqueue%3Fy%23z/status');
});

describe('moments', () => {
	const at = '2023-11-14T22:13:20.000Z';
	const seconds = 1_700_000_000;

	test.each<[string, Record<string, unknown>, Record<string, string | null>]>([
		['create_time in seconds', { create_time: seconds }, { created_at: at }],
		[
			'execution times in milliseconds',
			{ execution_start_time: seconds * 1_000, execution_end_time: seconds * 1_000 },
			{ started_at: at, completed_at: at },
		],
		['ISO texts', { create_time: at, execution_start_time: '2023-11-14T23:13:20+01:00' }, { created_at: at, started_at: at }],
		['an end by the last update', { update_time: seconds }, { completed_at: at }],
		[
			'none that can be read',
			{ create_time: 'soon', execution_start_time: {}, execution_end_time: -1, update_time: 1e300 },
			{ created_at: null, started_at: null, completed_at: null },
		],
	])('the times of a job are read from %s', async (_name, record, expected) => {
		harness.sandbox.inject({ on: STATUS, answer: { status: 200, json: { status: 'success' } } });
		harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'completed', outputs: {}, ...record } } });
		await expect(harness.connectV1().jobs.get('a')).resolves.toMatchObject(expected);
	});
});

describe('the words of statuses', () => {
	const harness = useSandbox({ v1JobsRead: false });
	let jobId: string;

	beforeAll(async () => {
		const connection = harness.connectV1();
		jobId = (await connection.jobs.submit({ graph: quickGraph() })).job_id;
	});
	afterEach(() => harness.sandbox.setV1Status(jobId, null));

	/** The specification's words, the older vocabularies of its prose and of the status route, and words that are new to us. */
	test.each<[status: string, ...words: string[]]>([
		['succeeded', 'success', 'completed'],
		['failed', 'error', 'failed', 'non_retryable_error', 'lost'],
		['canceled', 'cancelled'],
		['queued', 'submitted', 'queued_waiting', 'waiting_to_dispatch', 'pending', 'a_word_of_tomorrow', 'toString'],
		['running', 'preparing', 'executing', 'in_progress'],
		['canceling', 'cancel_requested'],
	])('a job is %s for each word of the service', async (status, ...words) => {
		for (const word of words) {
			harness.sandbox.setV1Status(jobId, word);
			harness.sandbox.resetRecords();
			const job = await harness.connectV1().jobs.get(jobId);
			expect(job).toMatchObject({ interface: 'v1', status, service_status: word });
			expect(job.job_error === null).toBe(status !== 'failed');
			expect(harness.sandbox.requests(JOB)).toHaveLength(isTerminal(status) ? 1 : 0);
		}
	});

	test.each(['non_retryable_error', 'lost'])('the status %s is the code of the failure, with a message of our own', async (word) => {
		harness.sandbox.setV1Status(jobId, word);
		const { job_error } = await harness.connectV1().jobs.get(jobId);
		expect(job_error).toMatchObject({ code: word, message: expect.stringMatching(/^The (service|job) /) as string, traceback: null });
	});
});

describe('why a job failed', () => {
	const failing = (exceptionType: string): ApiGraph => ({
		'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } },
		'5': { class_type: 'SandboxFail', inputs: { image: ['1', 0], message: `It was a ${exceptionType}`, exception_type: exceptionType } },
	});

	test.each(['OOMError', 'AnErrorOfTomorrow'])('%s is the code of the failure, and the failing node is named', async (exceptionType) => {
		const job = await finished(harness.connectV1(), failing(exceptionType));
		expect(job).toMatchObject({ status: 'failed', service_status: 'error', outputs: [] });
		expect(job.job_error).toEqual({
			code: exceptionType,
			exception_type: exceptionType,
			message: `It was a ${exceptionType}`,
			node_id: '5',
			class_type: 'SandboxFail',
			traceback: expect.any(String),
		});
	});

	async function read(word: string, record: Record<string, unknown>, state: Record<string, unknown> = {}) {
		harness.sandbox.inject({ on: STATUS, answer: { status: 200, json: { status: word, ...state } } });
		harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'failed', ...record } } });
		return (await harness.connectV1().jobs.get('a')).job_error;
	}

	test.each(['non_retryable_error', 'lost'])('the status %s is the code, beside the type of the exception', async (word) => {
		const where = { node_id: 3, node_type: 'KSampler', traceback: ['a\n', 'b'] };
		expect(await read(word, { execution_error: { exception_type: 'OOMError', exception_message: 'Too big', ...where } })).toEqual({
			...{ code: word, exception_type: 'OOMError', message: 'Too big' },
			...{ node_id: '3', class_type: 'KSampler', traceback: 'a\nb' },
		});
	});

	test.each([
		[{ exception_message: 'Boom' }, {}, 'Boom'],
		[{}, { error_message: 'It broke' }, 'It broke'],
		['odd', { error_message: 7 }, expect.stringContaining('does not say why') as string],
	])('an error without a type (%j, %j) has the words of its status or its record', async (execution_error, state, message) => {
		expect(await read('error', { execution_error }, state)).toMatchObject({ code: 'execution_error', message });
	});
});

describe('the workflow of a job', () => {
	afterEach(() => harness.sandbox.configure({ v1JobsRead: true }));

	const graph = quickGraph();
	const saved = { nodes: [], links: [], version: 0.4 };

	async function workflowIn(workflow: unknown) {
		harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'completed', workflow } } });
		return await harness.connectV1().jobs.workflow('a');
	}

	test.each<[string, unknown, 'api' | 'save', unknown]>([
		['wrapped with its extra data', { prompt: graph, extra_data: { api_key_comfy_org: 'secret' } }, 'api', graph],
		['wrapped as a workflow', { workflow: graph }, 'api', graph],
		['as saved in the editor', saved, 'save', saved],
		['as saved, wrapped', { workflow: saved }, 'save', saved],
		['with a node of that name', { prompt: graph['1'] }, 'api', { prompt: graph['1'] }],
	])('the workflow of a job is found %s', async (_name, workflow, format, expected) => {
		await expect(workflowIn(workflow)).resolves.toEqual({ format, workflow: expected });
	});

	test.each([undefined, 'text'])('a workflow of %j is reported as not handed out by the service', async (workflow) => {
		await expect(workflowIn(workflow)).rejects.toMatchObject({ interface: 'v1', code: 'not_implemented' });
	});

	test('a service without job records is not reported as a missing job', async () => {
		harness.sandbox.configure({ v1JobsRead: false });
		const { jobs } = harness.connectV1();
		await expect(jobs.workflow(harness.sandbox.seeds.pinnedJob)).rejects.toMatchObject({ code: 'not_implemented' });
		await expect(jobs.workflow(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' });
	});
});

describe('the facts of one job', () => {
	const decoded = (facts: Partial<V1JobFacts>) => toV1Job({ jobId: 'a', serviceStatus: 'error', ...facts }, () => []);

	test('the end of the run comes before later changes of the record', () => {
		const [end, change] = [Date.parse('2026-11-20T10:00:01Z'), Date.parse('2026-11-20T10:05:00Z')];
		expect(decoded({ details: { execution_end_time: end, update_time: change } }).completed_at).toBe('2026-11-20T10:00:01.000Z');
	});

	test('the end of a job without a record is the last change of its state, before the last update of its status', () => {
		const state = { last_state_update: '2026-11-20T10:00:01Z', updated_at: '2026-11-20T10:00:02Z' };
		expect(decoded({ state }).completed_at).toBe('2026-11-20T10:00:01.000Z');
		expect(decoded({ state: { updated_at: state.updated_at } }).completed_at).toBe('2026-11-20T10:00:02.000Z');
		expect(decoded({ state, serviceStatus: 'executing' }).completed_at).toBeNull();
	});

	test('an error of the frames without a type is an execution error', () => {
		const job_error = { code: 'unknown', message: 'Out of paint', node_id: '1', class_type: null, traceback: null };
		const error = decoded({ liveFacts: { job_error } }).job_error;
		expect(error).toEqual({ ...job_error, code: 'execution_error' });
	});
});
