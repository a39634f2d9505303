import { ApiError, UnreadableAnswerError } from '../../../client';
import { raw } from '../support/answering';
import { refusal, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const read = (answer: Parameters<typeof answers.failure>[0]) => answers.failure(answer, (router) => router.model('lab/open'));

const ENTRIES = [
	{ loc: ['body', 'messages', 0, 'role'], msg: 'Input should be user', type: 'literal_error', ctx: { expected: ['user'] }, input: 'robot' },
	{
		loc: ['body', 'images', 2],
		msg: 'Too small',
		type: 'image_too_small',
		ctx: { min: 64, of: { nested: true } },
		input: null,
		provider_note: 'kept',
	},
	{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' },
	{ loc: ['prompt', 'a b'], msg: 'Field required', type: 'missing' },
];

describe('a refused input', () => {
	test('keeps its entries unchanged, each with its path', async () => {
		const error = (await read(refusal(422, 'invalid_input', { body: { detail: ENTRIES } }))) as ApiError;
		const paths = ['messages[0].role', 'images[2]', 'body', 'prompt["a b"]'];
		expect(error).toMatchObject({ code: 'invalid_input', status: 422, requestId: 'req-1' });
		expect(error.details).toEqual({ detail: ENTRIES.map((entry, index) => ({ ...entry, path: paths[index] })) });
		expect(error.message).toBe(
			'messages[0].role: Input should be user; images[2]: Too small; body: Input should be a valid dictionary; prompt["a b"]: Field required',
		);
	});

	test('is never sent again', async () => {
		await answers.failure(refusal(422, 'invalid_input', { body: { detail: ENTRIES } }), (router) =>
			router.run('lab/open', {}, { idempotencyKey: 'k', maxWaitMs: 5_000 }),
		);
		expect(answers.calls()).toHaveLength(1);
	});
});

test.each(['service', 'comfy'])("x-%s-…: the provider's words and the spend are kept", async (vendor) => {
	const headers = {
		[`x-${vendor}-upstream-status`]: '400',
		[`x-${vendor}-upstream-detail`]: 'in the header',
		[`x-${vendor}-refusal-subject`]: 'output',
		'x-committed-spend-limit': '500',
		'x-committed-spend-current': '480',
		'x-committed-spend-remaining': '20',
	};
	const body = { detail: 'Refused', error_type: 'content_policy_violation', upstream_detail: { in: 'the body' } };
	await expect(read(refusal(400, 'content_policy_violation', { vendor, headers, body }))).resolves.toMatchObject({
		code: 'content_policy_violation',
		message: 'Refused',
		details: {
			upstream_detail: { in: 'the body' },
			upstream_status: 400,
			refusal_subject: 'output',
			spend: { limit: 500, current: 480, remaining: 20 },
		},
	});
});

describe('in place of the words of the router', () => {
	const bucket = { 'x-comfy-error-type': 'provider_error' };

	test.each([
		['a page', 'text/html', '<!doctype html><h1>502</h1>', 'HTTP 502'],
		['half a JSON', 'application/json', '{"detail": "it was', 'HTTP 502'],
		['a text', 'text/plain', 'upstream gone\n', 'upstream gone'],
		['nothing', 'application/json', '', 'HTTP 502'],
	])('%s keeps status, bucket and request id', async (_name, contentType, body, message) => {
		const error = await read(raw(502, contentType, body, bucket));
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toMatchObject({ code: 'provider_error', status: 502, requestId: 'req-1', message });
	});

	test('a body cut off keeps them too', async () => {
		const error = await read((_request, response) => {
			response.writeHead(500, { 'content-length': '100', 'x-comfy-request-id': 'req-1', 'x-comfy-error-type': 'internal_error' });
			response.write('{"detail"', () => response.destroy());
		});
		expect(error).toMatchObject({ code: 'internal_error', status: 500, requestId: 'req-1' });
	});

	test.each([
		[401, 'unauthorized'],
		[402, 'insufficient_credits'],
		[403, 'forbidden'],
		[429, 'rate_limited'],
		[503, 'service_unavailable'],
		[500, 'internal_error'],
	])('without a bucket, %d counts as %s', async (status, code) => {
		await expect(read(raw(status, 'text/plain', 'no'))).resolves.toMatchObject({ code, status, requestId: 'req-1' });
	});

	test('a page without a bucket is told as one', async () => {
		const error = await read(raw(502, 'text/html', '<html></html>'));
		expect(error).toBeInstanceOf(UnreadableAnswerError);
		expect(error).toMatchObject({ facts: { reason: 'html', status: 502, requestId: 'req-1' } });
	});

	test("another product's 404 is none of the router's", async () => {
		await expect(read(raw(404, 'application/json', '{"error":"nope"}'))).resolves.toMatchObject({
			facts: { reason: 'unexpected', status: 404 },
		});
	});
});
