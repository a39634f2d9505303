import { ApiError, connect, UnreadableAnswerError } from '../../../client';
import { raw, useAnswers } from '../support/answering';
import { quickGraph } from '../support/graphs';
import { json, type Answer } from '../support/server';

const harness = useAnswers('v1');
const { failure } = harness;
const promptFailure = (answer: Answer) => failure(answer, ({ jobs }) => jobs.submit({ graph: quickGraph() }));

describe('HTTP statuses', () => {
	const TABLE: Array<[status: number, code: string]> = [
		[400, 'invalid_request'],
		[401, 'unauthorized'],
		[402, 'insufficient_credits'],
		[403, 'forbidden'],
		[404, 'not_found'],
		[405, 'not_implemented'],
		[413, 'payload_too_large'],
		[429, 'subscription_inactive'],
		[500, 'upstream_error'],
		[501, 'not_implemented'],
		[502, 'upstream_error'],
		[503, 'upstream_error'],
		[504, 'upstream_error'],
	];

	test.each(TABLE)('%d is %s, whatever the service calls it', async (status, code) => {
		for (const [body, ownCode] of [
			[{ code: 'own_code', message: 'In its words' }, 'own_code'],
			[{ code, message: 'In its words' }, undefined],
		] as const) {
			const error = await failure(json(status, body, { 'x-comfy-request-id': 'req-7' }));
			expect(error).toBeInstanceOf(ApiError);
			expect(error).toMatchObject({ interface: 'v1', status, code, message: 'In its words', requestId: 'req-7' });
			expect((error as ApiError).details).toEqual(ownCode && { code: ownCode });
		}
	});

	test.each(TABLE)('a bare %d is %s', async (status, code) => {
		expect(await failure(raw(status, 'application/json', ''))).toMatchObject({
			interface: 'v1',
			status,
			code,
			message: `HTTP ${status}`,
			requestId: 'req-1',
		});
	});

	test('400 of a prompt is a workflow that cannot run', async () => {
		expect(await promptFailure(json(400, { code: 'bad', message: 'No outputs' }))).toMatchObject({
			code: 'invalid_workflow',
			status: 400,
			message: 'No outputs',
		});
	});

	test.each([
		['json', json(429, { message: 'Subscribe' }, { 'retry-after': '1' })],
		['half a JSON', raw(429, 'application/json', '{"message":"Sub', { 'retry-after': '1' })],
		['a web page', raw(429, 'text/html', '<html>', { 'retry-after': '1' })],
		['nothing', raw(429, 'text/plain', '', { 'retry-after': '1' })],
	])('429 as %s: an inactive subscription, which no waiting mends', async (_name, answer) => {
		const patient = connect({ interface: 'v1', baseUrl: harness.server.origin });
		const calls = [
			() => patient.jobs.get('a'),
			() => patient.jobs.submit({ graph: quickGraph() }),
			async () => await patient.control?.queue(),
		];
		for (const call of calls) {
			const error = await failure(answer, call);
			expect(error).toMatchObject({ code: 'subscription_inactive', status: 429 });
			expect((error as ApiError).retryAfterMs).toBeUndefined();
		}
		expect(harness.server.seen).toHaveLength(3);
		await patient.close();
	});

	test('an unlisted status keeps its own code', async () => {
		expect(await failure(json(409, { code: 'brand_new', message: 'New' }))).toMatchObject({ code: 'brand_new', status: 409 });
	});

	test('Retry-After of a 503 is read', async () => {
		expect(await failure(json(503, { message: 'Later' }, { 'retry-after': '7' }))).toMatchObject({ retryAfterMs: 7_000 });
	});
});

const ENGINE = {
	error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '* KSampler 3', extra_info: {} },
	node_errors: {
		'3': {
			class_type: 'KSampler',
			errors: [{ type: 'value_smaller_than_min', message: 'Too small', details: 'steps', extra_info: { input_name: 'steps' } }],
		},
	},
};

