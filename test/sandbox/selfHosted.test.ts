/** Where a self-hosted surface answers as the companion proxy does, not as the hosted service. */
import { request } from 'undici';
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { eventsOf } from './support/events';
import { failing, picture, slowPicture, textFile, withAsset } from './support/graphs';

let sandbox: Sandbox;
let local: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	local = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ workers: 4, engineCancels: true }));

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64');

const loading = (image: string, name = 'save') => ({
	[`${name} load`]: { class_type: 'LoadImage', inputs: { image } },
	[name]: { class_type: 'SaveImage', inputs: { images: [`${name} load`, 0], filename_prefix: 'loaded' } },
});

test('links follow the Host header of the request', async () => {
	const id = await local.started(picture());
	const self = `http://comfy.internal:8189/api/v2/jobs/${id}`;
	const { body } = await request(`${local.address}/api/v2/jobs/${id}`, { headers: { host: 'comfy.internal:8189' } });
	expect(((await body.json()) as { urls: unknown }).urls).toEqual({ self, events: `${self}/events`, cancel: `${self}/cancel` });
});

describe('a job', () => {
	test('has no progress, times, sizes, hashes or metrics, and its outputs only at the end', async () => {
		const id = await local.started(slowPicture(100));
		const counts = { value: 0, nodes_done: 0, nodes_total: 0 };
		const progress = { ...counts, current_node: null, current_node_class: null, step: null, steps: null, message: null };
		expect(await local.read(id, 'running')).toMatchObject({ progress, outputs: [] });
		const job = await local.read(id);
		expect(job).toMatchObject({ status: 'succeeded', started_at: null, completed_at: null, outputs_reused: false, metadata: null });
		expect(job).not.toHaveProperty('metrics');
		expect(job.outputs).toMatchObject([{ size_bytes: 0, hash: null, id: expect.stringMatching(/^asset_[\w-]+\.[0-9a-f]+$/), job_id: id }]);
	});

	test('drops outputs of unknown kinds, and reports a video as an image', async () => {
		for (const kind of ['file', '3d', 'text']) expect((await local.finished(textFile(kind))).outputs).toEqual([]);
		expect((await local.finished(textFile('video', 'video/mp4'))).outputs).toMatchObject([{ type: 'image', content_type: 'video/mp4' }]);
	});

	test('that fails has one code and no traceback', async () => {
		const node = { node_id: 'fail', class_type: 'SandboxFail', traceback: null };
		expect((await local.finished(failing())).error).toEqual({ code: 'node_execution_error', message: 'out of memory', ...node });
	});

	test('reports its final status before its outputs', async () => {
		const id = await local.started(slowPicture(3));
		const events = await eventsOf(await local.fetch('GET', `/jobs/${id}/events`));
		expect(events.slice(-2)).toMatchObject([
			{ event: 'status', data: { status: 'succeeded' } },
			{ event: 'output', data: { job_id: id } },
		]);
	});

	test('that runs is "canceling" only in the answer to the cancel', async () => {
		const id = await local.started(slowPicture(500));
		await local.read(id, 'running');
		const [cancel, read] = await Promise.all([local.call('POST', `/jobs/${id}/cancel`), local.call('GET', `/jobs/${id}`)]);
		expect(cancel.json.status).toBe('canceling');
		expect(['running', 'canceled']).toContain(read.json.status);
		expect((await local.read(id)).status).toBe('canceled');
	});

	test('goes on after the same answer where the engine has no cancel route', async () => {
		sandbox.configure({ engineCancels: false });
		const id = await local.started(slowPicture(100));
		await local.read(id, 'running');
		expect((await local.call('POST', `/jobs/${id}/cancel`)).json.status).toBe('canceling');
		expect((await local.call('GET', `/jobs/${id}`)).json.status).toBe('running');
		expect((await local.read(id)).status).toBe('succeeded');
	});

	test('that is canceled while it waits ends as expired', async () => {
		sandbox.configure({ workers: 0 });
		const id = await local.started(picture());
		expect((await local.call('GET', `/jobs/${id}`)).json).toMatchObject({ status: 'queued', queue_position: 1 });
		expect((await local.call('POST', `/jobs/${id}/cancel`)).json.status).toBe('expired');
	});

	test('is unreachable while the engine is down, and a key that was sent stays used', async () => {
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
});

describe('a submission', () => {
	const image = { class_type: 'EmptyImage', inputs: { width: 'wide', height: 8, batch_size: 1, color: 0 } };
	const magic = { class_type: 'Magic', inputs: { from: ['image', 0] } };
	const errors = (input_name: string) => [{ extra_info: { input_name } }];

	test.each<[string, unknown, object]>([
		[
			'assets that do not exist, by their ids',
			withAsset('never'),
			{ code: 'missing_asset', message: expect.any(String) as string, details: { missing_ids: ['never'] } },
		],
		[
			'a class that the engine does not have, in one sentence',
			{ ...picture(), magic },
			{ code: 'invalid_workflow', message: 'Cannot execute because node Magic does not exist.', details: { node_errors: {} } },
		],
		[
			'inputs with the words of the engine, by node',
			{ ...picture(), image },
			{
				message: 'Prompt outputs failed validation',
				details: { node_errors: { image: { class_type: 'EmptyImage', dependent_outputs: ['save'], errors: errors('width') } } },
			},
		],
		[
			'a file that does not exist, before anything runs',
			loading('none.png'),
			{ code: 'invalid_workflow', details: { node_errors: { 'save load': { class_type: 'LoadImage', errors: errors('image') } } } },
		],
	])('is refused for %s', async (_what, workflow, error) => {
		const { status, json } = await local.submit(workflow);
		expect([status, json.error]).toMatchObject([422, error]);
	});

	test('with a valid and an invalid half runs its valid half', async () => {
		const lost = { class_type: 'SaveImage', inputs: { images: ['nowhere', 0], filename_prefix: 'lost' } };
		for (const half of [{ lost }, loading('none.png', 'lost')]) {
			const job = await local.finished({ ...picture(), ...half });
			expect([job.status, job.outputs]).toEqual(['succeeded', [expect.objectContaining({ node_id: 'save' })]]);
		}
	});

	test('keeps one short text as metadata and a number as priority', async () => {
		const id = await local.started(picture(), { metadata: 'nightly', priority: 3 });
		expect(await local.read(id)).toMatchObject({ metadata: 'nightly', priority: 3 });
		for (const rest of [{ metadata: { a: 'b' } }, { metadata: 'x'.repeat(1025) }, { priority: 'high' }])
			expect(await local.submit(picture(), { rest })).toMatchObject({ status: 422, code: 'invalid_request' });
	});

	test.each([
		['no JSON', '/jobs', '{"workflow":', 400, 'invalid_request'],
		['no object', '/jobs', '[]', 400, 'invalid_request'],
		['an unknown extra field', '/jobs', '{"workflow":{},"extra_data":{"auth_token_comfy_org":"x"}}', 400, 'invalid_request'],
		['a field that is no text', '/jobs', '{"workflow":{},"extra_data":{"api_key_comfy_org":5}}', 400, 'invalid_request'],
		['a reserved field', '/jobs', '{"workflow":{},"webhook_url":"x"}', 422, 'invalid_workflow'],
		['no workflow', '/jobs', '{}', 422, 'invalid_workflow'],
		['no parts of a form', '/assets', '{}', 422, 'invalid_request'],
		['no hash', '/assets/from-hash', '{}', 422, 'invalid_request'],
	])('with %s is refused (%s)', async (_what, path, body, status, code) => {
		expect(await local.call('POST', path, { body, headers: { 'content-type': 'application/json' } })).toMatchObject({ status, code });
	});
});

describe('an upload', () => {
	test('returns the first record of the same bytes, under its first name, and ignores expires_in', async () => {
		const first = await local.upload('same bytes', { file_path: 'a.png', expires_in: '1' });
		expect(first).toMatchObject({ status: 201, json: { expires_at: null } });
		const same = { status: 200, json: { id: first.json.id, file_path: 'a.png', created_new: false } };
		expect(await local.upload('same bytes', { file_path: 'b.png' })).toMatchObject(same);
		const json = { hash: first.json.hash, file_path: 'c.png' };
		expect(await local.call('POST', '/assets/from-hash', { json })).toMatchObject({ status: 200, json: { id: first.json.id } });
	});

	test.each(['inputs/one.png', '/one.png', 'input/../../one.png', 'checkpoints/one.safetensors'])(
		'to the folder of %s is refused',
		async (file_path) => {
			expect(await local.upload(Buffer.from(file_path), { file_path })).toMatchObject({ status: 422, code: 'invalid_request' });
		},
	);

	test('is loaded by its whole path below the input folder, and by no part of the path', async () => {
		await local.upload(Buffer.concat([PNG, Buffer.from('other bytes')]), { file_path: 'input/pets/dog.png' });
		await local.upload(Buffer.concat([PNG, Buffer.from('and others')]), { file_path: 'input/cat.png' });
		expect((await local.finished(loading('pets/dog.png'))).status).toBe('succeeded');
		for (const name of ['dog.png', 'input/pets/dog.png', 'input/cat.png']) expect((await local.submit(loading(name))).status).toBe(422);
	});
});
