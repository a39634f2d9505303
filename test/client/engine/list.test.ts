import { connect } from '../../../client';
import { findJobs } from '../../../client/list/listJobs';
import type { JobPage, ListOptions } from '../../../client/ports/jobService';
import { raw } from '../support/answering';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';

/** An engine without times in its queue. Each test sets the answers of its routes. */
const routes: Record<string, unknown> = {};
let ownList: { status: number; body: unknown } | undefined;
let server: TestServer;

beforeAll(async () => {
	server = await serve((request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://engine');
		if (pathname === '/api/jobs' && ownList !== undefined) return json(ownList.status, ownList.body)(request, response);
		if (pathname === '/api/queue') return json(200, routes.queue)(request, response);
		if (pathname !== '/api/history') return raw(404, 'text/plain', '404: Not Found')(request, response);
		// The newest entries, the oldest of them first, as ComfyUI answers.
		const entries = Object.entries(routes.history ?? {}).slice(-Number(searchParams.get('max_items')));
		return json(200, Object.fromEntries(entries))(request, response);
	});
});
afterAll(async () => await server.close());
beforeEach(() => {
	server.seen.splice(0);
	ownList = undefined;
	Object.assign(routes, { queue: { queue_running: [], queue_pending: [] }, history: {} });
});

/** Reads the first page on a new connection, or the page of a cursor. */
async function list(options: ListOptions = {}): Promise<JobPage> {
	const { jobs, close } = connect({ interface: 'engine', baseUrl: server.origin, readBudgetMs: 0 });
	return await jobs.list(options).finally(close);
}
const idsOf = ({ jobs }: JobPage): string[] => jobs.map(({ job_id }) => job_id);
const requestsOf = (path: string): string[] => server.seen.map(({ url }) => url).filter((url) => url.startsWith(path));
const prompt = (id: string): unknown[] => [1, id, {}, {}, []];
const ended = (id: string, messages: unknown[] = []) => ({
	prompt: prompt(id),
	outputs: {},
	status: { status_str: messages.length > 0 ? 'error' : 'success', messages },
});

test('an engine without a list is asked for it once, and its jobs without times keep the order of the engine', async () => {
	routes.queue = { queue_running: [prompt('running')], queue_pending: ['next', 'last'].map(prompt) };
	routes.history = { first: ended('first'), second: ended('second') };
	const { jobs, close } = connect({ interface: 'engine', baseUrl: server.origin });
	const order = ['last', 'next', 'running', 'second', 'first'];
	expect([await jobs.list(), await jobs.list()].map(idsOf)).toEqual([order, order]);
	await close();
	expect(requestsOf('/api/jobs')).toHaveLength(1);
});

test('a history of several pages is read as far as each page needs it, by any connection', async () => {
	routes.queue = { queue_running: [], queue_pending: [prompt('waiting')] };
	routes.history = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, ended(id)]));
	const pages = [await list({ limit: 2 })];
	for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
		pages.push(await list({ limit: 2, cursor }));
	expect(pages.map(idsOf)).toEqual([
		['waiting', 'e'],
		['d', 'c'],
		['b', 'a'],
	]);
	expect(requestsOf('/api/history')).toEqual([2, 4, 8].map((count) => `/api/history?max_items=${count}`));
	// Only the first page looks for a list of the engine.
	expect(requestsOf('/api/jobs')).toHaveLength(1);
});

test('two jobs that finish between the reads of queue and history are listed once, as finished, and shift no page', async () => {
	routes.queue = { queue_running: [prompt('e')], queue_pending: [prompt('d')] };
	routes.history = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, ended(id)]));
	const first = await list({ limit: 2 });
	const second = await list({ limit: 2, cursor: first.nextCursor });
	expect([first, second].map(({ jobs }) => jobs.map(({ job_id, status }) => [job_id, status]))).toEqual([
		['e', 'd'].map((id) => [id, 'succeeded']),
		['c', 'b'].map((id) => [id, 'succeeded']),
	]);
});

