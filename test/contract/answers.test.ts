/** All answers of the sandbox, on every surface, match contract/v2.yaml. */
import { startSandbox, type Sandbox, type ServiceSurface } from '../../sandbox';
import { editorFormat, everyKind, failing, picture, slowPicture, unknownClass, withAsset } from './graphs';
import { eventsOf } from './openApi';
import { until } from '../support/until';
import { freshBytes, hashOf, Service, UNKNOWN_ID, uploadForm, v2, type Seen } from './service';

const SURFACES: ServiceSurface[] = ['hosted', 'deployment', 'self_hosted', 'self_hosted_token'];
const seen: Seen = new Map();
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ progressIntervalMs: 10 });
});
afterAll(async () => await sandbox.close());

test('the check finds wrong answers', () => {
	const answer = (status: number, body: unknown, type = 'application/json') => ({
		status,
		headers: new Headers({ 'content-type': type }),
		body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
	});
	expect(v2.problemsOf('getJobWorkflow', answer(200, { workflow: {}, format: 'api' }))).toEqual([]);
	expect(v2.problemsOf('getJobWorkflow', answer(200, { workflow: {}, format: 'other' }))).toEqual([
		'/format must be equal to one of the allowed values',
	]);
	expect(v2.problemsOf('getJobWorkflow', answer(418, {}))).toEqual(['status 418 is not documented']);
	expect(v2.problemsOf('getJobWorkflow', answer(429, { error: { code: 'rate_limited' } }))).toEqual([
		'header Retry-After is missing',
		"/error must have required property 'message'",
	]);
	expect(v2.problemsOf('getJobWorkflow', answer(404, 'gone', 'text/html'))).toEqual(['content type text/html is not documented']);
	expect(v2.problemsOf('streamJobEvents', answer(200, 'event: news\ndata: {}\n\n', 'text/event-stream'))).toEqual([
		'event news is not documented',
	]);
});

