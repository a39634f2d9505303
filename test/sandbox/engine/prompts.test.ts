/** The engine's HTTP routes: prompts, queue, history, files. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { everyKind } from '../../contract/graphs';
import { Caller } from '../support/caller';
import { failing, picture, slowPicture, withAsset } from '../support/graphs';
import { Engine } from './support/engine';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let sandbox: Sandbox;
let engine: Engine;
let proxy: Caller;
beforeAll(async () => {
	sandbox = await startSandbox({ workers: 1 });
	engine = new Engine(sandbox);
	proxy = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());

test.each(['', '/api'])('a prompt to %s/prompt runs, and ends in the history', async (prefix) => {
	const graph = picture();
	const { status, json } = await engine.post(`${prefix}/prompt`, {
		prompt: graph,
		client_id: 'me',
		extra_data: { extra_pnginfo: {}, api_key_comfy_org: sandbox.keys.partnerKey },
	});
	expect([status, json]).toEqual([200, { prompt_id: expect.stringMatching(UUID), number: expect.any(Number), node_errors: {} }]);
	const id = String(json.prompt_id);
	const entry = await engine.ended(id);
	expect(entry).toEqual({
		prompt: [json.number, id, graph, { extra_pnginfo: {}, client_id: 'me' }, ['save']],
		outputs: { save: { images: [{ filename: expect.stringMatching(/^picture_0000\d_\.png$/), subfolder: '', type: 'output' }] } },
		status: {
			status_str: 'success',
			completed: true,
			messages: [
				['execution_start', { prompt_id: id, timestamp: expect.any(Number) }],
				['execution_cached', { nodes: [], prompt_id: id, timestamp: expect.any(Number) }],
				['execution_success', { prompt_id: id, timestamp: expect.any(Number) }],
			],
		},
		meta: { save: { node_id: 'save', display_node: 'save', parent_node: null, real_node_id: 'save' } },
	});
	expect((await engine.get(`${prefix}/history`))[id]).toEqual(entry);
	expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId: id, surface: 'engine', partnerKeyField: 'api_key_comfy_org' });
});

test('a prompt has the id and the number that its sender asks for', async () => {
	const id = '7a1c1f3e-6a5b-4a57-9d2f-0d3f0a8f6f11';
	expect((await engine.post('/prompt', { prompt: picture(), prompt_id: id, number: -7 })).json).toMatchObject({
		prompt_id: id,
		number: -7,
	});
	expect((await engine.post('/prompt', { prompt: picture(), front: true })).json.number).toBeLessThan(0);
	expect((await engine.ended(id)).prompt.slice(0, 2)).toEqual([-7, id]);
});

test.each([
	['no prompt', {}, 'no_prompt'],
	['an unknown class', { prompt: { magic: { class_type: 'MagicNode', inputs: {} } } }, 'invalid_prompt'],
	['a graph without outputs', { prompt: { image: picture().image } }, 'prompt_no_outputs'],
	[
		'a bad value',
		{ prompt: { ...picture(), image: { class_type: 'EmptyImage', inputs: { width: 'wide' } } } },
		'prompt_outputs_failed_validation',
	],
])('%s is refused', async (_, body, type) => {
	const { status, json } = await engine.post('/prompt', body);
	expect([status, json]).toEqual([
		400,
		{
			error: { type, message: expect.any(String), details: expect.any(String), extra_info: expect.any(Object) },
			node_errors: expect.any(Object),
		},
	]);
	if (type === 'prompt_outputs_failed_validation') expect(Object.keys(json.node_errors as object)).toEqual(['image']);
});

test('a job of the proxy is a prompt of the engine, under its own client id, with file names for assets', async () => {
	const pixel = await engine.fetch(`/view?filename=picture_00001_.png`);
	const { json } = await proxy.upload(Buffer.from(await pixel.arrayBuffer()));
	const id = await proxy.started(withAsset(String(json.id)));
	await proxy.read(id, 'succeeded');
	const { prompt } = await engine.ended(id);
	expect(prompt[1]).toBe(id);
	expect(prompt[2]).toMatchObject({ load: { inputs: { image: 'cat.png' } } });
	expect(prompt[3]).toEqual({ client_id: id });
});

test('the queue shows what runs and what waits; only what waits can be deleted, and leaves no trace', async () => {
	const [running, waiting] = [await engine.started(slowPicture(1000)), await engine.started(slowPicture(1000))];
	while ((await engine.queued()).running.length === 0);
	expect(await engine.queued()).toEqual({ running: [running], pending: [waiting] });
	expect(await engine.get('/prompt')).toEqual({ exec_info: { queue_remaining: 2 } });
	const { queue_pending } = await engine.get<{ queue_pending: unknown[][] }>('/api/queue');
	expect(queue_pending[0]).toEqual([expect.any(Number), waiting, expect.objectContaining({ sample: expect.any(Object) }), {}, ['save']]);
	expect(await engine.get(`/history/${running}`)).toEqual({});

	expect(await engine.post('/queue', { delete: [running, waiting] })).toMatchObject({ status: 200, text: '' });
	expect(await engine.queued()).toEqual({ running: [running], pending: [] });
	expect(await engine.get(`/history/${waiting}`)).toEqual({});
	expect((await proxy.read(waiting)).status).toBe('expired');
	await engine.post('/interrupt', {});
	expect((await engine.ended(running)).status).toMatchObject({ status_str: 'error', completed: false });
});

test('an interrupt names one prompt, or stops whatever runs', async () => {
	sandbox.configure({ workers: 2, engineConcurrency: 2 });
	const [first, second] = [await engine.started(slowPicture(1000)), await engine.started(slowPicture(1000))];
	while ((await engine.queued()).running.length < 2);
	await engine.post('/interrupt', { prompt_id: second });
	const { status } = await engine.ended(second);
	expect(status.messages.at(-1)).toEqual([
		'execution_interrupted',
		expect.objectContaining({ prompt_id: second, node_id: 'sample', node_type: 'SandboxSampler' }),
	]);
	expect((await engine.queued()).running).toEqual([first]);
	await engine.fetch('/interrupt', { method: 'POST' });
	await engine.ended(first);
	expect(sandbox.ledger.cancels.slice(-2).map(({ jobId }) => jobId)).toEqual([second, first]);
	sandbox.configure({ workers: 1, engineConcurrency: 1 });
});

test('a failure stands in the history with its node and exception', async () => {
	const { status, outputs } = await engine.ended(await engine.started(failing()));
	expect([status.status_str, status.completed, outputs]).toEqual(['error', false, {}]);
	expect(status.messages.at(-1)).toEqual([
		'execution_error',
		expect.objectContaining({
			node_id: 'fail',
			exception_type: 'OOMError',
			exception_message: 'out of memory',
			traceback: expect.any(Array),
		}),
	]);
});

test('outputs are told by kind, videos as pictures, and those as well that the proxy drops', async () => {
	const id = await engine.started(everyKind());
	const { outputs } = await engine.ended(id);
	expect(Object.fromEntries(Object.entries(outputs).map(([node, output]) => [node, Object.keys(output)]))).toEqual({
		saveVideo: ['images', 'animated'],
		saveAudio: ['audio'],
		saveText: ['text'],
		saveLatent: ['latents'],
		saveMesh: ['3d'],
		strange: ['3d'],
		save: ['images'],
	});
	const { outputs: shown } = (await proxy.read(id)) as { outputs: Array<{ node_id: string }> };
	expect(shown.map(({ node_id }) => node_id).sort()).toEqual(['save', 'saveAudio', 'saveLatent', 'saveVideo']);
});

test('max_items gives the newest', async () => {
	const ids = [await engine.started(picture()), await engine.started(picture()), await engine.started(picture())];
	await engine.ended(String(ids[2]));
	expect(Object.keys(await engine.get('/history?max_items=2'))).toEqual(ids.slice(1));
	expect(Object.keys(await engine.get('/history?max_items=0'))).toEqual([]);
});

test('view gives the bytes, or a part of them', async () => {
	await engine.ended(
		await engine.started({ note: { class_type: 'SaveText', inputs: { text: 'what stands in it', filename_prefix: 'note' } } }),
	);
	const view = async (query: string, headers: Record<string, string> = {}) => await engine.fetch(`/view?${query}`, { headers });
	const whole = await view('filename=note_00001_.txt&subfolder=&type=output');
	expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([200, 'text/plain', 'what stands in it']);
	const part = await view('filename=note_00001_.txt', { range: 'bytes=5-10' });
	expect([part.status, await part.text()]).toEqual([206, 'stands']);
	expect((await view('filename=note_00001_.txt', { range: 'bytes=100-' })).status).toBe(416);
	expect((await view('filename=note_00001_.txt&type=temp')).status).toBe(404);
	expect((await view('type=output')).status).toBe(404);
	await engine.ended(await engine.started({ ...picture(), shown: { class_type: 'PreviewImage', inputs: { images: ['image', 0] } } }));
	expect((await view('filename=ComfyUI_temp_00001_.png&type=temp')).headers.get('content-type')).toBe('image/png');
	expect((await view('filename=cat.png&type=input')).status).toBe(200);
});

test('system_stats says what it is', async () => {
	expect(await engine.get('/system_stats')).toMatchObject({ system: { comfyui_version: expect.any(String) }, devices: expect.any(Array) });
});
