import { type ServerConnection, type ServerControl } from '../../../client';
import { failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4 }));

const READ_QUEUE = 'GET /api/queue';
const LIST = 'GET /api/jobs';
const INTERRUPT = 'POST /api/interrupt';

function accountOf({ control }: ServerConnection): ServerControl {
	if (!control) throw new Error('No account');
	return control;
}
const open = () => accountOf(harness.connectV1());

test('the queue is read when its entries have any length or shape, and lists the job that runs next first', async () => {
	const entries = [
		[1, 'a'],
		[2, 'b', null, null, null, 'more'],
		[],
		[3],
		null,
		'x',
		{ prompt_id: 'c' },
		['4', 'd', {}, { api_key: 'secret' }, ['9', 7], { create_time: 1_700_000_000 }],
	];
	const waiting = [
		[9, 'g'],
		[2, 'e'],
		[5, 'f'],
	];
	harness.sandbox.inject({ on: READ_QUEUE, answer: { status: 200, json: { queue_running: entries, queue_pending: waiting } } });
	const none = { created_at: null, workflow: null, output_node_ids: [] };
	await expect(open().queue()).resolves.toEqual({
		running: [
			{ job_id: 'a', number: 1, ...none },
			{ job_id: 'b', number: 2, ...none },
			{ job_id: 'd', number: null, created_at: '2023-11-14T22:13:20.000Z', workflow: {}, output_node_ids: ['9'] },
		],
		pending: [
			{ job_id: 'e', number: 2, ...none },
			{ job_id: 'f', number: 5, ...none },
			{ job_id: 'g', number: 9, ...none },
		],
	});
});

test.each<[body: unknown, list: unknown]>([
	[{}, {}],
	[[], []],
	[{ queue_running: {} }, { jobs: {} }],
])('an answer of %j is reported as no queue, and %j as no list', async (queue, list) => {
	harness.sandbox.inject({ on: READ_QUEUE, answer: { status: 200, json: queue } });
	expect(await failureOf(open().queue())).toMatchObject({ facts: { reason: 'unexpected' } });
	harness.sandbox.inject({ on: LIST, answer: { status: 200, json: list } });
	await expect(harness.connectV1().jobs.list()).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
});

test.each([
	['nothing', { status: 200 }],
	['a text', { status: 200, body: 'done' }],
	['a page', { status: 200, html: true }],
	['no content', { status: 204 }],
])('an interrupt succeeds when the service answers with %s', async (_name, answer) => {
	harness.sandbox.inject({ on: INTERRUPT, answer });
	await expect(open().interrupt()).resolves.toBeUndefined();
});

test.each([
	[{ status: 404 }, { code: 'not_implemented' }],
	[{ status: 405 }, { code: 'not_implemented' }],
	[{ status: 501 }, { code: 'not_implemented' }],
	[{ status: 404, html: true }, { facts: { reason: 'html' } }],
])('the answer %j to the list is reported as %j', async (answer, expected) => {
	harness.sandbox.inject({ on: LIST, answer });
	await expect(harness.connectV1().jobs.list()).rejects.toMatchObject(expected);
});

test('a list has pages of the requested size, and the cursors lead through all of them once', async () => {
	const { jobs } = harness.connectV1();
	for (const color of [1, 2, 3]) await jobs.submit({ graph: quickGraph(color) });
	const whole = (await jobs.list()).jobs.map(({ job_id }) => job_id);
	expect(whole.length).toBeGreaterThan(4);
	const walked: string[] = [];
	let cursor: string | undefined;
	do {
		const page = await jobs.list({ limit: 2, cursor });
		expect(page.jobs.length).toBeLessThanOrEqual(2);
		walked.push(...page.jobs.map(({ job_id }) => job_id));
		cursor = page.nextCursor;
	} while (cursor !== undefined && walked.length <= whole.length);
	expect(walked).toEqual(whole);
	// An empty page ends the list, even if it promises more.
	harness.sandbox.inject({ on: LIST, answer: { status: 200, json: { jobs: [], pagination: { has_more: true } } } });
	await expect(jobs.list()).resolves.toEqual({ jobs: [] });
});

test('a cancel takes each of two jobs out of the queue, reads it, and interrupts nothing', async () => {
	harness.sandbox.configure({ workers: 0 });
	const { jobs } = harness.connectV1();
	const [first, second] = [await jobs.submit({ graph: quickGraph(4) }), await jobs.submit({ graph: quickGraph(5) })];
	for (const { job_id } of [second, first]) {
		harness.sandbox.resetRecords();
		await expect(jobs.cancel(job_id)).resolves.toMatchObject({ job_id, status: 'canceled', service_status: 'cancelled', job_error: null });
		const routes = harness.sandbox.requests().map(({ method, path }) => `${method} ${path.replace(job_id, ':id')}`);
		expect(routes).toEqual(['POST /api/queue', 'GET /api/job/:id/status', 'GET /api/jobs/:id']);
	}
});