describe.each(SURFACES)('%s', (surface) => {
	let service: Service;
	beforeAll(() => {
		service = new Service(sandbox, surface, seen);
	});

	test('a created asset has the documented answers', async () => {
		const bytes = freshBytes(surface);
		const created = await service.upload(bytes, { expected_hash: hashOf(bytes), tags: 'a', expires_in: '600' });
		expect([created.status, created.json.created_new, created.json.hash]).toEqual([201, true, hashOf(bytes)]);
		expect((await service.upload(bytes)).status).toBe(200);
		expect(await service.upload(freshBytes(surface), { expected_hash: hashOf(bytes) })).toMatchObject({
			status: 409,
			code: 'hash_mismatch',
		});
		const withoutFile = new FormData();
		withoutFile.append('content_type', 'image/png');
		expect((await service.call('createAsset', { form: withoutFile })).status).toBe(422);
	});

	test('an asset with fields in another order or above the limit has the documented answers', async () => {
		const form = uploadForm(freshBytes(surface), {});
		for (const [name, value] of Object.entries({ content_type: 'image/png', file_path: 'late.png' })) form.append(name, value);
		expect((await service.call('createAsset', { form })).status).toBe(service.selfHosted ? 201 : 422);
		sandbox.configure({ uploadLimitBytes: 10 });
		expect((await service.upload(freshBytes(surface))).status).toBe(service.selfHosted ? 413 : 201);
		sandbox.configure({ uploadLimitBytes: 1024 * 1024 });
	});

	test('an asset from a hash, and a question for one, have the documented answers', async () => {
		const bytes = freshBytes(surface);
		await service.upload(bytes, { file_path: 'one.png' });
		const fromHash = async (json: unknown) => (await service.call('createAssetFromHash', { json })).status;
		expect(await fromHash({ hash: hashOf(bytes), file_path: 'one.png' })).toBe(200);
		expect(await fromHash({ hash: hashOf(bytes), file_path: 'two.png', tags: ['b'], expires_in: 60 })).toBe(service.selfHosted ? 200 : 201);
		expect(await fromHash({ hash: hashOf(freshBytes(surface)) })).toBe(404);
		expect(await fromHash({})).toBe(422);
		expect((await service.call('hasAssetByHash', { name: hashOf(bytes) })).status).toBe(200);
		expect((await service.call('hasAssetByHash', { name: hashOf(freshBytes(surface)) })).status).toBe(404);
	});

	test('a hash that is not computed yet has the documented answers', async () => {
		sandbox.configure({ hashes: 'null' });
		const created = await service.upload(freshBytes(surface));
		const job = await service.run(picture());
		sandbox.configure({ hashes: 'given' });
		expect(created.json.hash).toBeNull();
		expect(job.json.outputs).toMatchObject([{ hash: null }]);
	});

	test('reading, using and deleting an asset have the documented answers', async () => {
		const created = await service.upload(freshBytes(surface));
		const name = String(created.json.id);
		expect((await service.call('getAsset', { name })).json).toMatchObject({ id: name, size_bytes: 64 });
		const { id } = (await service.submit({ ...slowPicture(1000), ...{ load: withAsset(name).load } })).json;
		if (!service.selfHosted) expect(await service.call('deleteAsset', { name })).toMatchObject({ status: 409, code: 'asset_in_use' });
		await service.call('cancelJob', { name: String(id) });
		await service.reads(String(id), ['canceled', 'expired']);
		expect((await service.call('deleteAsset', { name })).status).toBe(204);
		expect((await service.call('deleteAsset', { name })).status).toBe(404);
		expect((await service.call('getAsset', { name })).status).toBe(404);
	});

	test('the content of an asset has the documented answers', async () => {
		const bytes = freshBytes(surface);
		const name = String((await service.upload(bytes)).json.id);
		const content = async (range?: string) =>
			await service.call('getAssetContent', { name, headers: range === undefined ? {} : { range } });
		if (!service.selfHosted) {
			const { status, headers } = await content('bytes=0-3');
			expect([status, headers.get('location')?.startsWith(sandbox.urls.storage)]).toEqual([302, true]);
		} else {
			expect(await content()).toMatchObject({ status: 200, bytes });
			expect(await content('bytes=1-3')).toMatchObject({ status: 206, bytes: bytes.subarray(1, 4) });
			expect((await content('bytes=64-')).status).toBe(416);
		}
		expect((await service.call('getAssetContent', { name: UNKNOWN_ID })).status).toBe(404);
	});

	test('a job has the documented answers from its submission to its end', async () => {
		const submitted = await service.submit(slowPicture(60));
		expect(submitted).toMatchObject({ status: 201, json: { outputs: [], error: null } });
		const name = String(submitted.json.id);
		await service.reads(name, ['running']);
		const { json } = await service.reads(name, ['succeeded']);
		expect(json.outputs).toMatchObject([{ node_id: 'save', name: 'slow_00001_.png', type: 'image' }]);
		expect((await service.call('getJobWorkflow', { name })).json).toMatchObject({ format: 'api' });
		for (const operation of ['getJob', 'getJobWorkflow', 'cancelJob', 'streamJobEvents']) {
			expect((await service.call(operation, { name: UNKNOWN_ID })).status).toBe(404);
		}
	});

	test('outputs of every kind and a failed job have the documented answers', async () => {
		const { json } = await service.run(everyKind());
		const kinds = (json.outputs as Array<{ type: string }>).map(({ type }) => type);
		expect(kinds).toEqual(expect.arrayContaining(['image', 'audio', 'latent', ...(service.selfHosted ? [] : ['text'])]));
		const traceback = service.selfHosted
			? null
			: 'Traceback (most recent call last):\n  Node #fail, class SandboxFail, in execute\nOOMError: out of memory\n';
		const error = { code: 'node_execution_error', node_id: 'fail', class_type: 'SandboxFail', traceback };
		expect((await service.run(failing())).json).toMatchObject({ status: 'failed', error });
	});

	test('a first and a second cancel have the documented answers', async () => {
		const name = String((await service.submit(slowPicture(1000))).json.id);
		await service.reads(name, ['running']);
		expect((await service.call('cancelJob', { name })).json.status).toBe('canceling');
		await service.reads(name, ['canceled']);
		expect((await service.call('cancelJob', { name })).json.status).toBe('canceled');
	});

	test('rejected submissions have the documented answers', async () => {
		const refusal = async (workflow: unknown) => {
			const { status, code } = await service.submit(workflow);
			return [status, code];
		};
		expect(await service.submit(unknownClass())).toMatchObject({ status: 422, code: 'invalid_workflow' });
		if (!service.selfHosted)
			expect((await service.submit(unknownClass())).json.error).toMatchObject({
				details: { node_errors: { magic: [{ field: 'class_type', reason: expect.any(String) }] } },
			});
		expect(await refusal(editorFormat())).toEqual([422, 'workflow_format_ui']);
		expect(await refusal(withAsset(UNKNOWN_ID))).toEqual([422, 'missing_asset']);
		expect((await service.call('submitJob', { json: { workflow: picture(), extra_data: { other: 'x' } } })).status).toBe(
			service.selfHosted ? 400 : 422,
		);
		const headers = { 'idempotency-key': `key of ${surface}` };
		expect((await service.submit(picture(), headers)).status).toBe(201);
		expect(await service.submit(picture(), headers)).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
	});

	test('the event stream has the documented events', async () => {
		sandbox.configure({ workers: 0 });
		const name = String((await service.submit(slowPicture(10))).json.id);
		const streaming = service.call('streamJobEvents', { name, headers: { accept: 'text/event-stream' } });
		await until(() => sandbox.requests(`GET /api/v2/jobs/${name}/events`).length === 1);
		sandbox.configure({ workers: 4 });
		const { status, bytes } = await streaming;
		const events = eventsOf(bytes);
		expect(status).toBe(200);
		expect(new Set(events.map((event) => event.name))).toEqual(new Set(['status', 'progress', 'preview', 'output']));
		expect(events.filter((event) => event.name === 'status').at(-1)?.data).toMatchObject({ status: 'succeeded' });
		sandbox.configure({ maxStreams: 0 });
		expect(await service.call('streamJobEvents', { name })).toMatchObject({ status: 429, code: 'too_many_streams' });
		sandbox.configure({ maxStreams: null });
	});

	test('the list of jobs and the logs have the documented answers', async () => {
		const name = String((await service.run(picture())).json.id);
		await service.run(picture());
		const listed = await service.call('listJobs', { query: 'limit=1' });
		if (surface === 'hosted') expect(listed).toMatchObject({ status: 501, code: 'not_implemented' });
		else expect(listed.json.jobs).toHaveLength(1);
		if (surface === 'deployment') {
			expect((await service.call('listJobs', { query: `limit=1&cursor=${String(listed.json.next_cursor)}` })).json.jobs).toMatchObject([
				{ id: name },
			]);
			expect((await service.call('listJobs', { query: 'metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1' })).status).toBe(400);
		}
		expect((await service.call('getJobLogs', { name })).status).toBe(
			{ hosted: 204, deployment: 200, self_hosted: 404, self_hosted_token: 404 }[surface],
		);
	});

	test('no operation works without the key', async () => {
		for (const { id } of v2.operations.values()) {
			if (surface === 'self_hosted') break;
			if (service.selfHosted && id === 'getJobLogs') continue;
			const { status } = await service.call(id, {
				name: UNKNOWN_ID,
				key: 'wrong',
				...(v2.operations.get(id)?.method === 'POST' && { json: {} }),
			});
			expect([id, status]).toEqual([id, 401]);
		}
	});
});

