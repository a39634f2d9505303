/** What tests of "billed once" count by: runs, nodes, cancels and keys, also where a fault hits the submission. */
import { digest } from '../../sandbox/ledger';
import { startSandbox, type Behaviour, type FaultRule, type Sandbox } from '../../sandbox';
import { node, picture, slowPicture, unknownClass } from '../contract/graphs';
import { Service, type Called } from '../contract/service';
import { HostedV1 } from '../contract/v1/hosted';
import { until } from '../support/until';

const SUBMIT = 'POST /api/v2/jobs';

let sandbox: Sandbox;
let hosted: Service;
let deployment: Service;
let selfHosted: Service;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Service(sandbox, 'hosted');
	deployment = new Service(sandbox, 'deployment');
	selfHosted = new Service(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());

function allowAll(): void {
	sandbox.clearFaults();
	sandbox.configure({ replaysKeys: false, v1Rejections: 'status_400' });
	sandbox.setCredits('main', Infinity);
	sandbox.setQueueLimit(Infinity);
	sandbox.setDeploymentState('ready');
}
let earlier: number;
beforeEach(() => {
	allowAll();
	sandbox.resetRecords();
	earlier = sandbox.ledger.runs.length;
});

const key = (value: string) => ({ 'idempotency-key': value });
const idOf = ({ json }: Called): string => String(json.id);
const nodesOf = (jobId: string) => sandbox.ledger.executedNodes.filter((executed) => executed.jobId === jobId).map(({ nodeId }) => nodeId);
/** Of this test alone. */
const runs = () => sandbox.ledger.runs.slice(earlier);
const runsWith = (value: string) => sandbox.ledger.runs.filter(({ idempotencyKey }) => idempotencyKey === value).length;

describe('runs', () => {
	test('the ledger has one run for each job, and one entry for each node that was computed', async () => {
		const graph = picture();
		const jobId = idOf(await hosted.run(graph));
		const expected = { jobId, surface: 'hosted', account: 'main', idempotencyKey: undefined, partnerKeyField: undefined };
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ ...expected, graphHash: digest(JSON.stringify(graph)) });
		expect(nodesOf(jobId)).toEqual(['image', 'save']);
		const again = await hosted.run(graph);
		expect([nodesOf(idOf(again)), again.json.outputs]).toMatchObject([[], [{ node_id: 'save' }]]);
	});

	test('a number that no double tells apart from another is computed again', async () => {
		const { urls, keys } = sandbox;
		const headers = { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json' };
		const { save, ...graph } = slowPicture(1);
		for (const [seed, nodes] of [
			['9007199254740993', ['image', 'sample', 'save']],
			['9007199254740992', ['sample', 'save']],
		] as const) {
			const body = JSON.stringify({ workflow: { ...graph, save } }).replace(/"seed":\d+/, `"seed":${seed}`);
			const answer = await fetch(`${urls.hosted}/api/v2/jobs`, { method: 'POST', headers, body });
			const { id } = (await answer.json()) as { id: string };
			await hosted.reads(id, ['succeeded']);
			expect(nodesOf(id)).toEqual(nodes);
		}
	});

	test('a guarded gate holds a job until it opens, and no other job', async () => {
		sandbox.configure({ gateOpen: false });
		const gated = (guarded: number) => ({
			...picture(),
			gate: node('SandboxGate', { image: ['image', 0], guarded }),
			save: node('SaveImage', { images: ['gate', 0], filename_prefix: 'x' }),
		});
		const held = idOf(await hosted.submit(gated(1)));
		await until(() => nodesOf(held).includes('image'));
		expect((await hosted.run(gated(0))).json.status).toBe('succeeded');
		expect(nodesOf(held)).not.toContain('save');
		sandbox.configure({ gateOpen: true });
		await hosted.reads(held, ['succeeded']);
	});

	test('a cancel is recorded once, and no node starts after it', async () => {
		const name = idOf(await hosted.submit(slowPicture(500)));
		await until(() => nodesOf(name).includes('sample'));
		for (let count = 0; count < 2; count++) {
			await hosted.call('cancelJob', { name });
			expect((await hosted.reads(name, ['canceled'])).json.outputs).toEqual([]);
		}
		expect(sandbox.ledger.cancels.filter(({ jobId }) => jobId === name)).toHaveLength(1);
		expect(nodesOf(name)).toEqual(['image', 'sample']);
	});

	test('the ledger keeps only the field and the digest of a partner key', async () => {
		const { partnerKey } = sandbox.keys;
		const name = idOf(await hosted.submit(picture(), {}, { extra_data: { api_key_comfy_org: partnerKey } }));
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId: name, partnerKeyField: 'api_key_comfy_org' });
		expect(sandbox.ledger.partnerKeys).toEqual([digest(partnerKey)]);
		expect((await hosted.call('getJobWorkflow', { name })).json).not.toHaveProperty('workflow.extra_data');
		expect(JSON.stringify([sandbox.ledger, sandbox.job(name)])).not.toContain(partnerKey);
	});

	test('a submission to v1 that is sent twice makes two jobs, even with an Idempotency-Key', async () => {
		const v1 = new HostedV1(sandbox);
		const prompt = picture();
		const headers = key('same');
		const ids = [];
		for (let count = 0; count < 2; count++) ids.push((await v1.call('submitPrompt', { json: { prompt }, headers })).json.prompt_id);
		expect(new Set(ids).size).toBe(2);
		expect(runs()).toMatchObject(ids.map((jobId) => ({ jobId, idempotencyKey: undefined })));
	});

	test.each<Behaviour['v1Rejections']>(['ok_with_error', 'ok_with_node_errors'])(
		'an invalid submission to v1 makes no job with status 200 (%s)',
		async (v1Rejections) => {
			sandbox.configure({ v1Rejections });
			const body = JSON.stringify({ prompt: unknownClass() });
			const headers = { 'x-api-key': sandbox.keys.apiKey, 'content-type': 'application/json' };
			const answer = await fetch(`${sandbox.urls.hosted}/api/prompt`, { method: 'POST', headers, body });
			expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([200, expect.arrayContaining(['node_errors'])]);
			expect(runs()).toEqual([]);
		},
	);
});

