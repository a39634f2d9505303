/** What the surfaces list, as the public client of the service reads it. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { OpenApi } from '../contract/openApi';
import { Caller } from './support/caller';
import { picture } from './support/graphs';

let sandbox: Sandbox;
let deployment: Caller;
let local: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	deployment = new Caller(sandbox, 'deployment');
	local = new Caller(sandbox, 'self_hosted');
	for (const caller of [deployment, local]) for (let index = 0; index < 3; index++) await caller.finished(picture());
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ listTimes: 'told', lastCursor: 'absent' }));

type Item = Record<string, unknown>;
const items = async (caller: Caller, query = ''): Promise<Item[]> => (await caller.call('GET', `/jobs${query}`)).json.jobs as Item[];

test('X: a deployment lists light items under names of their own, and the job itself has the others', async () => {
	const [item] = await items(deployment);
	expect(Object.keys(item ?? {}).sort()).toEqual(['create_time', 'deployment_id', 'id', 'metadata', 'status', 'update_time']);
	const { json } = await deployment.call('GET', `/jobs/${String(item?.id)}`);
	expect([json.created_at, json.completed_at]).toEqual([item?.create_time, item?.update_time]);
});

test('the proxy lists whole jobs, its newest, without a cursor', async () => {
	const { json } = await local.call('GET', '/jobs?limit=2');
	expect(json).toMatchObject({ jobs: [{ created_at: expect.any(String), outputs: [{}], urls: {} }, {}], truncated: false });
	expect(json).not.toHaveProperty('next_cursor');
	expect((json.jobs as Item[])[0]).not.toHaveProperty('create_time');
});

test.each(['deployment', 'self_hosted'] as const)('X: %s may tell no time at all in its list', async (surface) => {
	sandbox.configure({ listTimes: 'absent' });
	const [item] = await items(new Caller(sandbox, surface));
	expect(Object.keys(item ?? {}).filter((name) => /_(at|time)$/.test(name))).toEqual([]);
});

test.each([
	['X: it may be', 'null', null],
	['X: it may be', 'empty', ''],
	['it may be', 'absent', undefined],
] as const)('%s %s: the cursor of the last page', async (_name, lastCursor, cursor) => {
	sandbox.configure({ lastCursor });
	expect((await deployment.call('GET', '/jobs')).json.next_cursor).toBe(cursor);
	expect((await deployment.call('GET', '/jobs?limit=1')).json.next_cursor).toEqual(expect.stringMatching(/./));
});

test('X: a cursor that the service did not issue is refused by its own code', async () => {
	expect(await deployment.call('GET', '/jobs?cursor=none-of-yours')).toMatchObject({ status: 400, code: 'invalid_cursor' });
});

test('X: the description takes all three shapes of an item', async () => {
	const v2 = new OpenApi('v2.yaml');
	const page = (jobs: unknown, next_cursor?: unknown) => ({
		status: 200,
		headers: new Headers({ 'content-type': 'application/json' }),
		body: Buffer.from(JSON.stringify({ jobs, next_cursor })),
	});
	const all = [await items(deployment), await items(local), [{ id: 'a', status: 'queued' }], [], null, undefined];
	for (const jobs of all) expect(v2.problemsOf('listJobs', page(jobs))).toEqual([]);
	for (const cursor of [null, '', 'next']) expect(v2.problemsOf('listJobs', page([], cursor))).toEqual([]);
	expect(v2.problemsOf('listJobs', page([{ status: 'queued' }]))).not.toEqual([]);
});
