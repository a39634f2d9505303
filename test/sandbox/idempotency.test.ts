/** Idempotency keys: single-use as the specification says, or replaying as some servers do. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { picture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
let selfHosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	selfHosted = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.configure({ replaysKeys: false });
	sandbox.setCredits('main', Infinity);
	sandbox.setQueueLimit(Infinity);
	sandbox.setDeploymentState('ready');
});

const runsWith = (key: string) => sandbox.ledger.runs.filter(({ idempotencyKey }) => idempotencyKey === key);

test('a key makes one job, and is refused after that, whatever the body', async () => {
	expect((await hosted.submit(picture(), { key: 'once' })).status).toBe(201);
	expect(await hosted.submit(picture(), { key: 'once' })).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
	expect(runsWith('once')).toHaveLength(1);
});

test('of two submissions at once with one key, one makes a job', async () => {
	const graph = picture();
	const answers = await Promise.all([hosted.submit(graph, { key: 'twins' }), hosted.submit(graph, { key: 'twins' })]);
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
	expect(runsWith('twins')).toHaveLength(1);
});

test('where keys replay, the job that the key made comes back', async () => {
	sandbox.configure({ replaysKeys: true });
	const first = await hosted.submit(picture(), { key: 'again' });
	const second = await hosted.submit(picture(), { key: 'again' });
	expect(second).toMatchObject({ status: 201, json: { id: first.json.id } });
	expect(runsWith('again')).toHaveLength(1);
});

test('keys belong to an account and to a surface', async () => {
	await hosted.submit(picture(), { key: 'mine' });
	const other = await hosted.call('POST', '/jobs', {
		key: sandbox.keys.otherApiKey,
		json: { workflow: picture() },
		headers: { 'idempotency-key': 'mine' },
	});
	expect(other.status).toBe(201);
	expect((await selfHosted.submit(picture(), { key: 'mine' })).status).toBe(201);
});

describe('a refusal that certainly made no job gives the key back', () => {
	test.each<[string, string, () => void, unknown]>([
		['invalid_workflow', 'hosted', () => undefined, { a: { class_type: 'Magic', inputs: {} } }],
		['insufficient_credits', 'hosted', () => sandbox.setCredits('main', 0), picture()],
		['queue_full', 'hosted', () => sandbox.setQueueLimit(0), picture()],
		['deployment_not_ready', 'deployment', () => sandbox.setDeploymentState('not_ready'), picture()],
		['deployment_stopped', 'deployment', () => sandbox.setDeploymentState('stopped'), picture()],
	])('%s', async (code, surface, provoke, graph) => {
		const caller = new Caller(sandbox, surface === 'hosted' ? 'hosted' : 'deployment');
		provoke();
		expect((await caller.submit(graph, { key: code })).code).toBe(code);
		sandbox.setCredits('main', Infinity);
		sandbox.setQueueLimit(Infinity);
		sandbox.setDeploymentState('ready');
		expect((await caller.submit(picture(), { key: code })).status).toBe(201);
	});
});

test('a lost answer keeps the key', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'drop_after' } });
	await expect(hosted.submit(picture(), { key: 'lost' })).rejects.toThrow();
	expect(await hosted.submit(picture(), { key: 'lost' })).toMatchObject({ code: 'idempotency_key_reuse' });
	expect(runsWith('lost')).toHaveLength(1);
});

test('a self-hosted key has 1 to 255 characters', async () => {
	expect(await selfHosted.submit(picture(), { key: 'k'.repeat(256) })).toMatchObject({ status: 400, code: 'invalid_request' });
	expect((await selfHosted.submit(picture(), { key: 'k'.repeat(255) })).status).toBe(201);
});

test('uploads: hosted refuses a used key, self-hosted does not look at it', async () => {
	const key = { 'idempotency-key': 'upload' };
	expect((await hosted.upload('one', {}, key)).status).toBe(201);
	expect(await hosted.upload('two', {}, key)).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
	expect((await selfHosted.upload('one', {}, key)).status).toBe(201);
	expect((await selfHosted.upload('two', {}, key)).status).toBe(201);
});

test('an upload that is refused gives its key back', async () => {
	const key = { 'idempotency-key': 'mismatch' };
	expect((await hosted.upload('three', { expected_hash: 'blake3:00' }, key)).code).toBe('hash_mismatch');
	expect((await hosted.upload('three', {}, key)).status).toBe(201);
});
