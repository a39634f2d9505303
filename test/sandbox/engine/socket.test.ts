/** The engine's WebSocket: who hears what. */
import { until } from '../../support/until';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { Caller } from '../support/caller';
import { failing, picture, slowPicture } from '../support/graphs';
import { Engine, remaining } from './support/engine';

let sandbox: Sandbox;
let engine: Engine;
let proxy: Caller;
beforeAll(async () => {
	sandbox = await startSandbox({ workers: 1 });
	engine = new Engine(sandbox);
	proxy = new Caller(sandbox, 'self_hosted');
});
afterAll(async () => await sandbox.close());
afterEach(async () => {
	sandbox.clearFaults();
	sandbox.configure({ engineUploadLimitBytes: 100 * 1024 * 1024 });
	await engine.disconnect();
});

test.each(['/ws', '/api/ws'])('the first frame on %s is a status with the sid', async (path) => {
	const named = await engine.connect('somebody', path);
	expect(named.texts[0]).toEqual({ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'somebody' } });
	const nameless = await engine.connect(undefined, path);
	expect(nameless.texts[0]?.data.sid).toMatch(/^[0-9a-f]{32}$/);
	expect(sandbox.sockets('engine').map(({ clientId }) => clientId)).toEqual(['somebody', null]);
});

test('only who submits a prompt hears of its execution; everybody hears of the queue', async () => {
	const [submitter, other] = [await engine.connect('submitter'), await engine.connect('other')];
	const id = await engine.started(slowPicture(3), { client_id: 'submitter' });
	await submitter.ended(id);
	await until(() => remaining(other).length === 4);
	expect(submitter.problems).toEqual([]);
	expect(new Set(submitter.texts.map(({ type }) => type))).toEqual(
		new Set(['status', 'execution_start', 'execution_cached', 'executing', 'progress', 'progress_state', 'executed', 'execution_success']),
	);
	expect(submitter.binaries.map(({ code }) => code)).toEqual([1, 1, 1]);
	expect(remaining(other)).toEqual([0, 1, 1, 0]);
	expect([other.texts.length, other.binaries.length]).toEqual([4, 0]);
});

test('a status comes only once the history has the prompt', async () => {
	const other = await engine.connect('other');
	const id = await engine.started(picture());
	await other.until(() => (remaining(other).length === 4 ? true : undefined));
	expect(Object.keys(await engine.get(`/history/${id}`))).toEqual([id]);
});

test('a run ends with its outcome, the status of the queue, and an empty executing frame, in this order', async () => {
	const client = await engine.connect('me');
	const id = await engine.started(picture(), { client_id: 'me' });
	await client.ended(id);
	expect(client.texts.slice(-3).map(({ type }) => type)).toEqual(['execution_success', 'status', 'executing']);
	expect(remaining(client)).toEqual([0, 1, 1, 0]);
});

test('a job of the proxy has its own id as client id', async () => {
	const other = await engine.connect('other');
	sandbox.configure({ workers: 0 });
	const id = await proxy.started(failing());
	const owner = await engine.connect(id);
	sandbox.configure({ workers: 1 });
	expect((await owner.next('execution_error', id)).data).toMatchObject({ node_id: 'fail', exception_type: 'OOMError' });
	await owner.ended(id);
	await until(() => remaining(other).at(-1) === 0);
	expect(new Set(other.texts.map(({ type }) => type))).toEqual(new Set(['status']));
});

test('a second connection with the same client id takes the place of the first, and hears where the prompt stands', async () => {
	const first = await engine.connect('twice');
	const id = await engine.started(slowPicture(1000), { client_id: 'twice' });
	await first.next('progress', id);
	const second = await engine.connect('twice');
	const heard = first.texts.length;
	expect((await second.next('executing')).data).toEqual({ node: 'sample' });
	await second.next('progress', id);
	await engine.post('/interrupt', {});
	expect((await second.next('execution_interrupted', id)).data).toMatchObject({ node_id: 'sample' });
	expect([first.texts.length, sandbox.sockets('engine')]).toEqual([heard, [expect.anything(), expect.anything()]]);
});

test('when the first of two connections with the same client id closes, the second hears nothing more', async () => {
	const [first, second] = [await engine.connect('twice'), await engine.connect('twice')];
	await first.close();
	await until(() => sandbox.sockets('engine').length === 1);
	await engine.ended(await engine.started(picture(), { client_id: 'twice' }));
	await engine.connect('other');
	expect(second.texts).toHaveLength(1);
});

test('feature flags are answered, and turn on previews with metadata', async () => {
	sandbox.configure({ engineUploadLimitBytes: 1_000 });
	const client = await engine.connect('modern');
	for (const text of ['no json', 'null', '{"type":"other"}']) client.socket.send(text);
	client.socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
	expect((await client.next('feature_flags')).data).toEqual({ supports_preview_metadata: true, max_upload_size: 1_000 });
	expect(client.of('feature_flags')).toHaveLength(1);
	const id = await engine.started(slowPicture(1), { client_id: 'modern' });
	await client.ended(id);
	expect(client.binaries).toMatchObject([{ code: 4, metadata: { node_id: 'sample', prompt_id: id } }]);
});

test('a restart loses queue, history and connections; statuses go on after the next connection', async () => {
	const done = await engine.started(picture());
	await engine.ended(done);
	const [running, waiting] = [await proxy.started(slowPicture(1000)), await engine.started(slowPicture(1000))];
	await proxy.read(running, 'running');
	const before = await engine.connect('me');
	sandbox.restartEngine();
	await before.closed;
	expect([await engine.get('/history'), await engine.queued()]).toEqual([{}, { running: [], pending: [] }]);
	for (const id of [done, running, waiting]) expect((await proxy.read(id)).status).toBe('expired');

	const after = await engine.connect('me');
	expect(remaining(after)).toEqual([0]);
	const next = await engine.started(picture(), { client_id: 'me' });
	await after.ended(next);
	await until(() => remaining(after).length === 4);
	expect(remaining(after)).toEqual([0, 1, 1, 0]);
	expect(Object.keys(await engine.get('/history'))).toEqual([next]);
});

test('socket faults hit the engine as well', async () => {
	sandbox.inject({ on: 'GET /ws', surface: 'engine', fault: { kind: 'lost_socket', afterFrames: 1 } });
	const lost = await engine.connect('unlucky');
	await lost.closed;
	expect(lost.texts).toHaveLength(1);
	sandbox.inject({ on: 'GET /ws', surface: 'engine', answer: { status: 503 } });
	await expect(engine.connect('unlucky')).rejects.toThrow('503');
	expect(sandbox.requests('GET /ws', 'engine').at(-1)?.status).toBe(503);
	expect((await engine.fetch('/ws')).status).toBe(400);
});
