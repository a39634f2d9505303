import type { ApiError, ApiGraph } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { failureOf } from '../support/bytes';
import { newGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { PROMPT, QUEUE } from '../support/v1';

const harness = useSandbox();

const runsOf = (graph: ApiGraph) => harness.sandbox.jobs().filter((job) => JSON.stringify(job.graph) === JSON.stringify(graph));
const sent = () => harness.sandbox.requests(PROMPT);

test('a submission carries the key of partner nodes, and no idempotency key', async () => {
	const { jobs } = harness.connectV1();
	await jobs.submit(
		{ graph: newGraph(), extraData: { api_key_service_org: harness.sandbox.keys.partnerKey } },
		{ idempotencyKey: 'k', keyIsOurs: true },
	);
	expect(harness.sandbox.ledger.runs.at(-1)).toMatchObject({ partnerKeyField: 'api_key_service_org', idempotencyKey: undefined });
	expect(sent().map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
});

describe('a refused workflow', () => {
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
	])('an answer of 200 with %s is a rejection', async (_name, body, expected) => {
		harness.sandbox.inject({ on: PROMPT, answer: { status: 200, json: body } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({
			code: 'invalid_workflow',
			status: 200,
			...expected,
		});
		expect([sent().length, harness.sandbox.requests(QUEUE).length]).toEqual([1, 0]);
	});

	test('an answer of 200 with an id and errors takes the running part out of the queue', async () => {
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

	test('a rejection stays one when taking it out of the queue fails', async () => {
		harness.sandbox.inject({ on: PROMPT, answer: { status: 200, json: { prompt_id: 'gone', error: 'no' } } });
		harness.sandbox.inject({ on: QUEUE, times: Infinity, answer: { status: 404, code: 'not_found' } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({
			code: 'invalid_workflow',
			message: 'no',
		});
	});
});

describe('an answer that is lost', () => {
	test('a submission is unconfirmed when the service accepts the prompt and answers without an id', async () => {
		const graph = newGraph();
		harness.sandbox.inject({ on: PROMPT, late: true, answer: { status: 200, json: { number: 1 } } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph }, { idempotencyKey: 'k' }))).toMatchObject({
			name: 'UnknownOutcomeError',
			idempotencyKey: undefined,
		});
		expect(sent()).toHaveLength(1);
		expect(runsOf(graph)).toHaveLength(1);
	});

	test('errors of the check before the queue prove that there is no job', async () => {
		harness.sandbox.inject({ on: PROMPT, answer: { status: 500, json: { error: 'Invalid', node_errors: { '1': {} } } } });
		expect(await failureOf(harness.connectV1().jobs.submit({ graph: newGraph() }))).toMatchObject({ code: 'upstream_error' });
	});
});

describe('equal submissions whose answers were lost', () => {
	runFaster(5);

	test('a submission recovers only the job that was accepted under its own key', async () => {
		const { jobs } = harness.connectV1();
		const graph = newGraph();
		const earlier = { answerLost: true, firstSentAt: Date.now() - 1_000 };
		const { job_id } = await jobs.submit({ graph }, { idempotencyKey: 'a' });
		expect(await failureOf(jobs.submit({ graph }, { idempotencyKey: 'b', earlier }))).toMatchObject({ name: 'UnknownOutcomeError' });
		await expect(jobs.submit({ graph }, { idempotencyKey: 'a', earlier })).resolves.toMatchObject({ job_id });
	});
});
