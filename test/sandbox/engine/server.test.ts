/** The engine's web server: what it has, what stands before it, and whether it is there. */
import WebSocket from 'ws';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { describeSandbox, describeSandboxAsJson } from '../../../sandbox/describeSandbox';
import { Listener } from '../../contract/v1/listener';
import { Caller } from '../support/caller';
import { picture, slowPicture } from '../support/graphs';
import { Engine } from './support/engine';

let sandbox: Sandbox;
let engine: Engine;
async function open(options: Parameters<typeof startSandbox>[0] = {}): Promise<void> {
	sandbox = await startSandbox(options);
	engine = new Engine(sandbox);
}
afterEach(async () => await sandbox.close());

/** The status in place of an upgrade, or 101. */
const upgraded = async (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
	await new Promise((resolve) => {
		const socket = new WebSocket(url.replace('http', 'ws'), { headers });
		socket.once('open', () => {
			socket.terminate();
			resolve(101);
		});
		socket.once('unexpected-response', (_request, response) => {
			resolve(response.statusCode);
			response.resume();
		});
		socket.once('error', () => undefined);
	});

const refusedWith = async (): Promise<unknown> =>
	await engine.fetch('/queue').then(
		({ status }) => status,
		(error: Error) => (error.cause as { code?: string }).code,
	);

test('it says what it is and what it has', async () => {
	await open();
	for (const prefix of ['', '/api']) {
		const all = await engine.get(`${prefix}/object_info`);
		expect(all).toHaveProperty('SaveImage');
		expect(await engine.get(`${prefix}/object_info/SaveImage`)).toEqual({ SaveImage: all.SaveImage });
		expect(await engine.get(`${prefix}/object_info/Magic`)).toEqual({});
		expect(await engine.get(`${prefix}/system_stats`)).toMatchObject({ system: { comfyui_version: '0.3.64' }, devices: [{ name: 'cpu' }] });
		expect(await engine.get(`${prefix}/features`)).toEqual({ supports_preview_metadata: true, max_upload_size: 104_857_600 });
		expect(await engine.get(`${prefix}/embeddings`)).toEqual([]);
	}
	expect((await engine.fetch('/')).headers.get('content-type')).toContain('text/html');
});

test.each([
	['GET', '/nowhere', 404, 'application/octet-stream', ''],
	['GET', '/api/v2/jobs/x', 404, 'application/octet-stream', ''],
	['GET', '/upload/image', 404, 'application/octet-stream', ''],
	['POST', '/api/v2/jobs', 405, 'text/plain; charset=utf-8', '405: Method Not Allowed'],
	['PUT', '/prompt', 405, 'text/plain; charset=utf-8', '405: Method Not Allowed'],
	['DELETE', '/nowhere', 405, 'text/plain; charset=utf-8', '405: Method Not Allowed'],
])('%s %s is answered %i, as %s', async (method, path, status, type, text) => {
	await open();
	const answer = await engine.fetch(path, { method });
	expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([status, type, text]);
});

test('a front asks for its password, of WebSockets as well', async () => {
	const engineAuthorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
	await open({ engineAuthorization });
	for (const path of ['/queue', '/api/prompt', '/nowhere', '/ws']) {
		const answer = await engine.fetch(path, { headers: { authorization: 'Basic wrong' } });
		expect([answer.status, answer.headers.get('content-type'), answer.headers.get('www-authenticate')]).toEqual([
			401,
			'text/html; charset=utf-8',
			'Basic realm="ComfyUI"',
		]);
		expect(await answer.text()).toContain('<html>');
	}
	expect((await engine.fetch('/queue', { headers: { authorization: engineAuthorization } })).status).toBe(200);
	expect(await upgraded(`${sandbox.urls.engine}/ws`)).toBe(401);
	expect(await upgraded(`${sandbox.urls.engine}/ws`, { authorization: engineAuthorization })).toBe(101);
	sandbox.configure({ engineAuthorization: null });
	expect((await engine.fetch('/queue')).status).toBe(200);
	expect(sandbox.requests('GET /queue', 'engine').map(({ status }) => status)).toEqual([401, 200, 200]);
});

test('it can be mounted below a path of its own', async () => {
	await open({ engineMount: '/comfy', mountPrefix: '/gateway' });
	expect(sandbox.urls.engine).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/comfy$/);
	for (const path of ['/prompt', '/api/prompt']) expect((await engine.post(path, { prompt: picture() })).status).toBe(200);
	expect(await upgraded(`${sandbox.urls.engine}/ws`)).toBe(101);
	const { origin } = new URL(sandbox.urls.engine);
	expect([(await fetch(`${origin}/prompt`)).status, await upgraded(`${origin}/ws`)]).toEqual([404, 404]);
	expect(sandbox.requests('POST /api/prompt', 'engine')).toMatchObject([{ path: '/api/prompt', url: `${sandbox.urls.engine}/api/prompt` }]);
});