test('a list since a time reads the history until two jobs that passed others in the queue cannot be missing', async () => {
	const second = (count: number): number => Date.parse('2026-11-20T10:00:00Z') + count * 1_000;
	const ran = (id: string, made: number, end: number) => ({
		...ended(id, [['execution_success', { timestamp: second(end) }]]),
		prompt: [1, id, {}, { create_time: second(made) }, []],
	});
	routes.history = {
		first: ran('first', 1, 2),
		passed: ran('passed', 50, 55),
		passedToo: ran('passedToo', 51, 57),
		slow: ran('slow', 10, 60),
		slower: ran('slower', 11, 70),
	};
	const { jobs, close } = connect({ interface: 'engine', baseUrl: server.origin });
	const listed: string[] = [];
	const since = second(40);
	for await (const { job_id } of findJobs(jobs, { madeAfter: since, pageSize: 2 })) listed.push(job_id);
	expect(listed).toEqual(['passedToo', 'passed']);
	expect(requestsOf('/api/history')).toEqual([2, 4, 8].map((count) => `/api/history?max_items=${count}`));
	server.seen.splice(0);
	// Nothing older comes before the end of the page, so no more is read.
	expect((await jobs.list({ limit: 2, wantedSince: () => second(5) })).jobs).toHaveLength(2);
	expect(requestsOf('/api/history')).toHaveLength(1);
	await close();
});

test('if waiting jobs fill a page and the history is empty, there is a next page', async () => {
	routes.queue = { queue_running: [], queue_pending: ['a', 'b', 'c'].map(prompt) };
	const first = await list({ limit: 2 });
	const second = await list({ limit: 2, cursor: first.nextCursor });
	expect([first, second].map(idsOf)).toEqual([['c', 'b'], ['a']]);
	expect([first.nextCursor, second.nextCursor]).toEqual(['history:2', undefined]);
});

test('a waiting job and an ended job have the first of their two output nodes', async () => {
	const node = (title: string) => ({ class_type: 'SaveImage', inputs: {}, _meta: { title } });
	const graph = { 2: node('Cover'), 3: node('Back') };
	const outputs = { 2: { images: [{ filename: 'a.png' }] }, 3: { images: [{ filename: 'b.png' }] } };
	routes.queue = { queue_running: [], queue_pending: [[1, 'waiting', graph, {}, ['2', '3']]] };
	routes.history = { ended: { ...ended('ended'), outputs, prompt: [1, 'ended', graph, {}, ['2', '3']] } };
	const first_output_node = { node_id: '2', title: 'Cover', class_type: 'SaveImage' };
	expect((await list()).jobs).toMatchObject(['waiting', 'ended'].map((job_id) => ({ job_id, first_output_node })));
});

test('jobs with times are sorted by them, and one job without a time keeps the order of the engine', async () => {
	const at = (id: string, second: number) => ({
		...ended(id),
		prompt: [1, id, {}, { create_time: Date.parse(`2026-11-20T10:00:0${second}Z`) }, []],
	});
	const timed = { b: at('b', 2), c: at('c', 3), a: at('a', 1) };
	routes.history = timed;
	expect(idsOf(await list())).toEqual(['c', 'b', 'a']);
	routes.history = { ...timed, d: ended('d') };
	expect(idsOf(await list())).toEqual(['d', 'a', 'c', 'b']);
});

test('a list of the engine has the reason of a failure for a job that failed, and the time of the end for a job that finished', async () => {
	const execution_error = { node_id: '7', node_type: 'A', exception_type: 'OOMError', exception_message: 'Out of memory', traceback: [] };
	const statuses = ['failed', 'completed', 'in_progress'];
	const endedAt = Date.parse('2026-11-20T10:00:02Z');
	const jobs = statuses.map((status) => ({
		id: status,
		status,
		execution_error,
		create_time: endedAt - 1_000,
		execution_end_time: endedAt,
	}));
	ownList = { status: 200, body: { jobs, pagination: {} } };
	const [failed, completed, running] = (await list()).jobs;
	const completed_at = new Date(endedAt).toISOString();
	expect(failed).toMatchObject({
		status: 'failed',
		job_error: { node_id: '7', message: expect.stringContaining('Out of memory') },
		completed_at,
	});
	expect(failed).not.toHaveProperty('execution_error');
	expect(completed).toMatchObject({ status: 'succeeded', job_error: null, completed_at });
	expect(running).toMatchObject({ status: 'running', job_error: null, completed_at: null });
});

test('a list that the engine refuses is an error, and the history is not read in its place', async () => {
	ownList = { status: 403, body: { error: { type: 'forbidden', message: 'Not for you' } } };
	expect(await failureOf(list())).toMatchObject({ status: 403 });
	expect(requestsOf('/api/history')).toEqual([]);
});
