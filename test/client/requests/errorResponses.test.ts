/** How each interface reads a failed response, by its status and its body. */
import { type ApiError, connect, UnreadableAnswerError } from '../../../client';
import { raw } from '../support/answering';
import { FORMS, PATIENT, queueOf, submitting, understood, useFailures } from '../support/failures';
import { json, type Answer } from '../support/server';

const { answered, failure } = useFailures();
const NAMES = ['v1', 'v2', 'engine'] as const;

describe('each status, by what comes with it, over v1, v2 and an engine', () => {
	test.each<[form: keyof typeof FORMS, status: number, v1: string, v2: string, engine: string]>([
		['an empty answer', 200, 'not_json', 'not_json', 'not_json'],
		['an empty answer', 400, 'invalid_request', 'not_json', 'invalid_request'],
		['an empty answer', 401, 'unauthorized', 'unauthorized', 'unauthorized'],
		['an empty answer', 402, 'insufficient_credits', 'insufficient_credits', 'unexpected'],
		['an empty answer', 403, 'forbidden', 'forbidden', 'forbidden'],
		['an empty answer', 404, 'not_found', 'not_found', 'unexpected'],
		['an empty answer', 405, 'not_implemented', 'not_json', 'not_implemented'],
		['an empty answer', 409, 'unexpected', 'hash_mismatch', 'unexpected'],
		['an empty answer', 413, 'payload_too_large', 'payload_too_large', 'payload_too_large'],
		['an empty answer', 422, 'unexpected', 'invalid_workflow', 'unexpected'],
		['an empty answer', 429, 'subscription_inactive', 'queue_full', 'rate_limited'],
		['an empty answer', 500, 'upstream_error', 'upstream_error', 'upstream_error'],
		['an empty answer', 501, 'not_implemented', 'not_implemented', 'upstream_error'],
		['an empty answer', 503, 'upstream_error', 'upstream_error', 'upstream_error'],
		['a web page', 200, 'html', 'html', 'html'],
		['a web page', 400, 'html', 'html', 'html'],
		['a web page', 402, 'insufficient_credits', 'html', 'unexpected'],
		['a web page', 404, 'html', 'html', 'html'],
		['a web page', 413, 'payload_too_large', 'payload_too_large', 'payload_too_large'],
		['a web page', 429, 'subscription_inactive', 'html', 'rate_limited'],
		['a web page', 502, 'upstream_error', 'html', 'upstream_error'],
		['plain text', 400, 'invalid_request', 'not_json', 'invalid_request'],
		['plain text', 404, 'not_found', 'not_json', 'unexpected'],
		['plain text', 500, 'upstream_error', 'upstream_error', 'upstream_error'],
		['half a JSON text', 200, 'truncated', 'truncated', 'truncated'],
		['half a JSON text', 429, 'subscription_inactive', 'truncated', 'rate_limited'],
		['half a JSON text', 500, 'upstream_error', 'truncated', 'upstream_error'],
	])('%s with %d is understood as %s, %s and %s', async (form, status, ...expected) => {
		const errors = await Promise.all(NAMES.map(async (name) => await failure(name, FORMS[form](status))));
		expect(errors.map(understood)).toEqual(expected);
		for (const [at, error] of errors.entries()) {
			if (error instanceof UnreadableAnswerError) expect(error).toMatchObject({ facts: { status, requestId: 'req-1' } });
			else {
				// Waiting does not end an inactive subscription.
				const retryAfterMs = expected[at] === 'subscription_inactive' ? undefined : 7_000;
				expect(error).toMatchObject({ interface: NAMES[at], status, requestId: 'req-1' });
				expect((error as ApiError).retryAfterMs).toBe(retryAfterMs);
				const says = form === 'plain text' && NAMES[at] !== 'v2' ? 'upstream connect error' : `HTTP ${status}`;
				expect((error as ApiError).message).toBe(says);
			}
		}
	});

	test('details are cut where they are nested more than 50 levels deep', async () => {
		const details = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as object;
		for (const code of ['one', 'other']) {
			const { details: kept } = (await failure('v2', json(400, { error: { code, message: '', details } }))) as ApiError;
			expect(JSON.stringify(kept)).toBe(`${'{"a":'.repeat(50)}"(nested too deep)"${'}'.repeat(50)}`);
		}
	});

	test.each(NAMES)('an answer of %s that is not understood names its address and no part of the answer', async (name) => {
		const error = (await failure(name, raw(200, 'application/json', '{"token":"marker",}'))) as Error;
		const address = `${answered[name].server.origin}${{ v1: '/api/job/a/status', v2: '/api/v2/jobs/a', engine: '/api/queue' }[name]}`;
		expect(error).toMatchObject({ facts: { reason: 'not_json', address, contentType: 'application/json' } });
		expect(JSON.stringify({ ...error, message: error.message, cause: String(error.cause) })).not.toContain('marker');
	});

	test.each(['X-Service-Request-Id', 'X-Comfy-Request-Id', 'X-Other-Vendor-Request-Id', 'X-Request-Id'])(
		'the header %s holds the request id',
		async (name) => {
			const error = await failure('v2', json(404, { error: { code: 'not_found', message: 'none' } }, { [name]: 'req-7' }));
			expect(error).toMatchObject({ requestId: 'req-7' });
		},
	);

	test.each([
		['text/plain', '<!DOCTYPE html><html></html>'],
		['text/html; charset=utf-8', '{"id":"a"}'],
	])('a web page is recognized by its type or its beginning (%s, %j)', async (contentType, body) => {
		expect(await failure('v2', raw(200, contentType, body))).toMatchObject({ facts: { reason: 'html', contentType } });
	});

	test.each([
		['{"id":"a","sta', 'truncated', 'truncated'],
		['{"id":"a"', 'truncated', 'truncated'],
		['{"id":"a', 'truncated', 'truncated'],
		['[1,', 'truncated', 'truncated'],
		['{"id":}', 'not_json', 'upstream_error'],
		['OK', 'not_json', 'upstream_error'],
		['404 page not found', 'not_json', 'upstream_error'],
	])('the text %j is understood as %s with 200, and as %s with 500', async (body, ...expected) => {
		for (const [at, status] of [200, 500].entries())
			expect(understood(await failure('v2', raw(status, 'application/json', body)))).toBe(expected[at]);
	});

	test('a body that ends before its Content-Length is truncated', async () => {
		const cut: Answer = (_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100', 'x-service-request-id': 'req-2' });
			response.write('{"id":"a"', () => response.socket?.destroySoon());
		};
		expect(await failure('v2', cut)).toMatchObject({ facts: { reason: 'truncated', status: 200, requestId: 'req-2' } });
	});
});

