import { connect } from '../../../client';
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

const open = () => connect({ interface: 'engine', baseUrl: server.origin, readBudgetMs: 0 });
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
	const connection = open();
	const pages = [await connection.jobs.list(), await connection.jobs.list()];
	await connection.close();
	expect(pages.map(({ jobs }) => jobs.map(({ job_id }) => job_id))).toEqual(
		Array.from({ length: 2 }, () => ['last', 'next', 'running', 'second', 'first']),
	);
	expect(requestsOf('/api/jobs')).toHaveLength(1);
});

test.each([
	['a history fills', () => (routes.history = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, ended(id)])))],
	['the history is empty, and waiting jobs fill', () => (routes.queue = { queue_running: [], queue_pending: ['a', 'b', 'c'].map(prompt) })],
])('if %s a page, there is a next page', async (_, prepare) => {
	prepare();
	const { jobs, close } = open();
	const first = await jobs.list({ limit: 2 });
	const second = await jobs.list({ limit: 2, cursor: first.nextCursor });
	await close();
	expect([first, second].map((page) => page.jobs.map(({ job_id }) => job_id))).toEqual([['c', 'b'], ['a']]);
	expect([first.nextCursor, second.nextCursor]).toEqual(['history:2', undefined]);
});

test('a cursor of the history is followed by a new connection, which has not asked for a list', async () => {
	routes.history = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, ended(id)]));
	const { jobs, close } = open();
	expect((await jobs.list({ limit: 2, cursor: 'history:2' })).jobs.map(({ job_id }) => job_id)).toEqual(['a']);
	await close();
	expect(requestsOf('/api/jobs')).toEqual([]);
});

test('a waiting job and an ended job have the first of their two output nodes', async () => {
	const node = (title: string) => ({ class_type: 'SaveImage', inputs: {}, _meta: { title } });
	const graph = { 2: node('Cover'), 3: node('Back') };
	const outputs = { 2: { images: [{ filename: 'a.png' }] }, 3: { images: [{ filename: 'b.png' }] } };
	routes.queue = { queue_running: [], queue_pending: [[1, 'waiting', graph, {}, ['2', '3']]] };
	routes.history = { ended: { ...ended('ended'), outputs, prompt: [1, 'ended', graph, {}, ['2', '3']] } };
	const { jobs, close } = open();
	const first_output_node = { node_id: '2', title: 'Cover', class_type: 'SaveImage' };
	expect((await jobs.list()).jobs).toMatchObject(['waiting', 'ended'].map((job_id) => ({ job_id, first_output_node })));
	await close();
});

test('jobs with times are sorted by them, and one job without a time keeps the order of the engine', async () => {
	const at = (id: string, second: number) => ({
		...ended(id),
		prompt: [1, id, {}, { create_time: Date.parse(`2026-11-20T10:00:0${second}Z`) }, []],
	});
	const listed = async (history: Record<string, unknown>): Promise<string[]> => {
		routes.history = history;
		const { jobs, close } = open();
		const ids = (await jobs.list()).jobs.map(({ job_id }) => job_id);
		await close();
		return ids;
	};
	expect(await listed({ b: at('b', 2), c: at('c', 3), a: at('a', 1) })).toEqual(['c', 'b', 'a']);
	expect(await listed({ b: at('b', 2), c: at('c', 3), a: at('a', 1), d: ended('d') })).toEqual(['d', 'a', 'c', 'b']);
});

test('a list of the engine has the reason of a failure, and none for a job that did not fail', async () => {
	const execution_error = { node_id: '7', node_type: 'A', exception_type: 'OOMError', exception_message: 'Out of memory', traceback: [] };
	const statuses = ['failed', 'completed'];
	ownList = { status: 200, body: { jobs: statuses.map((status) => ({ id: status, status, execution_error })), pagination: {} } };
	const { jobs, close } = open();
	const [failed, completed] = (await jobs.list()).jobs;
	await close();
	expect(failed).toMatchObject({ status: 'failed', job_error: { node_id: '7', message: expect.stringContaining('Out of memory') } });
	expect(failed).not.toHaveProperty('execution_error');
	expect(completed).toMatchObject({ status: 'succeeded', job_error: null });
});

test('a list that the engine refuses is an error, and the history is not read in its place', async () => {
	ownList = { status: 403, body: { error: { type: 'forbidden', message: 'Not for you' } } };
	const { jobs, close } = open();
	expect(await failureOf(jobs.list())).toMatchObject({ status: 403 });
	await close();
	expect(requestsOf('/api/history')).toEqual([]);
});

test('a job that has not finished has no time of its end, even if the list of the engine reports one', async () => {
	const job = { id: 'a', status: 'in_progress', create_time: 1_000, execution_end_time: 2_000 };
	ownList = { status: 200, body: { jobs: [job], pagination: { offset: 0, limit: 100, total: 1, has_more: false } } };
	const { jobs, close } = open();
	expect((await jobs.list()).jobs).toMatchObject([{ status: 'running', completed_at: null }]);
	await close();
});
