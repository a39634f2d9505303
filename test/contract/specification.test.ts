/** The sandbox answers as the specification says. `Service` holds each answer against contract/v2.yaml, its error envelope too. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { editorFormat, everyKind, picture, unknownClass, withAsset } from './graphs';
import { calmDown, freshBytes, hashOf, Service, UNKNOWN_ID, type Called } from './service';

let sandbox: Sandbox;
let hosted: Service;
let deployment: Service;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Service(sandbox, 'hosted');
	deployment = new Service(sandbox, 'deployment');
});
afterAll(async () => await sandbox.close());
afterEach(() => calmDown(sandbox));

/** What nothing but the service's own state brings about is asked for by injection. */
const injected = (status: number, code: string) => async () => {
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status, code, ...(status === 429 && { retryAfter: 1 }) } });
	return await hosted.call('getJob', { name: UNKNOWN_ID });
};
const submittedTwice = async (idempotencyKey: string) => {
	const headers = { 'idempotency-key': idempotencyKey };
	return [await hosted.submit(picture(), headers), await hosted.submit(picture(), headers)] as const;
};

/** Table "v2 error codes". */
test.each<[code: string, status: number, provoke: () => Promise<Called>]>([
	['invalid_workflow', 422, async () => await hosted.submit(unknownClass())],
	['workflow_format_ui', 422, async () => await hosted.submit(editorFormat())],
	['missing_asset', 422, async () => await hosted.submit(withAsset(UNKNOWN_ID))],
	['hash_mismatch', 409, async () => await hosted.upload(freshBytes('sent'), { expected_hash: hashOf(freshBytes('announced')) })],
	['blob_not_found', 404, async () => await hosted.call('createAssetFromHash', { json: { hash: hashOf(freshBytes('never sent')) } })],
	['idempotency_key_reuse', 422, async () => (await submittedTwice('the same'))[1]],
	['queue_full', 429, async () => (sandbox.setQueueLimit(0), await hosted.submit(picture()))],
	['insufficient_credits', 402, async () => (sandbox.setCredits('main', 0), await hosted.submit(picture()))],
	['not_found', 404, async () => await hosted.call('getJob', { name: UNKNOWN_ID })],
	['unauthorized', 401, async () => await hosted.call('getJob', { name: UNKNOWN_ID, key: null })],
	['forbidden', 403, injected(403, 'forbidden')],
	['deployment_not_ready', 429, async () => (sandbox.setDeploymentState('not_ready'), await deployment.submit(picture()))],
	['deployment_stopped', 422, async () => (sandbox.setDeploymentState('stopped'), await deployment.submit(picture()))],
	['rate_limited', 429, injected(429, 'rate_limited')],
	['upstream_error', 500, injected(500, 'upstream_error')],
])('the code %s has status %d', async (code, status, provoke) => {
	const answer = await provoke();
	expect([answer.code, answer.status]).toEqual([code, status]);
	if (status === 429) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
});

test('invalid_workflow tells problems per node, as entries with field and reason', async () => {
	expect((await hosted.submit(unknownClass())).json.error).toMatchObject({
		details: { node_errors: { magic: [{ field: 'class_type', reason: expect.any(String) }] } },
	});
});

describe('GET workflow', () => {
	const read = async (name: string, key?: string | null) =>
		await hosted.call('getJobWorkflow', { name, ...(key !== undefined && { key }) });
	const refused = async (status: number, code: string, name: string = sandbox.seeds.pinnedJob) => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id/workflow', answer: { status, code, ...(status === 429 && { retryAfter: 2 }) } });
		return await read(name);
	};

	test.each<[status: number, code: string | undefined, meaning: string, provoke: () => Promise<Called>]>([
		[200, undefined, 'the workflow', async () => await read(sandbox.seeds.pinnedJob)],
		[401, 'unauthorized', 'missing or invalid credentials', async () => await read(sandbox.seeds.pinnedJob, null)],
		[403, 'forbidden', 'authenticated but not allowed', async () => await refused(403, 'forbidden')],
		[404, 'not_found', 'unknown', async () => await read(UNKNOWN_ID)],
		[404, 'not_found', 'not owned by the caller', async () => await read(sandbox.seeds.foreignJob)],
		[404, 'not_found', 'past its retention deadline', async () => await read(sandbox.seeds.expiredJob)],
		[429, 'rate_limited', 'request rate exceeded', async () => await refused(429, 'rate_limited')],
		[429, 'rate_limited', 'request rate exceeded, for an unknown id', async () => await refused(429, 'rate_limited', UNKNOWN_ID)],
		[500, 'upstream_error', 'unexpected failure', async () => await refused(500, 'upstream_error')],
	])('%d %s: %s', async (status, code, _meaning, provoke) => {
		const called = await provoke();
		expect([called.status, called.code]).toEqual([status, code]);
		if (status === 429) expect(called.headers.get('retry-after')).toBe('2');
	});

	const graph = picture();
	const submitWithPartnerKey = async (service: Service) => {
		const { json } = await service.call('submitJob', {
			json: { workflow: graph, extra_data: { api_key_service_org: sandbox.keys.partnerKey } },
		});
		return await service.call('getJobWorkflow', { name: String(json.id) });
	};
	test('pinned to a version: format save, exactly as saved, with canvas layout and frontend-only nodes', async () => {
		const { format, workflow } = (await read(sandbox.seeds.pinnedJob)).json as {
			format: string;
			workflow: { nodes: Array<{ type: string; pos: unknown }>; links: unknown[] };
		};
		expect(format).toBe('save');
		expect(workflow.links).toEqual(expect.any(Array));
		expect(workflow.nodes.map(({ type }) => type)).toEqual(expect.arrayContaining(['Note']));
		expect(workflow.nodes.every(({ pos }) => pos !== undefined)).toBe(true);
	});

	test("submitted through v2: format api, the shape of the submission's workflow field", async () => {
		expect((await submitWithPartnerKey(hosted)).json).toEqual({ workflow: graph, format: 'api' });
	});

	test('pinned to a version deleted since: format api, and no error', async () => {
		const { status, json } = await read(sandbox.seeds.deletedVersionJob);
		expect([status, json.format, Object.values(json.workflow as object)[0]]).toEqual([
			200,
			'api',
			expect.objectContaining({ class_type: expect.any(String) }),
		]);
	});

	test('never extra_data', async () => {
		const { bytes } = await submitWithPartnerKey(hosted);
		expect(bytes.toString('utf8')).not.toMatch(new RegExp(`extra_data|api_key|${sandbox.keys.partnerKey}`));
	});

	test('the executed graph on a serverless deployment', async () => {
		expect((await submitWithPartnerKey(deployment)).json).toEqual({ workflow: graph, format: 'api' });
	});
});

