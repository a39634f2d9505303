import { ApiError, UnreadableAnswerError } from '../../../client';
import { failureOf } from '../support/bytes';
import { raw, useAnswers } from '../support/answering';
import { json, type Answer } from '../support/server';
import { newGraph, useEngine } from './support/engine';

const answers = useAnswers('engine');
const { failure } = answers;
const engine = useEngine();

const redirected: Answer = ({ url }, response) =>
	void (url === '/login'
		? response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login')
		: response.writeHead(302, { location: '/login' }).end());

test.each<[string, Answer, string]>([
	['a login page', raw(200, 'text/html', '<html>login'), 'html'],
	['a way to a login page', redirected, 'html'],
	['a page with 404', raw(404, 'text/html', '<html>'), 'html'],
	['another JSON', json(200, ['a']), 'unexpected'],
	['no JSON', raw(200, 'text/plain', 'ok'), 'not_json'],
	['half a JSON', raw(200, 'application/json', '{"queue_run'), 'truncated'],
	['a teapot', raw(418, 'text/plain', 'no'), 'unexpected'],
])('%s is unreadable', async (_name, answer, reason) => {
	const error = await failure(answer);
	expect(error).toBeInstanceOf(UnreadableAnswerError);
	expect(error).toMatchObject({ facts: { reason } });
});

test('a submission that is sent to a login page', async () => {
	const error = await failure(redirected, ({ jobs }) => jobs.submit({ graph: newGraph() }));
	expect(error).toMatchObject({ facts: { status: 200, reason: 'html' } });
});

test.each<[string, Answer, Partial<ApiError>]>([
	['400 without words', raw(400, 'application/octet-stream', ''), { code: 'invalid_request', message: 'HTTP 400' }],
	[
		'400 in the words of an engine',
		json(400, { error: { type: 't', message: 'm', details: 'd', extra_info: { a: 1 } }, node_errors: [] }),
		{ code: 'invalid_request', message: 'm', details: { type: 't', details: 'd', extra_info: { a: 1 }, node_errors: {} } },
	],
	['401 as a page', raw(401, 'text/html', '<html>'), { code: 'unauthorized' }],
	['403 as a page', raw(403, 'text/html', '<html>'), { code: 'forbidden' }],
	['405 of a missing route', raw(405, 'text/plain', '405: Method Not Allowed'), { code: 'not_implemented' }],
	['413', raw(413, 'text/plain', '413: Request Entity Too Large'), { code: 'payload_too_large' }],
	['413 of a reverse proxy', raw(413, 'text/html', '<html>'), { code: 'payload_too_large' }],
	['429', raw(429, 'text/html', '<html>', { 'retry-after': '7' }), { code: 'rate_limited', retryAfterMs: 7_000, requestId: 'req-1' }],
	[
		'500 in its own words',
		raw(500, 'text/plain', '500 Internal Server Error'),
		{ code: 'upstream_error', message: '500 Internal Server Error' },
	],
	['502 as a page', raw(502, 'text/html', '<html>'), { code: 'upstream_error', message: 'HTTP 502' }],
])('%s', async (_name, answer, facts) => {
	const error = await failure(answer, ({ assets }) =>
		assets.upload({ open: async function* () {}, contentType: 'a/b' }, { filePath: 'a' }),
	);
	expect(error).toBeInstanceOf(ApiError);
	expect(error).toMatchObject({ interface: 'engine', ...facts });
});

const NO_WORDS = raw(404, 'application/octet-stream', '');
test.each<[string, Answer, boolean]>([
	['without words: the web interface has no such file, so there is no such route', NO_WORDS, false],
	['with a sentence: a job that is not there', json(404, { error: 'Job not found' }), true],
	['in aiohttp’s text: a route that is not there', raw(404, 'text/plain', '404: Not Found'), false],
	['in the proxy’s envelope', json(404, { error: { code: 'not_found', message: 'No' } }), false],
])('404 %s', async (_name, answer, isOwn) => {
	const read = await failure(answer, ({ control }) => control?.queue() as Promise<unknown>);
	expect(read).toBeInstanceOf(isOwn ? ApiError : UnreadableAnswerError);
	if (isOwn) expect(read).toMatchObject({ code: 'not_found', status: 404 });
});

test('404 without words for a file: it is not there', async () => {
	const url = `${answers.server.origin}/api/view?filename=a.png`;
	expect(await failure(NO_WORDS, ({ assets }) => assets.download({ url }))).toMatchObject({ code: 'not_found', status: 404 });
});

test('the engine interface pointed at the v2 proxy', async () => {
	const connection = engine.connect({ baseUrl: engine.sandbox.urls.self_hosted, readBudgetMs: 0 });
	for (const call of [
		() => connection.verifyAccess(),
		() => connection.jobs.get('a'),
		() => connection.control.queue(),
		() => connection.jobs.submit({ graph: newGraph() }),
	]) {
		expect(await failureOf(call())).toBeInstanceOf(UnreadableAnswerError);
	}
	expect(engine.sandbox.ledger.runs.filter(({ surface }) => surface === 'self_hosted')).toEqual([]);
});
