/** How each interface reads a failed response, by its status and its body. */
import { type ApiError, UnreadableAnswerError } from '../../client';
import { raw } from './support/answering';
import { FORMS, understood, useFailures } from './support/failures';
import { json, type Answer } from './support/server';

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
		['an empty answer', 418, 'unexpected', 'not_json', 'unexpected'],
		['an empty answer', 422, 'unexpected', 'invalid_workflow', 'unexpected'],
		['an empty answer', 429, 'subscription_inactive', 'queue_full', 'rate_limited'],
		['an empty answer', 500, 'upstream_error', 'upstream_error', 'upstream_error'],
		['an empty answer', 501, 'not_implemented', 'not_implemented', 'upstream_error'],
		['an empty answer', 502, 'upstream_error', 'upstream_error', 'upstream_error'],
		['an empty answer', 503, 'upstream_error', 'upstream_error', 'upstream_error'],
		['an empty answer', 504, 'upstream_error', 'upstream_error', 'upstream_error'],
		['a web page', 200, 'html', 'html', 'html'],
		['a web page', 400, 'html', 'html', 'html'],
		['a web page', 401, 'unauthorized', 'html', 'unauthorized'],
		['a web page', 402, 'insufficient_credits', 'html', 'unexpected'],
		['a web page', 403, 'forbidden', 'html', 'forbidden'],
		['a web page', 404, 'html', 'html', 'html'],
		['a web page', 413, 'payload_too_large', 'payload_too_large', 'payload_too_large'],
		['a web page', 418, 'html', 'html', 'html'],
		['a web page', 429, 'subscription_inactive', 'html', 'rate_limited'],
		['a web page', 502, 'upstream_error', 'html', 'upstream_error'],
		['plain text', 400, 'invalid_request', 'not_json', 'invalid_request'],
		['plain text', 404, 'not_found', 'not_json', 'unexpected'],
		['plain text', 429, 'subscription_inactive', 'queue_full', 'rate_limited'],
		['plain text', 500, 'upstream_error', 'upstream_error', 'upstream_error'],
		['half a JSON text', 200, 'truncated', 'truncated', 'truncated'],
		['half a JSON text', 400, 'truncated', 'truncated', 'truncated'],
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
