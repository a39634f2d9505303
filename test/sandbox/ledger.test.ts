/** What tests of "billed once" count by: runs, nodes, cancels, keys and recorded requests. */
import { digest } from '../../sandbox/ledger';
import { startSandbox, type Sandbox } from '../../sandbox';
import { until } from '../support/until';
import { Caller } from './support/caller';
import { picture, slowPicture } from './support/graphs';

const SUBMIT = 'POST /api/v2/jobs';

let sandbox: Sandbox;
let hosted: Caller;
let deployment: Caller;
let selfHosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	deployment = new Caller(sandbox, 'deployment');
	selfHosted = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());

function allowAll(): void {
	sandbox.clearFaults();
	sandbox.configure({ replaysKeys: false });
	sandbox.setCredits('main', Infinity);
	sandbox.setQueueLimit(Infinity);
	sandbox.setDeploymentState('ready');
}
beforeEach(() => {
	allowAll();
	sandbox.resetRecords();
});

const nodesOf = (jobId: string) => sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId).map(({ nodeId }) => nodeId);
const saving = (from: string) => ({ class_type: 'SaveImage', inputs: { images: [from, 0], filename_prefix: 'x' } });
const runsWith = (key: string) => sandbox.ledger.runs.filter(({ idempotencyKey }) => idempotencyKey === key).length;

describe('runs', () => {
	test('the ledger has one run for each job, and one entry for each node that was computed', async () => {
		const graph = picture();
		const jobId = await hosted.started(graph);
		await hosted.read(jobId);
		const expected = { jobId, surface: 'hosted', account: 'main', idempotencyKey: undefined, partnerKeyField: undefined };
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ ...expected, graphHash: digest(JSON.stringify(graph)) });
		expect(nodesOf(jobId)).toEqual(['image', 'save']);
	});

	test('a cached node is not executed again, but its output is delivered', async () => {
		const graph = picture();
		await hosted.finished(graph);
		const second = await hosted.finished(graph);
		expect(nodesOf(String(second.id))).toEqual([]);
		expect(second).toMatchObject({ status: 'succeeded', outputs: [{ node_id: 'save' }], progress: { nodes_done: 2, nodes_total: 2 } });
	});

	test.each([
		['another value', 1, 2],
		['a number that no double tells apart from the other', '9007199254740993', '9007199254740992'],
	])('a node with %s is executed again', async (_what, ...seeds) => {
		const sampler = '"sampler":{"class_type":"SandboxSampler","inputs":{"image":["image",0],"steps":1,"step_ms":1,"seed":SEED}}';
		const workflow = JSON.stringify({ ...picture(), save: saving('sampler') }).replace('{', `{${sampler},`);
		for (const seed of seeds) {
			const body = `{"workflow":${workflow.replace('SEED', String(seed))}}`;
			const { json } = await hosted.call('POST', '/jobs', { body, headers: { 'content-type': 'application/json' } });
			await hosted.read(String(json.id));
			expect(nodesOf(String(json.id))).toEqual(seed === seeds[0] ? ['image', 'sampler', 'save'] : ['sampler', 'save']);
		}
	});

	test('a guarded gate holds a job until it opens, and no other job', async () => {
		sandbox.configure({ gateOpen: false });
		const gated = (guarded: number) => ({
			...picture(),
			gate: { class_type: 'SandboxGate', inputs: { image: ['image', 0], guarded } },
			save: saving('gate'),
		});
		const held = await hosted.started(gated(1));
		await until(() => nodesOf(held).includes('image'));
		expect((await hosted.finished(gated(0))).status).toBe('succeeded');
		expect(nodesOf(held)).not.toContain('save');
		sandbox.configure({ gateOpen: true });
		expect((await hosted.read(held)).status).toBe('succeeded');
	});

	test('a cancel is recorded once, and no node starts after it', async () => {
		const jobId = await hosted.started(slowPicture(500));
		await until(() => nodesOf(jobId).includes('sample'));
		for (let count = 0; count < 2; count++) {
			await hosted.call('POST', `/jobs/${jobId}/cancel`);
			expect(await hosted.read(jobId)).toMatchObject({ status: 'canceled', outputs: [] });
		}
		expect(sandbox.ledger.cancels.filter((cancel) => cancel.jobId === jobId)).toHaveLength(1);
		expect(nodesOf(jobId)).toEqual(['image', 'sample']);
	});

	test('the ledger keeps only the field and the digest of a partner key', async () => {
		const { partnerKey } = sandbox.keys;
		const jobId = await hosted.started(picture(), { extra_data: { api_key_comfy_org: partnerKey } });
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId, partnerKeyField: 'api_key_comfy_org' });
		expect(sandbox.ledger.partnerKeys).toEqual([digest(partnerKey)]);
		expect((await hosted.call('GET', `/jobs/${jobId}/workflow`)).text).not.toContain('extra_data');
		expect(JSON.stringify([sandbox.ledger, sandbox.job(jobId)])).not.toContain(partnerKey);
	});
});