describe('v1', () => {
	test.each([
		[400, 'invalid_request'],
		[409, 'own_code'],
		[429, 'subscription_inactive'],
		[500, 'upstream_error'],
	])('v1 reports %d as %s, whatever code the service uses', async (status, code) => {
		for (const ownCode of ['own_code', code]) {
			const error = await failure('v1', json(status, { code: ownCode, message: 'In its words' }));
			expect(error).toMatchObject({ interface: 'v1', status, code, message: 'In its words' });
			expect((error as ApiError).details).toEqual(ownCode === code ? undefined : { code: ownCode });
		}
	});

	test.each(Object.values(FORMS))('no call is repeated while the subscription is inactive (%#)', async (form) => {
		const patient = connect({ interface: 'v1', baseUrl: answered.v1.server.origin });
		const answer = form(429);
		for (const call of [() => patient.jobs.get('a'), () => submitting(patient), () => queueOf(patient)])
			expect(await answered.v1.failure(answer, call)).toMatchObject({ code: 'subscription_inactive', status: 429 });
		expect(answered.v1.server.seen).toHaveLength(3);
		await patient.close();
	});

	const ENGINE = {
		error: { type: 'prompt_outputs_failed_validation', message: 'Failed validation', details: '* KSampler 3', extra_info: {} },
		node_errors: { '3': { class_type: 'KSampler', errors: [{ type: 'value_smaller_than_min', message: 'Too small' }] } },
	};
	const ENGINE_DETAILS = { type: ENGINE.error.type, details: '* KSampler 3', node_errors: ENGINE.node_errors };

	test.each<[name: string, body: unknown, message: string, details: unknown]>([
		['{code, message}', { code: 'invalid_request', message: 'Say more' }, 'Say more', undefined],
		['the engine’s', ENGINE, 'Failed validation', ENGINE_DETAILS],
		[
			'the engine’s, with extra facts',
			{ error: { type: 'missing_node_type', message: 'No such class', details: '', extra_info: { node_id: '1' } }, node_errors: [] },
			'No such class',
			{ type: 'missing_node_type', extra_info: { node_id: '1' }, node_errors: {} },
		],
		['{error: {code, message, details}}', { error: { code: 'odd', message: 'm', details: { a: 1 } } }, 'm', { code: 'odd', a: 1 }],
		['{error: {type}} alone', { error: { type: 'no_outputs' } }, 'no_outputs', { type: 'no_outputs', node_errors: {} }],
		['{error: text}', { error: 'It is text' }, 'It is text', undefined],
		['{error, details}', { error: 'It is text', details: 'more' }, 'It is text', { details: 'more' }],
		['{message}', { message: 'Only words' }, 'Only words', undefined],
		['{detail}', { detail: 'Of another framework' }, 'Of another framework', undefined],
		['a list', ['x'], 'HTTP 400', undefined],
		['null', null, 'HTTP 400', undefined],
	])('v1 understands an error with the body %s', async (_name, body, message, details) => {
		for (const [call, code] of [
			[undefined, 'invalid_request'],
			[submitting, 'invalid_workflow'],
		] as const) {
			const error = await failure('v1', json(400, body), call);
			expect(error).toMatchObject({ code, status: 400, message });
			// Of a prompt, an own code that is not the type is kept as well.
			if (call === undefined) expect((error as ApiError).details).toEqual(details);
			else if (body === ENGINE) expect((error as ApiError).details).toEqual(ENGINE_DETAILS);
		}
	});

	test('v1 takes plain text as the message, and the whole of it', async () => {
		expect(await failure('v1', raw(400, 'text/plain', ' filename is required\n'))).toMatchObject({ message: 'filename is required' });
		expect(((await failure('v1', raw(400, 'text/plain', 'x'.repeat(10_000)))) as ApiError).message).toHaveLength(10_000);
	});

	test.each([[{}], [[]], [null], [{ status: '' }], [{ status: 7 }], ['text']])('v1 refuses %j as a status', async (body) => {
		expect(await failure('v1', json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	});
});

describe('v2', () => {
	const NODE = { class_type: 'LoadImage', dependent_outputs: ['9'], errors: [{ type: 'value_not_in_list', message: 'Value not in list' }] };
	const DETAILS = [undefined, null, { node_errors: { '3': [{ field: 'image', reason: 'is required' }] } }, { node_errors: { '3': NODE } }];

	/** Codes of the specification, of the public documentation, and one that is new. */
	test.each([
		['hash_mismatch', 409],
		['queue_full', 429],
		['upstream_unreachable', 503],
		['a_code_of_tomorrow', 400],
	])('v2 reports the code %s (%d) in the words of the service, with its details', async (code, status) => {
		for (const details of DETAILS) {
			const message = 'In the words of the service';
			const error = await failure('v2', json(status, { error: { code, message, details } }, PATIENT));
			expect(error).toMatchObject({ interface: 'v2', code, status, message, retryAfterMs: 7_000 });
			expect((error as ApiError).details).toEqual(details);
		}
	});

	test.each([
		[{ error: { type: 'prompt_no_outputs', message: 'Prompt has no outputs' } }, 400, 'prompt_no_outputs', 'Prompt has no outputs'],
		[{ error: { code: 'brand_new', message: 'New', details: { a: 1 } } }, 418, 'brand_new', 'New'],
		[{ error: { message: 'No code here' } }, 403, 'forbidden', 'No code here'],
		[{ error: { code: 'no_words' } }, 409, 'no_words', 'no_words'],
		[{ code: 'flat', message: 'No outer level' }, 400, 'flat', 'No outer level'],
		[{ message: 'API rate limit exceeded' }, 429, 'queue_full', 'HTTP 429'],
		[{ detail: 'Unauthorized' }, 401, 'unauthorized', 'HTTP 401'],
	])('v2 understands %j (%d) as %s', async (body, status, code, message) => {
		expect(await failure('v2', json(status, body))).toMatchObject({ code, status, message });
	});

	test.each([
		[{ detail: 'Not Found' }, 404],
		[[], 409],
		['no', 422],
		[{ error: 'Method Not Allowed' }, 405],
	])('v2 takes %j (%d) for another product', async (body, status) => {
		expect(await failure('v2', json(status, body))).toMatchObject({ facts: { reason: 'unexpected', status } });
	});

	test.each([[{}], [[]], [null], [{ id: 'a' }], [{ id: '', status: 'queued' }], [{ status: 'queued' }], ['text']])(
		'v2 refuses %j as a job',
		async (body) => {
			expect(await failure('v2', json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
		},
	);

	test('v2 takes the bare 404 of ComfyUI for another product', async () => {
		const contentType = 'application/octet-stream';
		expect(await failure('v2', raw(404, contentType, ''))).toMatchObject({ facts: { reason: 'not_json', status: 404, contentType } });
	});
});

describe('an engine', () => {
	const NO_WORDS = raw(404, 'application/octet-stream', '');
	test('an engine reports another JSON as unreadable', async () => {
		expect(understood(await failure('engine', json(200, ['a'])))).toBe('unexpected');
	});

	test('an engine keeps its own words', async () => {
		const error = { type: 't', message: 'm', details: 'd', extra_info: { a: 1 } };
		expect(await failure('engine', json(400, { error, node_errors: [] }))).toMatchObject({
			code: 'invalid_request',
			message: 'm',
			details: { type: 't', details: 'd', extra_info: { a: 1 }, node_errors: {} },
		});
	});

	test.each<[string, Answer, boolean]>([
		['without words: the web interface has no such file, so there is no such route', NO_WORDS, false],
		['with a sentence: a job that is not there', json(404, { error: 'Job not found' }), true],
		['in aiohttp’s text: a route that is not there', raw(404, 'text/plain', '404: Not Found'), false],
		['in the proxy’s envelope', json(404, { error: { code: 'not_found', message: 'No' } }), false],
	])('an engine reports a 404 %s', async (_name, answer, isOwn) => {
		expect(understood(await failure('engine', answer))).toBe(isOwn ? 'not_found' : 'unexpected');
	});

	test('an engine reports a missing file for a 404 without words', async () => {
		const url = `${answered.engine.server.origin}/api/view?filename=a.png`;
		const error = await failure('engine', NO_WORDS, async ({ assets }) => await assets.download({ url }));
		expect(error).toMatchObject({ code: 'not_found', status: 404 });
	});
});