/** Table "Authentication", its v2 rows and the storage redirect. */
describe('authentication', () => {
	test.each([
		['hosted', 'account key', true],
		['hosted', 'none', false],
		['hosted', 'wrong key', false],
		['deployment', 'account key', true],
		['deployment', 'none', false],
		['self_hosted', 'none', true],
		['self_hosted_token', 'static token', true],
		['self_hosted_token', 'none', false],
		['self_hosted_token', 'wrong key', false],
		['storage', 'none', true],
		['storage', 'account key', false],
	] as const)('%s, %s: accepted %s', async (surface, credential, accepted) => {
		const key = { 'account key': sandbox.keys.apiKey, 'static token': sandbox.keys.bearer, 'wrong key': 'wrong', none: null }[credential];
		if (surface === 'storage') {
			const name = String((await hosted.upload(freshBytes('stored'))).json.id);
			const location = (await hosted.call('getAssetContent', { name })).headers.get('location') ?? '';
			const stored = await fetch(location, { headers: key === null ? {} : { authorization: `Bearer ${key}` } });
			expect(stored.ok).toBe(accepted);
		} else {
			const called = await new Service(sandbox, surface).call('getJob', { name: UNKNOWN_ID, key });
			expect([called.status, called.code]).toEqual(accepted ? [404, 'not_found'] : [401, 'unauthorized']);
		}
	});
});

/** The design rules of v2 under "What the service does". */
test('poll first: a job and its outputs are reachable by plain GET, without the stream', async () => {
	const { json } = await hosted.run(everyKind());
	expect((json.outputs as unknown[]).length).toBeGreaterThan(5);
	expect(sandbox.requests(`GET /api/v2/jobs/${String(json.id)}/events`)).toEqual([]);
});

test('resumable: an idempotent submission makes one job, which is retrievable by its id', async () => {
	const [{ json }] = await submittedTwice('one job');
	expect(sandbox.ledger.runs.filter(({ idempotencyKey }) => idempotencyKey === 'one job')).toMatchObject([{ jobId: json.id }]);
	expect((await hosted.call('getJob', { name: String(json.id) })).status).toBe(200);
});

test('resumable: until expires_at, and not after', async () => {
	sandbox.configure({ jobLifetimeMs: 3_000 });
	const { json } = await hosted.run(picture());
	sandbox.configure({ jobLifetimeMs: 3_600_000 });
	await new Promise((resolve) => setTimeout(resolve, Date.parse(String(json.expires_at)) - Date.now() + 5));
	for (const operation of ['getJob', 'getJobWorkflow']) expect((await hosted.call(operation, { name: String(json.id) })).status).toBe(404);
});

test('identical inputs are not uploaded twice', async () => {
	const bytes = freshBytes('twice');
	await hosted.upload(bytes);
	expect((await hosted.call('hasAssetByHash', { name: hashOf(bytes) })).status).toBe(200);
	expect((await hosted.call('createAssetFromHash', { json: { hash: hashOf(bytes), file_path: 'again.png' } })).json.hash).toBe(
		hashOf(bytes),
	);
});

test('answers embed follow-up links', async () => {
	const { urls, outputs } = (await hosted.run(picture())).json as { urls: Record<string, string>; outputs: Array<{ url: string }> };
	const headers = { authorization: `Bearer ${sandbox.keys.apiKey}` };
	for (const name of ['self', 'events']) expect((await fetch(new URL(urls[name] as string, hosted.address), { headers })).status).toBe(200);
	expect((await fetch(new URL(urls.cancel as string, hosted.address), { method: 'POST', headers })).status).toBe(200);
	expect((await fetch(outputs[0]?.url as string)).headers.get('content-type')).toBe('image/png');
});