describe('idempotency keys', () => {
	test('a key makes one job and is refused after that, whatever the body and also at the same moment', async () => {
		const graph = picture();
		const answers = await Promise.all([hosted.submit(graph, { key: 'once' }), hosted.submit(graph, { key: 'once' })]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
		expect(await hosted.submit(picture(), { key: 'once' })).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
		expect(runsWith('once')).toBe(1);
	});

	test('a service that replays keys returns the job of the key', async () => {
		sandbox.configure({ replaysKeys: true });
		const first = await hosted.submit(picture(), { key: 'again' });
		expect(await hosted.submit(picture(), { key: 'again' })).toMatchObject({ status: 201, json: { id: first.json.id } });
		expect(runsWith('again')).toBe(1);
	});

	test('a key belongs to one account and one surface', async () => {
		await hosted.submit(picture(), { key: 'mine' });
		const headers = { 'idempotency-key': 'mine' };
		const other = await hosted.call('POST', '/jobs', { key: sandbox.keys.otherApiKey, json: { workflow: picture() }, headers });
		expect([other.status, (await selfHosted.submit(picture(), { key: 'mine' })).status]).toEqual([201, 201]);
	});

	test.each<[string, () => Caller, () => void, unknown]>([
		['invalid_workflow', () => hosted, () => undefined, { a: { class_type: 'Magic', inputs: {} } }],
		['insufficient_credits', () => hosted, () => sandbox.setCredits('main', 0), picture()],
		['queue_full', () => hosted, () => sandbox.setQueueLimit(0), picture()],
		['deployment_not_ready', () => deployment, () => sandbox.setDeploymentState('not_ready'), picture()],
		['deployment_stopped', () => deployment, () => sandbox.setDeploymentState('stopped'), picture()],
	])('a key stays free where %s refuses the submission', async (code, caller, provoke, graph) => {
		provoke();
		expect((await caller().submit(graph, { key: code })).code).toBe(code);
		allowAll();
		expect((await caller().submit(picture(), { key: code })).status).toBe(201);
	});

	test('a key stays used where the answer was lost', async () => {
		sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		await expect(hosted.submit(picture(), { key: 'lost' })).rejects.toThrow();
		expect(await hosted.submit(picture(), { key: 'lost' })).toMatchObject({ code: 'idempotency_key_reuse' });
		expect(runsWith('lost')).toBe(1);
	});

	test('a self-hosted surface refuses a key of more than 255 characters', async () => {
		expect(await selfHosted.submit(picture(), { key: 'k'.repeat(256) })).toMatchObject({ status: 400, code: 'invalid_request' });
		expect((await selfHosted.submit(picture(), { key: 'k'.repeat(255) })).status).toBe(201);
	});

	test('an upload uses its key up on hosted, unless it is refused, and never on a self-hosted surface', async () => {
		const key = { 'idempotency-key': 'upload' };
		expect((await hosted.upload('one', { expected_hash: 'blake3:00' }, key)).code).toBe('hash_mismatch');
		expect((await hosted.upload('one', {}, key)).status).toBe(201);
		expect(await hosted.upload('two', {}, key)).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
		for (const bytes of ['one', 'two']) expect((await selfHosted.upload(bytes, {}, key)).status).toBe(201);
	});
});

describe('recorded requests', () => {
	test('a record holds the request with its headers, and the bytes of both bodies', async () => {
		const { status, headers, text } = await hosted.call('POST', '/jobs?dry=1', { json: { workflow: picture() } });
		const [record] = sandbox.requests(SUBMIT);
		expect(record).toMatchObject({ surface: 'hosted', method: 'POST', path: '/api/v2/jobs', query: 'dry=1', status });
		expect([record?.url, record?.requestId]).toEqual([`${sandbox.urls.hosted}/api/v2/jobs`, headers.get('x-service-request-id')]);
		expect(record?.headers.authorization).toBe(`Bearer ${sandbox.keys.apiKey}`);
		expect(record?.bodyBytes).toBe(Number(record?.headers['content-length']));
		expect(record?.responseBytes).toBeGreaterThan(text.length);
		expect(record?.responseBytes).toBeLessThan(text.length + 600);
	});

	test('a request without an answer stays open until its caller leaves', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', fault: { kind: 'stall' } });
		const leave = new AbortController();
		const call = hosted.call('GET', '/jobs/x', { signal: leave.signal });
		await until(() => sandbox.requests().length === 1);
		expect(sandbox.requests()).toMatchObject([{ status: null, finished: false }]);
		leave.abort();
		await expect(call).rejects.toThrow();
		await until(() => sandbox.requests()[0]?.finished === true);
	});

	test('the peaks of open requests and of jobs in flight are kept until the records are reset', async () => {
		sandbox.inject({ on: SUBMIT, times: 3, fault: { kind: 'delay', ms: 1_000 } });
		const ids = await Promise.all(Array.from({ length: 3 }, async () => await deployment.started(slowPicture(30))));
		for (const id of ids) await deployment.read(id);
		await deployment.finished(picture());
		expect([sandbox.peak(SUBMIT), sandbox.peak(SUBMIT, 'hosted'), sandbox.peak('DELETE *')]).toEqual([3, 0, 0]);
		expect([sandbox.peakJobs('deployment'), sandbox.peakJobs('self_hosted')]).toEqual([3, 0]);
		sandbox.resetRecords();
		expect([sandbox.peak(SUBMIT), sandbox.peakJobs('deployment')]).toEqual([0, 0]);
	});
});
