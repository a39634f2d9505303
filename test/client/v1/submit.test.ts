import { ApiError, connect, UnknownOutcomeError, type ApiGraph } from '../../../client';
import type { Fault } from '../../../sandbox';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { deadOrigin, freed } from '../support/deadOrigin';
import { json, serve, type Answer } from '../support/server';
import { PROMPT, QUEUE } from '../support/v1';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1Rejections: 'status_400' }));

let colors = 0;
const newGraph = (): ApiGraph => quickGraph(++colors);
const runsOf = (graph: ApiGraph) => harness.sandbox.jobs().filter((job) => JSON.stringify(job.graph) === JSON.stringify(graph));
const sent = () => harness.sandbox.requests(PROMPT);

test('an accepted prompt is a queued job, with v2’s other fields null', async () => {
	const graph = newGraph();
	const job = await harness.connectV1().jobs.submit({ graph });
	expect(job).toEqual({
		job_id: runsOf(graph)[0]?.id,
		interface: 'v1',
		status: 'queued',
		service_status: 'submitted',
		number: expect.any(Number),
		created_at: null,
		started_at: null,
		completed_at: null,
		expires_at: null,
		queue_position: null,
		progress: null,
		metrics: null,
		outputs: [],
		job_error: null,
		urls: { self: null, events: null, cancel: null },
	});
});

