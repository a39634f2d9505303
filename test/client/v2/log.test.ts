import { connect, type Job, type ServerConnection } from '../../../client';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';

/** What the server answers at the link to the log of each job. */
const LOGS: Record<string, [status: number, body?: unknown]> = {
	whole: [200, { text: 'a\nb\n', truncated: false, captured_at: null, complete: true }],
	cut: [200, { text: 'b\n', truncated: true, captured_at: null, complete: true }],
	running: [200, { text: 'a\n', truncated: false, captured_at: null, complete: false }],
	silent: [204],
	unknown: [404, { error: { code: 'not_found', message: 'No' } }],
	strange: [200, { text: 5 }],
	forbidden: [403, { error: { code: 'forbidden', message: 'No' } }],
};

let server: TestServer;
let connection: ServerConnection;
beforeAll(async () => {
	server = await serve(async (request, response) => {
		const [, , name = ''] = request.url.split('/');
		const [status, body] = LOGS[name] ?? [404];
		if (body !== undefined) return await json(status, body)(request, response);
		return void response.writeHead(status, status === 404 ? { 'content-type': 'text/plain' } : {}).end();
	});
	connection = connect({ interface: 'v2', baseUrl: server.origin, token: 'secret-token' });
});
afterAll(async () => {
	await connection.close();
	await server.close();
});

const read = async (name: string) => await connection.jobs.log?.({ urls: { logs: `${server.origin}/logs/${name}` } } as Job);

test.each([
	['whole', { text: 'a\nb\n', of: 'job', isComplete: true }],
	['cut', { text: 'b\n', of: 'job', isComplete: false }],
	['running', { text: 'a\n', of: 'job', isComplete: false }],
	['silent', { text: '', of: 'job', isComplete: true }],
	['unknown', undefined],
	['no such route', undefined],
])('the log of a job is read by its own link: %s', async (name, log) => {
	await expect(read(name)).resolves.toEqual(log);
	expect(server.seen.at(-1)).toMatchObject({ url: `/logs/${encodeURIComponent(name)}`, headers: { authorization: 'Bearer secret-token' } });
});

test('other answers are errors of their own', async () => {
	expect(await failureOf(read('strange'))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	expect(await failureOf(read('forbidden'))).toMatchObject({ code: 'forbidden' });
});

test('a job without a link has no log, and nothing is sent', async () => {
	const sent = server.seen.length;
	for (const urls of [{}, { logs: null }]) await expect(connection.jobs.log?.({ urls } as Job)).resolves.toBeUndefined();
	expect(server.seen).toHaveLength(sent);
});
