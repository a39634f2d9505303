import { connect, type ServerConnection } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';

runFaster(5);
/** Answers of the status by job id, in turn; the last one stays. */
const statuses: Record<string, string[]> = {};
let server: TestServer;
let connection: ServerConnection;
beforeAll(async () => {
	server = await serve(async (request, response) => {
		const [, , , , id = '', rest] = request.url.split('/');
		if (rest === 'workflow' && id.startsWith('old')) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404');
		if (id === 'old-gone') return await json(404, { error: { code: 'not_found', message: 'No' } })(request, response);
		const left = statuses[id] ?? ['queued'];
		const status = left.length > 1 ? left.shift() : left[0];
		const answer = rest === 'workflow' ? { format: 'api', workflow: { [id]: {} } } : { id, status };
		await json(200, answer)(request, response);
	});
	connection = connect({ interface: 'v2', baseUrl: server.origin });
});
beforeEach(() => void server.seen.splice(0));
afterAll(async () => {
	await connection.close();
	await server.close();
});

test('an expired job is read again, by its id and as an object, and is expired if the second read says so', async () => {
	const { jobs } = connection;
	for (const end of ['succeeded', 'expired']) {
		const submitted = await jobs.get('known');
		statuses.unknown = ['expired', end];
		await expect(jobs.get('unknown')).resolves.toMatchObject({ job_id: 'unknown', status: end });
		statuses.known = ['expired', end];
		await expect(jobs.get(submitted)).resolves.toMatchObject({ job_id: 'known', status: end });
		statuses.known = ['queued'];
	}
	expect(server.seen).toHaveLength(10);
});

test('the workflow of each of two jobs is read by its own id', async () => {
	for (const id of ['a', 'b']) await expect(connection.jobs.workflow(id)).resolves.toEqual({ format: 'api', workflow: { [id]: {} } });
	expect(server.seen.map(({ url }) => url)).toEqual(['/api/v2/jobs/a/workflow', '/api/v2/jobs/b/workflow']);
});

test('a server that returns no workflows is reported if it has the job, and otherwise the error of the read', async () => {
	for (const [id, code] of [
		['old', 'not_implemented'],
		['old-gone', 'not_found'],
	] as const)
		expect(await failureOf(connection.jobs.workflow(id))).toMatchObject({ interface: 'v2', code });
});

test('an answer that is no event stream is unreadable, for each of two jobs', async () => {
	for (const id of ['a', 'b']) {
		const events = connection.jobs.events(await connection.jobs.get(id))[Symbol.asyncIterator]();
		const address = `${server.origin}/api/v2/jobs/${id}/events`;
		expect(await failureOf(events.next())).toMatchObject({ facts: { reason: 'unexpected', status: 200, address } });
	}
});