describe('error bodies', () => {
	test.each([
		['{code, message}', { code: 'invalid_request', message: 'Say more' }, 'Say more', undefined],
		[
			'the engine’s',
			ENGINE,
			'Prompt outputs failed validation',
			{ type: 'prompt_outputs_failed_validation', details: '* KSampler 3', node_errors: ENGINE.node_errors },
		],
		[
			'the engine’s, with extra facts',
			{ error: { type: 'missing_node_type', message: 'No such class', details: '', extra_info: { node_id: '1' } }, node_errors: [] },
			'No such class',
			{ type: 'missing_node_type', extra_info: { node_id: '1' }, node_errors: {} },
		],
		['{error: {code, message, details}}', { error: { code: 'odd', message: 'm', details: { a: 1 } } }, 'm', { code: 'odd', a: 1 }],
		[
			'{error: {type}} alone',
			{ error: { type: 'prompt_no_outputs' } },
			'prompt_no_outputs',
			{ type: 'prompt_no_outputs', node_errors: {} },
		],
		['{error: text}', { error: 'It is text' }, 'It is text', undefined],
		['{error, details}', { error: 'It is text', details: 'more' }, 'It is text', { details: 'more' }],
		['{message}', { message: 'Only words' }, 'Only words', undefined],
		['{detail}', { detail: 'Of another framework' }, 'Of another framework', undefined],
		['a list', ['x'], 'HTTP 400', undefined],
		['null', null, 'HTTP 400', undefined],
		['an empty object', {}, 'HTTP 400', undefined],
	])('%s', async (_name, body, message, details) => {
		const error = await failure(json(400, body));
		expect(error).toMatchObject({ code: 'invalid_request', status: 400, message });
		expect((error as ApiError).details).toEqual(details);
	});

	test('plain text is the message, up to a few sentences', async () => {
		expect(await failure(raw(400, 'text/plain', ' filename is required\n'))).toMatchObject({
			code: 'invalid_request',
			message: 'filename is required',
		});
		expect(((await failure(raw(400, 'text/plain', 'x'.repeat(10_000)))) as ApiError).message).toHaveLength(500);
	});

	test('an empty body', async () => {
		expect(await failure(raw(404, 'text/plain', ''))).toMatchObject({ code: 'not_found', message: 'HTTP 404' });
	});

	test('node errors of a prompt reach the caller, with the engine’s own type', async () => {
		const error = await promptFailure(json(400, ENGINE));
		expect(error).toMatchObject({
			code: 'invalid_workflow',
			status: 400,
			details: { type: 'prompt_outputs_failed_validation', node_errors: ENGINE.node_errors },
		});
	});
});

describe('answers of others', () => {
	test.each([400, 404, 200])('a web page with %d is another product', async (status) => {
		const error = await failure(raw(status, 'text/html', '<html>'));
		expect(error).toBeInstanceOf(UnreadableAnswerError);
		expect(error).toMatchObject({
			facts: { reason: 'html', status, requestId: 'req-1', address: `${harness.server.origin}/api/job/a/status` },
		});
	});

	test.each([
		[401, 'unauthorized'],
		[402, 'insufficient_credits'],
		[403, 'forbidden'],
		[413, 'payload_too_large'],
		[429, 'subscription_inactive'],
		[502, 'upstream_error'],
	])('a web page with %d says enough', async (status, code) => {
		expect(await failure(raw(status, 'text/html', '<html>'))).toMatchObject({ code, status, requestId: 'req-1' });
	});

	test('a status nobody listed, without a code', async () => {
		expect(await failure(json(418, { message: 'teapot' }))).toMatchObject({ facts: { reason: 'unexpected', status: 418 } });
	});

	test('half a JSON text', async () => {
		expect(await failure(raw(400, 'application/json', '{"message":"Sa'))).toMatchObject({ facts: { reason: 'truncated', status: 400 } });
		expect(await failure(raw(500, 'application/json', '{"message":"Sa'))).toMatchObject({ code: 'upstream_error', status: 500 });
	});

	test.each([[{}], [[]], [null], [{ status: '' }], [{ status: 7 }], ['text']])('%j is no status', async (body) => {
		expect(await failure(json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	});
});
