import { connect, ConnectionError, type ConnectSettings, UnreadableAnswerError } from '../../../client';
import { failureOf } from '../support/bytes';
import { raw } from '../support/answering';
import { deadOrigin } from '../support/deadOrigin';
import { useSandbox } from '../support/sandbox';
import { json, serve, type Answer } from '../support/server';

const harness = useSandbox();
type Name = 'v1' | 'v2' | 'engine';
const ROUTES = { v1: 'GET /api/queue', v2: expect.stringMatching(/^GET \/api\/v2\/jobs\//) as string, engine: 'GET /api/system_stats' };

/** A connection to the sandbox over this interface. */
const open = (name: Name, settings: Partial<ConnectSettings> = {}) =>
	harness.connect('hosted', {
		interface: name,
		...(name === 'engine' && { baseUrl: harness.sandbox.urls.engine, token: undefined }),
		...settings,
	});

/** What the check makes of another server's answer, for which it asks at most once. */
async function verifiedAt(name: Name, answer: Answer, tls?: Parameters<typeof serve>[1]): Promise<unknown> {
	const server = await serve(answer, tls);
	const connection = connect({ interface: name, baseUrl: server.origin, token: name === 'v1' ? 'key' : undefined });
	const outcome = await connection
		.verifyAccess()
		.catch((error: unknown) => error)
		.finally(() => Promise.all([connection.close(), server.close()]));
	expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(tls ? [] : [ROUTES[name]]);
	return outcome;
}

test.each(['', '/', '/api', '/api/'])('a good key needs one request over v1, with %j at the end of the address', async (end) => {
	const connection = open('v1', { baseUrl: harness.sandbox.urls.hosted + end });
	await expect(connection.verifyAccess()).resolves.toEqual({ interface: 'v1', version: null });
	expect(harness.sandbox.requests().map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization])).toEqual([
		['/api/queue', harness.sandbox.keys.apiKey, undefined],
	]);
});

test.each(['v1', 'v2'] as const)('over %s, a key that no header can carry is unauthorized, and is not repeated', (name) => {
	const connecting = () => open(name, { token: 'marker\nx' });
	expect(connecting).toThrow(expect.objectContaining({ code: 'unauthorized', interface: name }));
	expect(connecting).not.toThrow(/marker/);
});

test.each(['not_found', 'job_not_found'])('over v2, a key is accepted if the service answers %s', async (code) => {
	await expect(verifiedAt('v2', json(404, { error: { code, message: 'No such job' } }))).resolves.toMatchObject({ interface: 'v2' });
});

test('spaces around a pasted key do not matter', async () => {
	await expect(open('v2', { token: ` ${harness.sandbox.keys.apiKey}\n` }).verifyAccess()).resolves.toMatchObject({ interface: 'v2' });
});

test.each(['v1', 'v2', 'engine'] as const)('over %s, a failure is reported at once and not retried', async (name) => {
	expect(await verifiedAt(name, json(500, { message: 'm' }))).toMatchObject({ code: 'upstream_error', status: 500 });
	const refused = await failureOf(open(name, { baseUrl: await deadOrigin() }).verifyAccess());
	expect(refused).toBeInstanceOf(ConnectionError);
	expect(refused).toMatchObject({ trouble: 'refused' });
});

describe('another address', () => {
	const page = (status: number) => raw(status, 'text/html', '<html>');
	const nothing: Answer = (_request, response) => void response.writeHead(404).end();

	test.each<[name: Name, what: string, answer: Answer, reason: string]>([
		['v1', 'a web page', page(200), 'html'],
		['v1', 'a web page with 404', page(404), 'html'],
		['v1', 'a 404 in words', json(404, { code: 'not_found', message: 'No such route' }), 'unexpected'],
		['v1', 'a bare 405', json(405, null), 'unexpected'],
		['v1', 'another API', json(200, { ok: true }), 'unexpected'],
		['v1', 'a queue of another kind', json(200, { queue_running: 1 }), 'unexpected'],
		['v2', 'a web page', page(200), 'html'],
		['v2', 'a web page with 404', page(404), 'html'],
		['v2', 'a plain 404', raw(404, 'text/plain', '404: Not Found'), 'unexpected'],
		['v2', 'an empty 404', nothing, 'unexpected'],
		['v2', "another product's 404", json(404, { detail: 'Not Found' }), 'unexpected'],
		['v2', 'an engine without the interface', json(404, { error: 'not found' }), 'unexpected'],
		['v2', 'another API', json(200, { ok: true }), 'unexpected'],
		['v2', 'a job that cannot be', json(200, { id: 'a', status: 'queued' }), 'unexpected'],
		['engine', 'no object', json(200, []), 'unexpected'],
		['engine', 'another object', json(200, { system: 'linux' }), 'unexpected'],
		['engine', 'a login page', raw(200, 'text/html', '<html>login'), 'html'],
		['engine', 'a missing route', raw(404, 'text/plain', '404: Not Found'), 'unexpected'],
		['engine', 'the proxy’s envelope', json(404, { error: { code: 'not_found', message: 'No' } }), 'unexpected'],
	])('the check over %s tells the service from %s', async (name, _what, answer, reason) => {
		const failure = await verifiedAt(name, answer);
		expect(failure).toBeInstanceOf(UnreadableAnswerError);
		expect(failure).toMatchObject({ facts: { reason } });
	});

	test('a 404 with an unknown code counts as the service', async () => {
		const answer = json(404, { error: { code: 'account_gone', message: 'm' } });
		expect(await verifiedAt('v2', answer)).toMatchObject({ code: 'account_gone' });
	});

	test.each([{}, { comfyui_version: 'unknown' }])('an engine without a version is accepted (%j)', async (system) => {
		expect(await verifiedAt('engine', json(200, { system }))).toEqual({ interface: 'engine', version: null });
	});
});
