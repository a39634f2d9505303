import { type Connection, type ServerControl, ApiError, exactText, type WorkflowLibrary } from '../../../client';
import { failureOf } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { finished } from '../support/v1';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4 }));

const READ_QUEUE = 'GET /api/queue';
const INTERRUPT = 'POST /api/interrupt';
const OBJECT_INFO = 'GET /api/object_info';

function accountOf({ control }: Connection): ServerControl {
	if (!control) throw new Error('No account');
	return control;
}
const open = () => accountOf(harness.connectV1());

async function submitted(graphs = [slowGraph(100, 50), slowGraph(100, 50)]) {
	const { jobs } = harness.connectV1();
	const ids: string[] = [];
	for (const graph of graphs) ids.push((await jobs.submit({ graph })).job_id);
	return ids;
}

/** Takes out whatever earlier tests have left. */
async function emptied() {
	harness.sandbox.configure({ workers: 0 });
	const account = open();
	const { running, pending } = await account.queue();
	await account.deleteFromQueue([...running, ...pending].map(({ job_id }) => job_id));
	return account;
}

test('v2 has no account', () => expect(harness.connect().control).toBeUndefined());

describe('the queue', () => {
	test('is readable: who, since when, which graph, and where its outputs are', async () => {
		const account = await emptied();
		harness.sandbox.configure({ workers: 1 });
		const graph = slowGraph(100, 50);
		const ids = await submitted([graph, graph]);
		const { running, pending } = await account.queue();
		expect([...running, ...pending]).toEqual(
			ids.map((job_id) => ({
				job_id,
				number: expect.any(Number),
				created_at: new Date(Number(harness.sandbox.job(job_id)?.createdAt)).toISOString(),
				workflow: graph,
				output_node_ids: ['3'],
			})),
		);
		expect([running.length, pending.length]).toEqual([1, 1]);
	});

	const json = (running: unknown, pending: unknown) => ({ status: 200, json: { queue_running: running, queue_pending: pending } });

	test('survives entries of any length and shape', async () => {
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

	test('puts the next to run first', async () => {
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

	test.each([[{}], [[]], [{ queue_running: {} }]])('%j is none', async (body) => {
		harness.sandbox.inject({ on: READ_QUEUE, answer: { status: 200, json: body } });
		expect(await failureOf(open().queue())).toMatchObject({ facts: { reason: 'unexpected' } });
	});
});

describe('delete from the queue', () => {
	test('tells what the service answered, and leaves the others', async () => {
		const account = await emptied();
		const [first = '', second] = await submitted();
		await expect(account.deleteFromQueue([first, 'unknown'])).resolves.toEqual({ deleted: [first], cleared: false });
		expect((await account.queue()).pending.map(({ job_id }) => job_id)).toEqual([second]);
	});
});

describe('interrupt', () => {
	test('stops every running job, and no pending one', async () => {
		const account = await emptied();
		harness.sandbox.configure({ workers: 2 });
		const ids = await submitted([slowGraph(100, 50), slowGraph(100, 50), slowGraph(100, 50)]);
		while ((await account.queue()).running.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
		harness.sandbox.configure({ workers: 0 });
		await account.interrupt();
		while ((await account.queue()).running.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
		expect(ids.map((id) => harness.sandbox.job(id)?.status)).toEqual(['canceled', 'canceled', 'queued']);
	});

	test.each([
		['nothing', { status: 200 }],
		['a text', { status: 200, body: 'done' }],
		['a page', { status: 200, html: true }],
		['no content', { status: 204 }],
	])('%s is a good answer', async (_name, answer) => {
		harness.sandbox.inject({ on: INTERRUPT, answer });
		await expect(open().interrupt()).resolves.toBeUndefined();
	});
});

test('node definitions, by class', async () => {
	const definitions = await open().nodeDefinitions();
	expect(definitions.SaveImage).toMatchObject({ input: { required: { images: expect.anything() } }, output_node: true });
	harness.sandbox.inject({ on: OBJECT_INFO, answer: { status: 200, json: { Good: { input: {} }, Odd: 'text' } } });
	await expect(open().nodeDefinitions()).resolves.toEqual({ Good: { input: {} } });
});

describe('the list of jobs', () => {
	test('is newest first, page by page', async () => {
		const connection = harness.connectV1();
		for (const color of [0x700001, 0x700002, 0x700003]) await finished(connection, quickGraph(color));
		const whole = await connection.jobs.list();
		const ids: string[] = [];
		let cursor: string | undefined;
		do {
			const page = await connection.jobs.list({ limit: 2, cursor });
			expect(page.jobs.length).toBeLessThanOrEqual(2);
			ids.push(...page.jobs.map(({ job_id }) => job_id));
			cursor = page.nextCursor;
		} while (cursor !== undefined);
		expect(ids).toEqual(whole.jobs.map(({ job_id }) => job_id));
		expect(whole.jobs.find(({ status }) => status === 'succeeded')).toMatchObject({
			interface: 'v1',
			service_status: 'completed',
			created_at: expect.any(String),
			outputs: [],
			outputs_count: 1,
		});
		expect(whole.nextCursor).toBeUndefined();
	});

	test.each([404, 405, 501])('a service without one (%d)', async (status) => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status } });
		await expect(harness.connectV1().jobs.list()).rejects.toMatchObject({ interface: 'v1', code: 'not_implemented', status });
	});

	test.each([[{}], [{ jobs: {} }], [[]]])('%j is none', async (body) => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status: 200, json: body } });
		await expect(harness.connectV1().jobs.list()).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	test('a page that promises more, and is empty, is the last', async () => {
		harness.sandbox.inject({ on: 'GET /api/jobs', answer: { status: 200, json: { jobs: [], pagination: { has_more: true } } } });
		await expect(harness.connectV1().jobs.list()).resolves.toEqual({ jobs: [] });
	});
});

/** As the hosted service's own documents have it: `split` and `full_info` are ignored, refusals are texts. */
describe('the saved workflows of an account', () => {
	afterEach(() => {
		harness.sandbox.configure({ v1Userdata: 'there' });
		harness.sandbox.deleteWorkflow('portraits/fox.app.json', { surface: 'hosted' });
	});

	const library = (settings = {}): WorkflowLibrary => harness.connectV1(settings).library as WorkflowLibrary;
	const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
		const error = await failureOf(promise);
		return error instanceof ApiError ? error.code : undefined;
	};

	test('v2 keeps none', () => expect(harness.connect().library).toBeUndefined());

	test('what the account has saved is listed and read, every digit of it', async () => {
		await expect(library().list()).resolves.toEqual([]);
		harness.sandbox.saveWorkflow('portraits/fox.app.json', '{"seed":18446744073709551615}', {
			surface: 'hosted',
			modifiedAt: Date.parse('2026-11-01T10:20:30.000Z'),
		});
		await expect(library().list()).resolves.toEqual([
			{ path: 'portraits/fox.app.json', isApp: true, sizeBytes: 29, modifiedAt: '2026-11-01T10:20:30.000Z' },
		]);
		expect(exactText(await library().read('portraits/fox.app.json'))).toBe('{"seed":18446744073709551615}');
	});

	test('where it does not pass them through, that is said; there are no templates', async () => {
		harness.sandbox.configure({ v1Userdata: 'absent' });
		expect(await codeOf(library().list())).toBe('no_library');
		await expect(library().templates()).resolves.toEqual([]);
	});

	test('a wrong key is no missing library', async () => {
		expect(await codeOf(library({ token: 'wrong' }).list())).toBe('unauthorized');
	});
});
