/** What the service, the companion proxy and storage refuse or do differently: a client that gets it wrong must not pass here. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { failing, node, picture, slowPicture, withAsset } from '../contract/graphs';
import { eventsOf } from '../contract/openApi';
import { freshBytes, hashOf, Service } from '../contract/service';

let sandbox: Sandbox;
let hosted: Service;
let deployment: Service;
let local: Service;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Service(sandbox, 'hosted');
	deployment = new Service(sandbox, 'deployment');
	local = new Service(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ workers: 4, engineCancels: true, linkLifetimeSeconds: 3600 }));

describe('the service', () => {
	test.each([
		['a key of 41 characters', { ['k'.repeat(41)]: 'x' }],
		['a key with a space', { 'a b': 'x' }],
		['257 bytes', { a: `${'ж'.repeat(128)}x` }],
		['a number', { a: 5 }],
		['a line break', { a: 'x\ny' }],
		['a character that changes the writing direction', { a: 'x\u202ey' }],
		['17 entries', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'x']))],
	])('refuses labels with %s', async (_name, metadata) => {
		expect(await deployment.submit(picture(), {}, { metadata })).toMatchObject({ status: 422, code: 'metadata_invalid' });
	});

	test('accepts the largest labels on a deployment, and none on hosted', async () => {
		const rest = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a_.-${index}`, '']));
		const metadata = { ['k'.repeat(40)]: 'ж'.repeat(128), ...rest };
		expect((await deployment.submit(picture(), {}, { metadata })).status).toBe(201);
		expect((await hosted.submit(picture(), {}, { metadata: { a: 'b' } })).code).toBe('metadata_not_supported');
	});

	test.each([
		['a label twice', 'metadata[a]=1&metadata[a]=2', 'invalid_metadata_filter'],
		['a cursor that the service did not issue', 'cursor=none-of-yours', 'invalid_cursor'],
	])('refuses a list with %s', async (_what, query, code) => {
		expect(await deployment.call('listJobs', { query })).toMatchObject({ status: 400, code });
	});

	test('refuses reserved fields, and an expires_in of less than a minute or more than a week', async () => {
		expect((await hosted.submit(picture(), {}, { inputs: {} })).code).toBe('invalid_workflow');
		for (const expires_in of ['59', '604801', 'soon'])
			expect(await hosted.upload(freshBytes('x'), { expires_in })).toMatchObject({ status: 422, code: 'invalid_body' });
	});
});

describe('storage', () => {
	const link = async (): Promise<string> => String((await hosted.upload(Buffer.from('0123456789'))).json.url);

	test.each(['authorization', 'x-api-key', 'cookie'])('refuses a request with the header "%s"', async (name) => {
		expect((await fetch(await link(), { headers: { [name]: 'Bearer secret' } })).status).toBe(400);
	});

	test('refuses a changed link, a link without a signature and an expired link', async () => {
		const signed = await link();
		for (const url of [signed.replace('image%2Fpng', 'text%2Fhtml'), signed.split('?')[0] ?? '', sandbox.urls.storage])
			expect((await fetch(url)).status).toBe(403);
		sandbox.configure({ linkLifetimeSeconds: 0 });
		expect((await fetch(await link())).status).toBe(400);
	});

	test.each([
		['bytes=2-4', 206, '234', 'bytes 2-4/10'],
		['bytes=7-', 206, '789', 'bytes 7-9/10'],
		['bytes=8-99', 206, '89', 'bytes 8-9/10'],
		['bytes=4-2', 200, '0123456789', null],
		['bytes=10-', 416, expect.stringContaining('InvalidRange'), 'bytes */10'],
	])('answers the range "%s" with status %i', async (range, status, text, contentRange) => {
		const response = await fetch(await link(), { headers: { range } });
		expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([status, text, contentRange]);
	});

	test('returns the whole file for a range of another version of it', async () => {
		const url = await link();
		const etag = (await fetch(url)).headers.get('etag') ?? '';
		const partly = async (ifRange: string) => (await fetch(url, { headers: { range: 'bytes=5-', 'if-range': ifRange } })).status;
		expect([await partly(etag), await partly('"other"')]).toEqual([206, 200]);
	});
});