test('carries the key of partner nodes, and never an idempotency key', async () => {
	const { jobs } = harness.connectV1();
	await jobs.submit(
		{ graph: newGraph(), extraData: { api_key_service_org: harness.sandbox.keys.partnerKey } },
		{ idempotencyKey: 'k', keyIsOurs: true },
	);
	expect(harness.sandbox.ledger.runs.at(-1)).toMatchObject({ partnerKeyField: 'api_key_service_org', idempotencyKey: undefined });
	expect(sent().map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
});

describe('a refused workflow', () => {
	const unknownClass = { '7': { class_type: 'NoSuchNode', inputs: {} } };
	const missingInput = { ...quickGraph(), '9': { class_type: 'SaveImage', inputs: { filename_prefix: 'x' } } };

	test.each(['status_400', 'ok_with_error', 'ok_with_node_errors'] as const)(
		'%s: the node is named, and there is no job',
		async (v1Rejections) => {
			harness.sandbox.configure({ v1Rejections });
			const error = await failureOf(harness.connectV1().jobs.submit({ graph: missingInput }));
			expect(error).toBeInstanceOf(ApiError);
			expect(error).toMatchObject({
				interface: 'v1',
				code: 'invalid_workflow',
				status: v1Rejections === 'status_400' ? 400 : 200,
				details: { node_errors: { '9': expect.anything() } },
			});
			expect(sent()).toHaveLength(1);
			expect(runsOf(missingInput)).toHaveLength(0);
		},
	);

	test('the engine’s own type and words are kept', async () => {
		const error = await failureOf(harness.connectV1().jobs.submit({ graph: unknownClass }));
		expect(error).toMatchObject({ code: 'invalid_workflow', status: 400, details: { type: expect.any(String) } });
		expect((error as Error).message).toContain('NoSuchNode');
	});

	test.each<[string, unknown, Partial<ApiError>]>([
		['an error text', { error: 'It cannot run' }, { message: 'It cannot run', details: { node_errors: {} } }],
		[
			'an error object',
			{ error: { type: 'prompt_no_outputs', message: 'No outputs' }, node_errors: {} },
			{ message: 'No outputs', details: { type: 'prompt_no_outputs', node_errors: {} } },
		],
		[
			'node errors alone',
			{ node_errors: { '3': { errors: [] } } },
			{ message: expect.stringContaining('nodes'), details: { node_errors: { '3': { errors: [] } } } },
		],
	])('200 with %s', async (_name, body, expected) => {
		harness.sandbox.inject({ on: PROMPT, answer: { status: 200, json: body } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({
			code: 'invalid_workflow',
			status: 200,
			...expected,
		});
		expect(harness.sandbox.requests(QUEUE)).toHaveLength(0);
	});

	test('200 with an id and errors: what runs of it is taken out of the queue', async () => {
		const { jobs } = harness.connectV1();
		const graph = slowGraph(100, 50);
		const { job_id } = await jobs.submit({ graph });
		harness.sandbox.inject({
			on: PROMPT,
			answer: { status: 200, json: { prompt_id: job_id, number: 1, node_errors: { '3': { errors: [] } } } },
		});
		const error = await failureOf(jobs.submit({ graph }));
		expect(error).toMatchObject({ code: 'invalid_workflow', details: { prompt_id: job_id, node_errors: { '3': { errors: [] } } } });
		expect(harness.sandbox.ledger.cancels.map(({ jobId }) => jobId)).toContain(job_id);
	});

	test('a withdrawal that fails is still a refusal', async () => {
		harness.sandbox.inject({ on: PROMPT, answer: { status: 200, json: { prompt_id: 'gone', error: 'no' } } });
		harness.sandbox.inject({ on: QUEUE, times: Infinity, answer: { status: 404, code: 'not_found' } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({
			code: 'invalid_workflow',
			message: 'no',
		});
	});
});

/** Before dispatch no job is made; after it there is one, whose answer never comes. */
const LOST: Array<[name: string, fault: Fault, runs: number]> = [
	['dropped before dispatch', { kind: 'drop_before' }, 0],
	['dropped after dispatch', { kind: 'drop_after' }, 1],
	['cut in the middle', { kind: 'truncate', afterBytes: 20 }, 1],
	['stalled after dispatch', { kind: 'stall' }, 1],
];

describe('an answer that is lost', () => {
	test.each(LOST)('%s: an unknown outcome, and nothing is sent again', async (_name, fault, runs) => {
		const graph = newGraph();
		harness.sandbox.inject({ on: PROMPT, fault });
		const before = harness.sandbox.ledger.runs.length;
		const failure = await failureOf(harness.connectV1({ limits: { requestMs: 2_000 } }).jobs.submit({ graph }, { idempotencyKey: 'k' }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect((failure as UnknownOutcomeError).idempotencyKey).toBeUndefined();
		expect(sent()).toHaveLength(1);
		expect(harness.sandbox.ledger.runs.length - before).toBe(runs);
	});

	test.each([
		['500', { status: 500, code: 'internal_error' }],
		['503', { status: 503, code: 'unavailable' }],
		['a gateway page', { status: 504, html: true }],
		['half a JSON', { status: 200, badJson: true }],
		['an answer without an id', { status: 200, json: { number: 1 } }],
		['an answer that is no object', { status: 200, json: ['a'] }],
		['a page in its place', { status: 200, html: true }],
	])('%s after dispatch', async (_name, answer) => {
		const graph = newGraph();
		harness.sandbox.inject({ on: PROMPT, late: true, answer });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph }))).toBeInstanceOf(UnknownOutcomeError);
		expect(sent()).toHaveLength(1);
		expect(runsOf(graph)).toHaveLength(1);
	});

	test.each([
		['a route that is not there', { status: 501 }, 'not_implemented'],
		[
			'errors of the check that comes before the queue',
			{ status: 500, json: { error: 'Invalid', node_errors: { '1': {} } } },
			'upstream_error',
		],
	])('%s proves that there is no job', async (_name, answer, code) => {
		harness.sandbox.inject({ on: PROMPT, answer });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({ code });
	});
});

test('an account without a subscription, and one without credits', async () => {
	const { sandbox } = harness;
	sandbox.setSubscription('main', false);
	await expect(harness.connectV1().jobs.submit({ graph: newGraph() })).rejects.toMatchObject({
		code: 'subscription_inactive',
		status: 429,
	});
	sandbox.setSubscription('main', true);
	sandbox.setCredits('main', 0);
	await expect(harness.connectV1().jobs.submit({ graph: newGraph() })).rejects.toMatchObject({ code: 'insufficient_credits', status: 402 });
	sandbox.setCredits('main', Infinity);
});

test('a refused connection is mended by a service that comes up', async () => {
	const accept: Answer = json(200, { prompt_id: 'a' });
	const baseUrl = await deadOrigin();
	const { jobs, close } = connect({ interface: 'v1', baseUrl });
	const submitting = jobs.submit({ graph: newGraph() });
	await new Promise((resolve) => setTimeout(resolve, 100));
	const second = await serve(accept, undefined, await freed(baseUrl));
	await expect(submitting).resolves.toMatchObject({ job_id: 'a' });
	await Promise.all([close(), second.close()]);
});

test('a stop while the answer is on its way waits for it, so that the job can be canceled', async () => {
	const graph = newGraph();
	harness.sandbox.inject({ on: PROMPT, fault: { kind: 'delay', ms: 300 } });
	const stop = new AbortController();
	const submitting = harness.connectV1().jobs.submit({ graph }, { signal: stop.signal });
	await until(() => harness.sandbox.requests(PROMPT).length === 1);
	stop.abort();
	expect((await submitting).job_id).toBe(runsOf(graph)[0]?.id);
});
