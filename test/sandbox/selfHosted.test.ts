/** Where a self-hosted surface answers as the companion proxy does, not as the hosted service. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller, getWithHost } from './support/caller';
import { eventsOf } from './support/events';
import { failing, picture, slowPicture, textFile, withAsset } from './support/graphs';

let sandbox: Sandbox;
let local: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	local = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ workers: 4, links: 'absolute', uploadLimitBytes: 1024 * 1024, engineCancels: true }));

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64');

describe('doors', () => {
	test('without a token anybody is welcome; with one only its holder', async () => {
		const tokened = new Caller(sandbox, 'self_hosted_token');
		const statusOf = async (caller: Caller, key: string | null) => (await caller.call('GET', '/jobs', { key })).status;
		expect(await statusOf(local, null)).toBe(200);
		expect(await statusOf(local, 'whatever')).toBe(200);
		expect(await statusOf(tokened, sandbox.keys.bearer)).toBe(200);
		expect(await tokened.call('GET', '/jobs', { key: null })).toMatchObject({ status: 401, code: 'unauthorized' });
		expect(await statusOf(tokened, sandbox.keys.apiKey)).toBe(401);
	});

	test('health needs no token, a page of another origin may not call', async () => {
		const tokened = new Caller(sandbox, 'self_hosted_token');
		expect((await tokened.call('GET', `${tokened.address}/health`, { key: null })).status).toBe(200);
		expect(await local.call('GET', '/jobs', { headers: { origin: 'http://elsewhere.example' } })).toMatchObject({
			status: 403,
			code: 'forbidden_origin',
		});
		expect((await local.call('GET', '/jobs', { headers: { origin: local.address } })).status).toBe(200);
	});

	test('logs are no route, and that answer has no envelope', async () => {
		const id = await local.started(picture());
		expect(await local.call('GET', `/jobs/${id}/logs`)).toMatchObject({ status: 404, text: '404: Not Found' });
	});
});

const loading = (image: string, name = 'save') => ({
	[`${name} load`]: { class_type: 'LoadImage', inputs: { image } },
	[name]: { class_type: 'SaveImage', inputs: { images: [`${name} load`, 0], filename_prefix: 'loaded' } },
});

describe('jobs', () => {
	test('links follow the Host header, whatever it says', async () => {
		const id = await local.started(picture());
		sandbox.configure({ links: 'relative' });
		const job = await getWithHost(`${local.address}/api/v2/jobs/${id}`, 'comfy.internal:8189');
		expect(job.urls).toEqual({
			self: `http://comfy.internal:8189/api/v2/jobs/${id}`,
			events: `http://comfy.internal:8189/api/v2/jobs/${id}/events`,
			cancel: `http://comfy.internal:8189/api/v2/jobs/${id}/cancel`,
		});
	});

	test('times, sizes, hashes and metrics are missing; outputs come at the end only', async () => {
		const id = await local.started(slowPicture(100));
		const blind = {
			value: 0,
			nodes_done: 0,
			nodes_total: 0,
			current_node: null,
			current_node_class: null,
			step: null,
			steps: null,
			message: null,
		};
		expect(await local.read(id, 'running')).toMatchObject({ progress: blind, outputs: [] });
		const job = await local.read(id);
		expect(job).toMatchObject({
			status: 'succeeded',
			started_at: null,
			completed_at: null,
			outputs_reused: false,
			metadata: null,
			priority: null,
		});
		expect(job).not.toHaveProperty('metrics');
		expect(job.outputs).toMatchObject([{ size_bytes: 0, hash: null, id: expect.stringMatching(/^asset_[\w-]+\.[0-9a-f]+$/), job_id: id }]);
	});

	test('an output is read in place, in parts too, and cannot be deleted', async () => {
		const { outputs } = await local.finished(picture());
		const [{ id, url }] = outputs as [{ id: string; url: string }];
		expect(url).toBe(`${local.address}/api/v2/assets/${id}/content`);
		const part = await local.call('GET', `/assets/${id}/content`, { headers: { range: 'bytes=1-3' } });
		expect([part.status, part.text]).toEqual([206, 'PNG']);
		expect((await local.call('DELETE', `/assets/${id}`)).status).toBe(404);
	});

	test('kinds the proxy does not know are dropped, and a video passes for an image', async () => {
		expect((await local.finished(textFile('file'))).outputs).toEqual([]);
		expect((await local.finished(textFile('3d'))).outputs).toEqual([]);
		expect((await local.finished(textFile('video', 'video/mp4'))).outputs).toMatchObject([{ type: 'image', content_type: 'video/mp4' }]);
		expect((await local.finished(textFile('text'))).outputs).toEqual([]);
	});

	test('a failed job has one code and no traceback', async () => {
		expect((await local.finished(failing())).error).toEqual({
			code: 'node_execution_error',
			message: 'out of memory',
			node_id: 'fail',
			class_type: 'SandboxFail',
			traceback: null,
		});
	});

	test('the terminal status is written before the outputs', async () => {
		const id = await local.started(slowPicture(3));
		const events = await eventsOf(await local.fetch('GET', `/jobs/${id}/events`));
		expect(events.slice(-2)).toMatchObject([
			{ event: 'status', data: { status: 'succeeded' } },
			{ event: 'output', data: { job_id: id } },
		]);
	});

	test('a running job is canceling in the answer to the cancel alone', async () => {
		const id = await local.started(slowPicture(500));
		await local.read(id, 'running');
		const [cancel, read] = await Promise.all([local.call('POST', `/jobs/${id}/cancel`), local.call('GET', `/jobs/${id}`)]);
		expect(cancel.json.status).toBe('canceling');
		expect(['running', 'canceled']).toContain(read.json.status);
		expect((await local.read(id)).status).toBe('canceled');
	});

	test('the same is answered where the engine has no such route, and the job goes on', async () => {
		sandbox.configure({ engineCancels: false });
		const id = await local.started(slowPicture(100));
		await local.read(id, 'running');
		expect((await local.call('POST', `/jobs/${id}/cancel`)).json.status).toBe('canceling');
		expect((await local.call('GET', `/jobs/${id}`)).json.status).toBe('running');
		expect((await local.read(id)).status).toBe('succeeded');
	});

	test('while its engine is down, nobody knows of a job, and a key that was sent stays taken', async () => {
		const { id, outputs } = await local.finished(picture());
		const [output] = outputs as [{ id: string }];
		await sandbox.stopEngine();
		const reads = [`/jobs/${String(id)}`, `/jobs/${String(id)}/events`, '/jobs'];
		for (const path of reads) expect(await local.call('GET', path)).toMatchObject({ status: 503, code: 'upstream_unreachable' });
		expect(await local.submit(picture(), { key: 'lost' })).toMatchObject({ status: 503, code: 'upstream_unreachable' });
		expect(await local.call('GET', `/assets/${output.id}/content`)).toMatchObject({ status: 500, code: 'upstream_error' });
		expect(await local.upload('never kept')).toMatchObject({ status: 500, code: 'upstream_error' });
		await sandbox.startEngine();
		expect((await local.call('GET', `/jobs/${String(id)}`)).status).toBe(200);
		expect(await local.submit(picture(), { key: 'lost' })).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
		expect((await local.upload('never kept')).status).toBe(201);
	});

	test('a pending job that is cancelled ends as expired', async () => {
		sandbox.configure({ workers: 0 });
		const id = await local.started(picture());
		expect((await local.call('GET', `/jobs/${id}`)).json).toMatchObject({ status: 'queued', queue_position: 1 });
		expect((await local.call('POST', `/jobs/${id}/cancel`)).json.status).toBe('expired');
	});

	test('the list is newest first, cut at a limit, filtered by status', async () => {
		const ids = [await local.started(picture()), await local.started(picture())];
		for (const id of ids) await local.read(id);
		const list = async (query: string) =>
			(await local.call('GET', `/jobs?${query}`)).json as { jobs: Array<{ id: string; urls: unknown }>; truncated: boolean };
		const newest = await list('limit=1');
		expect([newest.jobs.map(({ id }) => id), newest.truncated]).toEqual([[ids[1]], false]);
		expect(newest.jobs[0]).toHaveProperty('urls.self');
		expect((await list('status=queued,running')).jobs).toEqual([]);
		expect((await list('status=succeeded&limit=100')).truncated).toBe(false);
		for (const limit of ['0', '101', 'x'])
			expect(await local.call('GET', `/jobs?limit=${limit}`)).toMatchObject({ status: 400, code: 'invalid_request' });
	});

	test('metadata is one short string, priority a number', async () => {
		const id = await local.started(picture(), { metadata: 'nightly', priority: 3 });
		expect(await local.read(id)).toMatchObject({ metadata: 'nightly', priority: 3 });
		for (const metadata of [{ a: 'b' }, 'x'.repeat(1025)]) {
			expect(await local.submit(picture(), { rest: { metadata } })).toMatchObject({ status: 422, code: 'invalid_request' });
		}
		expect((await local.submit(picture(), { rest: { priority: 'high' } })).status).toBe(422);
	});

	test('assets that are missing are named by their ids', async () => {
		const { status, json } = await local.submit(withAsset('never'));
		expect([status, json.error]).toEqual([
			422,
			{ code: 'missing_asset', message: expect.any(String) as string, details: { missing_ids: ['never'] } },
		]);
	});

	test('the workflow names files where assets were referred to', async () => {
		const { json } = await local.upload(PNG, { file_path: 'input/one.png' });
		const job = await local.finished(withAsset(String(json.id)));
		expect(job.status).toBe('succeeded');
		const { json: workflow } = await local.call('GET', `/jobs/${String(job.id)}/workflow`);
		expect(workflow).toMatchObject({ format: 'api', workflow: { load: { inputs: { image: 'one.png' } } } });
	});

	test('X: passes on only the sentence of the engine about a class that it does not have', async () => {
		const { status, json } = await local.submit({ ...picture(), magic: { class_type: 'Magic', inputs: { from: ['image', 0] } } });
		const message = 'Cannot execute because node Magic does not exist.';
		expect([status, json.error]).toEqual([422, { code: 'invalid_workflow', message, details: { node_errors: {} } }]);
	});

	test('L15: passes on what the engine says about inputs, by node', async () => {
		const { status, json } = await local.submit({
			...picture(),
			image: { class_type: 'EmptyImage', inputs: { width: 'wide', height: 8, batch_size: 1, color: 0 } },
		});
		const node_errors = {
			image: { class_type: 'EmptyImage', dependent_outputs: ['save'], errors: [{ details: 'width', extra_info: { input_name: 'width' } }] },
		};
		expect([status, json.error]).toMatchObject([422, { message: 'Prompt outputs failed validation', details: { node_errors } }]);
	});

	test('X: a graph that is half invalid runs with its valid half', async () => {
		const half = { class_type: 'SaveImage', inputs: { images: ['nowhere', 0], filename_prefix: 'lost' } };
		const job = await local.finished({ ...picture(), half });
		expect([job.status, job.outputs]).toMatchObject(['succeeded', [{ node_id: 'save' }]]);
		expect(job.outputs).toHaveLength(1);
	});

	test('a file that is not there is refused before anything runs, as its engine does', async () => {
		const { status, json } = await local.submit(loading('none.png'));
		const node_errors = { 'save load': { class_type: 'LoadImage', errors: [{ extra_info: { input_name: 'image' } }] } };
		expect([status, json.error]).toMatchObject([422, { code: 'invalid_workflow', details: { node_errors } }]);
		const half = await local.finished({ ...picture(), ...loading('none.png', 'lost') });
		expect([half.status, half.outputs]).toMatchObject(['succeeded', [{ node_id: 'save' }]]);
	});

	test('an upload is known by its whole path below the input folder, and by no part of it', async () => {
		await local.upload(Buffer.concat([PNG, Buffer.from('other bytes')]), { file_path: 'input/pets/dog.png' });
		await local.upload(Buffer.concat([PNG, Buffer.from('and others')]), { file_path: 'input/cat.png' });
		expect((await local.finished(loading('pets/dog.png'))).status).toBe('succeeded');
		for (const name of ['dog.png', 'input/pets/dog.png', 'input/cat.png']) expect((await local.submit(loading(name))).status).toBe(422);
		const response = await fetch(`${sandbox.urls.engine}/object_info/LoadImage`);
		const { LoadImage } = (await response.json()) as { LoadImage: { input: { required: { image: [string[]] } } } };
		const [offered] = LoadImage.input.required.image;
		expect(offered).toContain('cat.png');
		expect(offered.filter((name) => name.includes('/'))).toEqual([]);
	});

	test('X: expires_in is not read', async () => {
		const uploaded = await local.upload('for good', { file_path: 'a.png', expires_in: '1' });
		expect(uploaded).toMatchObject({ status: 201, json: { expires_at: null } });
	});

	test.each([
		['no JSON', '{"workflow":', 400, 'invalid_request'],
		['no object', '[]', 400, 'invalid_request'],
		['an unknown extra field', '{"workflow":{},"extra_data":{"auth_token_comfy_org":"x"}}', 400, 'invalid_request'],
		['a field that is no text', '{"workflow":{},"extra_data":{"api_key_comfy_org":5}}', 400, 'invalid_request'],
		['a reserved field', '{"workflow":{},"webhook_url":"x"}', 422, 'invalid_workflow'],
	])('a body with %s', async (_what, body, status, code) => {
		expect(await local.call('POST', '/jobs', { body, headers: { 'content-type': 'application/json' } })).toMatchObject({ status, code });
	});

	test('X: a submission without a workflow, and an upload without its parts, are told as the proxy tells them', async () => {
		expect(await local.call('POST', '/jobs', { body: '{}', headers: { 'content-type': 'application/json' } })).toMatchObject({
			status: 422,
			code: 'invalid_workflow',
		});
		expect(await local.call('POST', '/assets', { body: '{}', headers: { 'content-type': 'application/json' } })).toMatchObject({
			status: 422,
			code: 'invalid_request',
		});
		expect(await local.call('POST', '/assets/from-hash', { body: '{}', headers: { 'content-type': 'application/json' } })).toMatchObject({
			status: 422,
			code: 'invalid_request',
		});
	});

	test('a restart of it, without its state folder, and of its engine forgets jobs and keys', async () => {
		const { json } = await local.submit(picture(), { key: 'kept' });
		sandbox.forgetJobs('self_hosted');
		expect((await local.call('GET', `/jobs/${String(json.id)}`)).code).toBe('not_found');
		expect((await local.submit(picture(), { key: 'kept' })).status).toBe(201);
	});
});

describe('assets', () => {
	test('the same bytes give the first record back, under its first name', async () => {
		const first = await local.upload('same bytes', { file_path: 'a.png' });
		const second = await local.upload('same bytes', { file_path: 'b.png' });
		expect(second).toMatchObject({ status: 200, json: { id: first.json.id, file_path: 'a.png', created_new: false } });
		const fromHash = await local.call('POST', '/assets/from-hash', { json: { hash: first.json.hash, file_path: 'c.png' } });
		expect(fromHash).toMatchObject({ status: 200, json: { id: first.json.id, file_path: 'a.png' } });
	});

	test.each(['inputs/one.png', '/one.png', 'input/../../one.png', 'checkpoints/one.safetensors'])(
		'the folder of %s is refused',
		async (file_path) => {
			expect(await local.upload(Buffer.from(file_path), { file_path })).toMatchObject({ status: 422, code: 'invalid_request' });
		},
	);

	test('parts may come in any order, and the type may be missing', async () => {
		const form = new FormData();
		form.append('file', new Blob(['any order'], { type: 'image/gif' }), 'x.gif');
		form.append('file_path', 'x.gif');
		expect(await local.call('POST', '/assets', { body: form })).toMatchObject({
			status: 201,
			json: { content_type: 'image/gif', file_path: 'x.gif' },
		});
	});

	test('a file above the limit is refused and forgotten', async () => {
		sandbox.configure({ uploadLimitBytes: 1000 });
		expect(await local.upload(Buffer.alloc(1001))).toMatchObject({ status: 413, code: 'payload_too_large' });
		expect((await local.upload(Buffer.alloc(1000))).status).toBe(201);
	});
});
