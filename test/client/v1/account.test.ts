import { type Connection, type ServerControl } from '../../../client';
import { failureOf } from '../support/bytes';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4 }));

const READ_QUEUE = 'GET /api/queue';
const INTERRUPT = 'POST /api/interrupt';

function accountOf({ control }: Connection): ServerControl {
	if (!control) throw new Error('No account');
	return control;
}
const open = () => accountOf(harness.connectV1());

test('a v2 connection has no control of the account', () => expect(harness.connect().control).toBeUndefined());

describe('the queue', () => {
	const json = (running: unknown, pending: unknown) => ({ status: 200, json: { queue_running: running, queue_pending: pending } });

	test('the queue is read when its entries have any length or shape', async () => {
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
		harness.sandbox.inject({ on: READ_QUEUE, answer: json(entries, []) });
		const none = { created_at: null, workflow: null, output_node_ids: [] };
		await expect(open().queue()).resolves.toEqual({
			running: [
				{ job_id: 'a', number: 1, ...none },
				{ job_id: 'b', number: 2, ...none },
				{ job_id: 'd', number: null, created_at: '2023-11-14T22:13:20.000Z', workflow: {}, output_node_ids: ['9'] },
			],
			pending: [],
		});
	});

	test('the queue lists the job that runs next first', async () => {
		harness.sandbox.inject({
			on: READ_QUEUE,
			answer: json(
				[],
				[
					[9, 'c'],
					[2, 'a'],
					[5, 'b'],
				],
			),
		});
		const { pending } = await open().queue();
		expect(pending.map(({ job_id }) => job_id)).toEqual(['a', 'b', 'c']);
	});

	test.each([[{}], [[]], [{ queue_running: {} }]])('an answer of %j is reported as no queue', async (body) => {
		harness.sandbox.inject({ on: READ_QUEUE, answer: { status: 200, json: body } });
		expect(await failureOf(open().queue())).toMatchObject({ facts: { reason: 'unexpected' } });
	});
});

describe('interrupt', () => {
	test.each([
		['nothing', { status: 200 }],
		['a text', { status: 200, body: 'done' }],
		['a page', { status: 200, html: true }],
		['no content', { status: 204 }],
	])('an interrupt succeeds when the service answers with %s', async (_name, answer) => {
		harness.sandbox.inject({ on: INTERRUPT, answer });
		await expect(open().interrupt()).resolves.toBeUndefined();
	});
});

describe('the list of jobs', () => {
	test.each([404, 405, 501])('the list is reported as not implemented when the service answers %d', async (status) => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status } });
		await expect(harness.connectV1().jobs.list()).rejects.toMatchObject({ interface: 'v1', code: 'not_implemented', status });
	});

	test.each([[{}], [{ jobs: {} }], [[]]])('an answer of %j is reported as no list', async (body) => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status: 200, json: body } });
		await expect(harness.connectV1().jobs.list()).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	test('an empty page ends the list, even if it promises more', async () => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status: 200, json: { jobs: [], pagination: { has_more: true } } } });
		await expect(harness.connectV1().jobs.list()).resolves.toEqual({ jobs: [] });
	});
});
