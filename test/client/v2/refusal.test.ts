import { ApiError, UnreadableAnswerError } from '../../../client';
import { raw, useAnswers } from '../support/answering';
import { json, type Answer } from '../support/server';

const harness = useAnswers('v2');
const { failure } = harness;

test.each(['X-Service-Request-Id', 'X-Comfy-Request-Id', 'X-Other-Vendor-Request-Id', 'X-Request-Id'])(
	'%s is the request id',
	async (name) => {
		const error = await failure(json(404, { error: { code: 'not_found', message: 'none' } }, { [name]: 'req-7' }));
		expect(error).toMatchObject({ requestId: 'req-7' });
	},
);

test.each([
	[401, 'unauthorized'],
	[402, 'insufficient_credits'],
	[403, 'forbidden'],
	[404, 'not_found'],
	[409, 'hash_mismatch'],
	[413, 'payload_too_large'],
	[422, 'invalid_workflow'],
	[429, 'queue_full'],
	[500, 'upstream_error'],
	[501, 'not_implemented'],
	[502, 'upstream_error'],
])('a bare %d means %s', async (status, code) => {
	const error = await failure(raw(status, 'application/json', ''));
	expect(error).toBeInstanceOf(ApiError);
	expect(error).toMatchObject({ status, code, requestId: 'req-1', interface: 'v2' });
});

test('a bare 404 of a bare ComfyUI is not of this service', async () => {
	expect(await failure(raw(404, 'application/octet-stream', ''))).toMatchObject({
		facts: { reason: 'not_json', status: 404, contentType: 'application/octet-stream' },
	});
});

test.each([
	['text/html', '<p>Bad gateway', 502],
	['text/plain', '<!DOCTYPE html><html></html>', 200],
	['text/html; charset=utf-8', '{"id":"a"}', 200],
	['text/html', 'Unauthorized', 401],
])('a web page (%s, %j, %d) keeps status and request id', async (contentType, body, status) => {
	const error = await failure(raw(status, contentType, body));
	expect(error).toBeInstanceOf(UnreadableAnswerError);
	expect(error).toMatchObject({
		facts: { reason: 'html', status, contentType, requestId: 'req-1', address: `${harness.server.origin}/api/v2/jobs/a` },
	});
});

test.each(['{"id":"a","sta', '{"id":"a"', '{"id":"a', '[1,'])('half a JSON text (%j) is truncated', async (body) => {
	for (const status of [200, 500]) {
		expect(await failure(raw(status, 'application/json', body))).toMatchObject({
			facts: { reason: 'truncated', status, requestId: 'req-1' },
		});
	}
});

test('a body that ends before its Content-Length is truncated', async () => {
	const cut: Answer = (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100', 'x-service-request-id': 'req-2' });
		response.write('{"id":"a"', () => response.socket?.destroySoon());
	};
	expect(await failure(cut)).toMatchObject({ facts: { reason: 'truncated', status: 200, requestId: 'req-2' } });
});

test.each(['{"id":}', 'OK', '', '404 page not found'])('%j is no JSON', async (body) => {
	expect(await failure(raw(200, 'text/plain', body))).toMatchObject({ facts: { reason: 'not_json', status: 200 } });
});

test('no part of a body is in the error', async () => {
	const error = (await failure(raw(200, 'application/json', '{"token":"canary",}'))) as Error;
	expect(JSON.stringify({ ...error, message: error.message, cause: String(error.cause) })).not.toContain('canary');
});

test.each([
	[{ error: { type: 'prompt_no_outputs', message: 'Prompt has no outputs' } }, 400, 'prompt_no_outputs', 'Prompt has no outputs'],
	[{ error: { code: 'brand_new', message: 'New', details: { a: 1 } } }, 418, 'brand_new', 'New'],
	[{ error: { message: 'No code here' } }, 403, 'forbidden', 'No code here'],
	[{ error: { code: 'no_words' } }, 409, 'no_words', 'no_words'],
	[{ code: 'flat', message: 'No outer level' }, 400, 'flat', 'No outer level'],
	[{ message: 'API rate limit exceeded' }, 429, 'queue_full', 'HTTP 429'],
	[{ detail: 'Unauthorized' }, 401, 'unauthorized', 'HTTP 401'],
])('%j (%d) is understood as %s', async (body, status, code, message) => {
	expect(await failure(json(status, body))).toMatchObject({ code, status, message });
});

test.each([
	[{ detail: 'Not Found' }, 404],
	[[], 409],
	['no', 422],
	[{ error: 'Method Not Allowed' }, 405],
])('%j (%d) is another product', async (body, status) => {
	expect(await failure(json(status, body))).toMatchObject({ facts: { reason: 'unexpected', status } });
});

test.each([[{}], [[]], [null], [{ id: 'a' }], [{ id: '', status: 'queued' }], [{ status: 'queued' }], ['text']])(
	'%j is no job',
	async (body) => {
		expect(await failure(json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	},
);

test('a web page with 413 is a reverse proxy’s limit', async () => {
	expect(await failure(raw(413, 'text/html', '<html><h1>413 Request Entity Too Large'))).toMatchObject({
		code: 'payload_too_large',
		status: 413,
		requestId: 'req-1',
	});
	expect(await failure(json(413, { error: { code: 'payload_too_large', message: 'At most 5 MB' } }))).toMatchObject({
		message: 'At most 5 MB',
	});
});

test('text of a gateway counts by its status', async () => {
	expect(await failure(raw(503, 'text/plain', 'upstream connect error', { 'retry-after': '7' }))).toMatchObject({
		code: 'upstream_error',
		status: 503,
		retryAfterMs: 7_000,
	});
});