test('it can be away for a while, and comes back on the same port', async () => {
	await open();
	const id = await engine.started(slowPicture(20));
	const listener = await engine.connect('me');
	await sandbox.stopEngine();
	await listener.closed;
	await sandbox.stopEngine();
	expect(await refusedWith()).toBe('ECONNREFUSED');
	await sandbox.startEngine();
	expect((await engine.ended(id)).status.status_str).toBe('success');
	expect((await engine.connect('me')).texts).toHaveLength(1);
	await engine.disconnect();
	await sandbox.stopEngine();
});

test('a process that ends takes its queue and history along, but not its files', async () => {
	await open();
	const done = await engine.started(picture());
	await engine.ended(done);
	await engine.upload(Buffer.from('kept'), 'kept.txt');
	const twice = 'e7a9b6d2-5f0a-4a6b-9a52-3f1f3f6c5d10';
	for (let count = 0; count < 2; count++) await engine.started(slowPicture(1000), { prompt_id: twice });
	await engine.running(twice);
	await sandbox.stopEngine();
	sandbox.restartEngine();
	await sandbox.startEngine();
	expect([await engine.queued(), await engine.get('/history')]).toEqual([{ running: [], pending: [] }, {}]);
	const texts = await Promise.all(
		['filename=kept.txt&type=input', 'filename=picture_00001_.png'].map(async (query) => (await engine.fetch(`/view?${query}`)).status),
	);
	expect(texts).toEqual([200, 200]);
	const { json } = await engine.post('/prompt', { prompt: picture() });
	expect(json.number).toBe(0);
	await engine.ended(String(json.prompt_id));
});

test('the proxy gives its jobs the ids of their prompts', async () => {
	await open();
	const proxy = new Caller(sandbox, 'self_hosted');
	const id = await proxy.started(picture());
	await proxy.read(id, 'succeeded');
	expect(Object.keys(await engine.get('/history'))).toEqual([id]);
});

test('faults hit each of its paths by its own name', async () => {
	await open();
	const lost = sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'drop_after' } });
	await expect(engine.post('/api/prompt', { prompt: picture(), prompt_id: 'a' })).rejects.toThrow('fetch failed');
	expect([lost.used, sandbox.ledger.runs.length]).toEqual([1, 1]);
	sandbox.inject({ on: 'POST /upload/image', surface: 'engine', fault: { kind: 'drop_before' } });
	await expect(engine.upload(Buffer.from('x'), 'x.txt')).rejects.toThrow('fetch failed');
	expect((await engine.fetch('/view?filename=x.txt&type=input')).status).toBe(404);
	sandbox.inject({ on: 'POST /prompt', surface: 'engine', fault: { kind: 'duplicate' } });
	await engine.post('/prompt', { prompt: picture(), prompt_id: 'b' });
	expect(sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual(['a', 'b', 'b']);
	sandbox.inject({ on: 'GET /history/:id', surface: 'engine', answer: { status: 502, html: true } });
	expect((await engine.fetch('/history/a')).status).toBe(502);
	expect(sandbox.requests('POST /api/prompt', 'engine')).toHaveLength(1);
});

test('a nameless run is heard of by nobody', async () => {
	await open();
	const listener = await Listener.open(`${sandbox.urls.engine}/ws?clientId=me`);
	await engine.ended(await engine.started(picture()));
	await listener.close();
	expect(new Set(listener.texts.map(({ type }) => type))).toEqual(new Set(['status']));
});

test('descriptions name it', async () => {
	await open({ engineMount: '/comfy' });
	expect(JSON.parse(describeSandboxAsJson(sandbox))).toMatchObject({ engine: sandbox.urls.engine });
	expect(describeSandbox(sandbox)).toContain(sandbox.urls.engine);
});