describe('idempotency keys', () => {
	test('a key makes one job and is refused after that, whatever the body and also at the same moment', async () => {
		const answers = await Promise.all([hosted.submit(picture(), key('once')), hosted.submit(picture(), key('once'))]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
		expect(await hosted.submit(picture(), key('once'))).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
		expect(runsWith('once')).toBe(1);
	});

	test('a service that replays keys returns the job of the key', async () => {
		sandbox.configure({ replaysKeys: true });
		const first = await hosted.submit(picture(), key('again'));
		expect(await hosted.submit(picture(), key('again'))).toMatchObject({ status: 201, json: { id: first.json.id } });
		expect(runsWith('again')).toBe(1);
	});

	test('a key belongs to one account and one surface', async () => {
		await hosted.submit(picture(), key('mine'));
		const other = await hosted.call('submitJob', { key: sandbox.keys.otherApiKey, json: { workflow: picture() }, headers: key('mine') });
		expect([other.status, (await selfHosted.submit(picture(), key('mine'))).status]).toEqual([201, 201]);
	});

	test.each<[string, () => Service, () => void, unknown]>([
		['invalid_workflow', () => hosted, () => undefined, unknownClass()],
		['insufficient_credits', () => hosted, () => sandbox.setCredits('main', 0), picture()],
		['queue_full', () => hosted, () => sandbox.setQueueLimit(0), picture()],
		['deployment_not_ready', () => deployment, () => sandbox.setDeploymentState('not_ready'), picture()],
		['deployment_stopped', () => deployment, () => sandbox.setDeploymentState('stopped'), picture()],
	])('a key stays free where %s refuses the submission', async (code, service, provoke, graph) => {
		provoke();
		expect((await service().submit(graph, key(code))).code).toBe(code);
		allowAll();
		expect((await service().submit(picture(), key(code))).status).toBe(201);
	});

	test('an upload uses its key up on hosted, and never on a self-hosted surface', async () => {
		const upload = async (service: Service, text: string) => await service.upload(Buffer.from(text), {}, key('upload'));
		expect((await upload(hosted, 'one')).status).toBe(201);
		expect(await upload(hosted, 'two')).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
		for (const text of ['one', 'two']) expect((await upload(selfHosted, text)).status).toBe(201);
	});

	test.each(['hosted', 'self_hosted'] as const)('a key of %s stays used where the answer was lost', async (surface) => {
		const service = new Service(sandbox, surface);
		sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		await expect(service.submit(picture(), key('lost'))).rejects.toThrow();
		expect(await service.submit(picture(), key('lost'))).toMatchObject({ code: 'idempotency_key_reuse' });
		expect(runs()).toMatchObject([{ surface }]);
	});
});

describe('faults', () => {
	test.each<[string, number, Omit<FaultRule, 'on'>]>([
		['drop_before', 0, { fault: { kind: 'drop_before' } }],
		['drop_after', 1, { fault: { kind: 'drop_after' } }],
		['a late answer', 1, { late: true, answer: { status: 500, code: 'upstream_error' } }],
		['an answer', 0, { answer: { status: 500, code: 'upstream_error' } }],
		['duplicate', 2, { fault: { kind: 'duplicate' } }],
	])('%s on a submission makes %i jobs', async (_, made, rule) => {
		sandbox.inject({ on: SUBMIT, ...rule });
		await hosted.submit(picture()).catch(() => undefined);
		expect(runs()).toHaveLength(made);
	});

	test.each([
		['cuts the caller off', undefined],
		['answers 502', { status: 502, html: true }],
	])('late_delivery takes the whole request, %s, and delivers it later', async (_, answer) => {
		sandbox.inject({ on: SUBMIT, fault: { kind: 'late_delivery', ms: 1_500 }, answer });
		await hosted.submit(picture()).catch(() => undefined);
		expect(runs()).toEqual([]);
		await until(() => runs().length === 1);
	});
});

test('the peaks of open requests and of jobs in flight are kept until the records are reset', async () => {
	sandbox.inject({ on: SUBMIT, times: 3, fault: { kind: 'delay', ms: 1_000 } });
	await Promise.all([1, 2, 3].map(async () => await deployment.run(slowPicture(30))));
	expect([sandbox.peak(SUBMIT), sandbox.peak(SUBMIT, 'self_hosted'), sandbox.peak('DELETE *')]).toEqual([3, 0, 0]);
	expect([sandbox.peakJobs('deployment'), sandbox.peakJobs('self_hosted')]).toEqual([3, 0]);
	sandbox.resetRecords();
	expect([sandbox.peak(SUBMIT), sandbox.peakJobs('deployment')]).toEqual([0, 0]);
});
