import { until } from '../../support/until';
import { waitForJob, isTerminal, type ApiGraph } from '../../../client';
import { toV1Job, type V1JobFacts } from '../../../client/v1/decode';
import { failingGraph, newGraph, quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { finished, JOB, STATUS } from '../support/v1';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1JobsRead: true, workers: 4 }));

const UNTYPED = { code: 'unknown', node_id: '1', class_type: null, traceback: null };
const count = (on: string) => harness.sandbox.requests(on).length;

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

test('where the jobs read is missing, the reason of a failure comes from the frames, or from the status when no feed was open', async () => {
	harness.sandbox.configure({ v1JobsRead: false, workers: 0 });
	const { jobs } = harness.connectV1();
	const { job_id } = await jobs.submit({ graph: failingGraph() });
	const waiting = waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: 60_000 });
	await until(() => harness.sandbox.sockets('hosted').length > 0);
	harness.sandbox.configure({ workers: 4 });
	const job_error = { code: 'PaintError', message: 'Out of paint', node_id: '1', class_type: 'SandboxFail' };
	await expect(waiting).resolves.toMatchObject({ job: { status: 'failed', job_error } });
	const job = await finished(harness.connectV1(), failingGraph());
	expect(job).toMatchObject({ status: 'failed', job_error: { code: 'execution_error', message: 'Out of paint' } });
	expect(job).not.toHaveProperty('outputs_unavailable');
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

/** The specification's words, the older vocabularies of its prose and of the status route, and words that are new to us. */
test.each<[status: string, ...words: string[]]>([
	['succeeded', 'success', 'completed'],
	['failed', 'error', 'failed', 'non_retryable_error', 'lost'],
	['canceled', 'cancelled'],
	['queued', 'submitted', 'queued_waiting', 'waiting_to_dispatch', 'pending', 'a_word_of_tomorrow', 'toString'],
	['running', 'preparing', 'executing', 'in_progress'],
	['canceling', 'cancel_requested'],
])('a job is %s for each word of the service', async (status, ...words) => {
	harness.sandbox.configure({ v1JobsRead: false });
	for (const word of words) {
		harness.sandbox.resetRecords();
		harness.sandbox.inject({ on: STATUS, answer: { status: 200, json: { status: word } } });
		const job = await harness.connectV1().jobs.get('a');
		expect(job).toMatchObject({ interface: 'v1', status, service_status: word });
		expect(job.job_error === null).toBe(status !== 'failed');
		expect(count(JOB)).toBe(isTerminal(status) ? 1 : 0);
	}
});

test.each(['OOMError', 'AnErrorOfTomorrow'])('%s is the code of the failure, and the failing node is named', async (exceptionType) => {
	const message = `It was a ${exceptionType}`;
	const job = await finished(harness.connectV1(), {
		'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } },
		'5': { class_type: 'SandboxFail', inputs: { image: ['1', 0], message, exception_type: exceptionType } },
	});
	expect(job).toMatchObject({ status: 'failed', service_status: 'error', outputs: [] });
	const where = { node_id: '5', class_type: 'SandboxFail', traceback: expect.any(String) as string };
	expect(job.job_error).toEqual({ code: exceptionType, exception_type: exceptionType, message, ...where });
});

describe('the facts of one job', () => {
	const decoded = (facts: Partial<V1JobFacts>) => toV1Job({ jobId: 'a', serviceStatus: 'error', ...facts }, () => []);
	const at = '2023-11-14T22:13:20.000Z';
	const seconds = 1_700_000_000;
	const [earlier, later] = ['2026-11-20T10:00:01.000Z', '2026-11-20T10:05:00.000Z'];

	test.each<[times: string, facts: Partial<V1JobFacts>, expected: Record<string, string | null>]>([
		['create_time in seconds', { details: { create_time: seconds } }, { created_at: at }],
		[
			'execution times in milliseconds',
			{ details: { execution_start_time: seconds * 1_000, execution_end_time: seconds * 1_000 } },
			{ started_at: at, completed_at: at },
		],
		['ISO texts', { details: { create_time: at, execution_start_time: '2023-11-14T23:13:20+01:00' } }, { created_at: at, started_at: at }],
		['an end by the last update', { details: { update_time: seconds } }, { completed_at: at }],
		[
			'none that can be read',
			{ details: { create_time: 'soon', execution_start_time: {}, execution_end_time: -1, update_time: 1e300 } },
			{ created_at: null, started_at: null, completed_at: null },
		],
		[
			'the end of the run before later changes',
			{ details: { execution_end_time: earlier, update_time: later } },
			{ completed_at: earlier },
		],
		['the last change of the state', { state: { last_state_update: earlier, updated_at: later } }, { completed_at: earlier }],
		['the last update of the status', { state: { updated_at: later } }, { completed_at: later }],
		['no end of a running job', { serviceStatus: 'executing', state: { updated_at: later } }, { completed_at: null }],
	])('the times of a job are read from %s', (_times, facts, expected) => expect(decoded(facts)).toMatchObject(expected));

	const where = { node_id: 3, node_type: 'KSampler', traceback: ['a\n', 'b'] };
	const decodedWhere = { node_id: '3', class_type: 'KSampler', traceback: 'a\nb' };
	const unknownCause = { code: 'execution_error', message: expect.stringContaining('does not say why') as string };

	test.each<[facts: Partial<V1JobFacts>, job_error: object]>([
		// Two statuses are the code, beside the type of the exception.
		...['non_retryable_error', 'lost'].flatMap((serviceStatus): Array<[Partial<V1JobFacts>, object]> => [
			[
				{ serviceStatus, details: { execution_error: { exception_type: 'OOMError', exception_message: 'Too big', ...where } } },
				{ code: serviceStatus, exception_type: 'OOMError', message: 'Too big', ...decodedWhere },
			],
			[{ serviceStatus }, { code: serviceStatus, message: expect.stringMatching(/^The (service|job) /) as string, traceback: null }],
		]),
		// An error without a type has the words of its record or its status.
		[{ details: { execution_error: { exception_message: 'Boom' } } }, { code: 'execution_error', message: 'Boom' }],
		[
			{ details: { execution_error: {} }, state: { error_message: 'It broke' } },
			{ code: 'execution_error', message: 'It broke' },
		],
		[{ details: { execution_error: 'odd' }, state: { error_message: 7 } }, unknownCause],
		[
			{ liveFacts: { job_error: { ...UNTYPED, message: 'Out of paint' } } },
			{ ...UNTYPED, code: 'execution_error', message: 'Out of paint' },
		],
	])('the facts %j give the reason of a failure', (facts, job_error) => {
		expect(decoded(facts as Partial<V1JobFacts>).job_error).toMatchObject(job_error);
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
