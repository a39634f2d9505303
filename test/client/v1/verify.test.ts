import { ApiError, connect, UnreadableAnswerError } from '../../../client';
import { failureOf } from '../support/bytes';
import { useSandbox } from '../support/sandbox';
import { deadOrigin } from '../support/deadOrigin';
import { json, serve, type Answer } from '../support/server';

const harness = useSandbox();

async function verifyAgainst(answer: Answer): Promise<unknown> {
	const server = await serve(answer);
	const connection = connect({ interface: 'v1', baseUrl: server.origin, token: 'key' });
	const failure = await failureOf(connection.verifyAccess()).finally(() => Promise.all([connection.close(), server.close()]));
	expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /api/queue']);
	return failure;
}

test.each(['', '/', '/api', '/api/'])('a good key, the address pasted with %j at its end: one request', async (end) => {
	await expect(harness.connectV1({ baseUrl: harness.sandbox.urls.hosted + end }).verifyAccess()).resolves.toEqual({
		interface: 'v1',
		version: null,
	});
	expect(harness.sandbox.requests().map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization])).toEqual([
		['/api/queue', harness.sandbox.keys.apiKey, undefined],
	]);
});

test.each(['wrong', ''])('the key %j', async (token) => {
	const failure = await failureOf(harness.connectV1({ token }).verifyAccess());
	expect(failure).toBeInstanceOf(ApiError);
	expect(failure).toMatchObject({ interface: 'v1', code: 'unauthorized', status: 401 });
});

test('a key that no header can carry', () => {
	expect(() => harness.connectV1({ token: 'canary\nx' })).toThrow(expect.objectContaining({ code: 'unauthorized', interface: 'v1' }));
	expect(() => harness.connectV1({ token: 'canary\nx' })).not.toThrow(/canary/);
});

test('nobody there', async () => {
	expect(await failureOf(harness.connectV1({ baseUrl: await deadOrigin() }).verifyAccess())).toMatchObject({ trouble: 'refused' });
});

test('trouble is told at once, not retried', async () => {
	expect(await verifyAgainst(json(500, { message: 'm' }))).toMatchObject({ code: 'upstream_error', status: 500 });
});

const page =
	(status: number): Answer =>
	(_request, response) =>
		void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');

test.each([
	['a web page', page(200), 'html'],
	['a web page with 404', page(404), 'html'],
	['a 404 in words', json(404, { code: 'not_found', message: 'No such route' }), 'unexpected'],
	['a bare 405', json(405, null), 'unexpected'],
	['another API', json(200, { ok: true }), 'unexpected'],
	['a queue of another kind', json(200, { queue_running: 1 }), 'unexpected'],
])('another address: %s', async (_name, answer, reason) => {
	const failure = await verifyAgainst(answer);
	expect(failure).toBeInstanceOf(UnreadableAnswerError);
	expect(failure).toMatchObject({ facts: { reason } });
});