test('a request of a page of another origin has the documented answer', async () => {
	const foreign = { headers: { origin: 'http://elsewhere.example' }, name: UNKNOWN_ID };
	expect(await new Service(sandbox, 'self_hosted', seen).call('getJob', foreign)).toMatchObject({ status: 403, code: 'forbidden_origin' });
});

test('a job is readable until it expires, and not after', async () => {
	const hosted = new Service(sandbox, 'hosted', seen);
	sandbox.configure({ jobLifetimeMs: 3_000 });
	const { json } = await hosted.run(picture());
	sandbox.configure({ jobLifetimeMs: 3_600_000 });
	await new Promise((resolve) => setTimeout(resolve, Date.parse(String(json.expires_at)) - Date.now() + 5));
	for (const operation of ['getJob', 'getJobWorkflow']) expect((await hosted.call(operation, { name: String(json.id) })).status).toBe(404);
});

test('every operation is called on every surface, and every documented success occurs', () => {
	for (const { id, statuses } of v2.operations.values()) {
		const answered = seen.get(id) ?? new Map<number, Set<ServiceSurface>>();
		expect([id, new Set([...answered.values()].flatMap((surfaces) => [...surfaces]))]).toEqual([id, new Set(SURFACES)]);
		expect([id, [...answered.keys()]]).toEqual([id, expect.arrayContaining(statuses.filter((status) => status < 400))]);
	}
});