describe('the companion proxy', () => {
	const started = async (graph: unknown): Promise<string> => String((await local.submit(graph)).json.id);
	const statusOf = async (operation: string, name: string) => (await local.call(operation, { name })).json.status;
	const loading = (image: string) => ({
		load: node('LoadImage', { image }),
		lost: node('SaveImage', { images: ['load', 0], filename_prefix: 'loaded' }),
	});

	test('reports no progress, times, sizes or hashes, and outputs only at the end', async () => {
		const id = await started(slowPicture(100));
		expect((await local.reads(id, ['running'])).json).toMatchObject({
			progress: { value: 0, nodes_total: 0, current_node: null },
			outputs: [],
		});
		const { json } = await local.reads(id, ['succeeded']);
		expect(json).toMatchObject({ started_at: null, completed_at: null, metadata: null, outputs: [{ size_bytes: 0, hash: null }] });
		const file = (kind: string) => ({
			file: node('SandboxFile', { name: `a.${kind}`, kind, content_type: 'video/mp4', text: kind }),
		});
		for (const kind of ['file', '3d', 'text']) expect((await local.run(file(kind))).json.outputs).toEqual([]);
		expect((await local.run(file('video'))).json.outputs).toMatchObject([{ type: 'image', content_type: 'video/mp4' }]);
		expect((await local.run(failing())).json.error).toMatchObject({ code: 'node_execution_error', traceback: null });
	});

	test('sends the final status before the outputs', async () => {
		const events = eventsOf((await local.call('streamJobEvents', { name: await started(slowPicture(3)) })).bytes);
		expect(events.slice(-2)).toMatchObject([{ name: 'status', data: { status: 'succeeded' } }, { name: 'output' }]);
	});

	test('says "canceling" in the answer to a cancel only, also where the engine has no cancel route', async () => {
		for (const [engineCancels, end] of [
			[true, 'canceled'],
			[false, 'succeeded'],
		] as const) {
			sandbox.configure({ engineCancels });
			const id = await started(slowPicture(100));
			await local.reads(id, ['running']);
			expect(await statusOf('cancelJob', id)).toBe('canceling');
			expect(['running', end]).toContain(await statusOf('getJob', id));
			await local.reads(id, [end]);
		}
		sandbox.configure({ workers: 0, engineCancels: true });
		expect(await statusOf('cancelJob', await started(picture()))).toBe('expired');
	});

	test('keeps a key used that was sent while the engine was down', async () => {
		const name = await started(picture());
		const headers = { 'idempotency-key': 'sent while down' };
		await sandbox.stopEngine();
		expect(await local.call('getJob', { name })).toMatchObject({ status: 503, code: 'upstream_unreachable' });
		expect(await local.submit(picture(), headers)).toMatchObject({ status: 503, code: 'upstream_unreachable' });
		await sandbox.startEngine();
		expect(await local.submit(picture(), headers)).toMatchObject({ status: 422, code: 'idempotency_key_reuse' });
	});

	test.each<[string, unknown, object]>([
		['assets that do not exist, by their ids', withAsset('never'), { code: 'missing_asset', details: { missing_ids: ['never'] } }],
		[
			'a class that the engine does not have, in one sentence',
			{ ...picture(), magic: node('Magic', {}) },
			{ code: 'invalid_workflow', message: 'Cannot execute because node Magic does not exist.', details: { node_errors: {} } },
		],
		[
			'a file that does not exist, by node',
			loading('none.png'),
			{ code: 'invalid_workflow', details: { node_errors: { load: { class_type: 'LoadImage', dependent_outputs: ['lost'] } } } },
		],
	])('refuses %s', async (_what, workflow, error) => {
		expect(await local.submit(workflow)).toMatchObject({ status: 422, json: { error } });
	});

	test('runs the valid half of a workflow', async () => {
		const { json } = await local.run({ ...picture(), ...loading('none.png') });
		expect(json).toMatchObject({ status: 'succeeded', outputs: [{ node_id: 'save' }] });
	});

	test('returns the first record of the same bytes, and refuses a file outside its input folder', async () => {
		const bytes = freshBytes('local');
		const { json } = await local.upload(bytes, { file_path: 'a.png' });
		for (const again of [
			await local.upload(bytes, { file_path: 'b.png' }),
			await local.call('createAssetFromHash', { json: { hash: hashOf(bytes), file_path: 'c.png' } }),
		])
			expect(again).toMatchObject({ status: 200, json: { id: json.id, file_path: 'a.png', created_new: false } });
		for (const file_path of ['inputs/one.png', '/one.png', 'input/../../one.png', 'checkpoints/one.safetensors'])
			expect(await local.upload(freshBytes('x'), { file_path })).toMatchObject({ status: 422, code: 'invalid_request' });
	});
});
