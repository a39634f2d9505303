/** A bare ComfyUI, where it differs from the service. What a real one answered, row by row: test/contract/engine. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { picture, slowPicture } from '../contract/graphs';
import { Listener } from '../contract/v1/listener';
import { until } from '../support/until';

const PROMPT_ID = '0b7e9a55-0d62-4c8d-9b6e-6f3f6f1c1a01';

let sandbox: Sandbox;
const listeners: Listener[] = [];
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(async () => {
	for (const listener of listeners.splice(0)) await listener.close();
	await sandbox.close();
});

const post = async (path: string, json: unknown): Promise<Response> =>
	await fetch(`${sandbox.urls.engine}${path}`, { method: 'POST', body: JSON.stringify(json) });
const read = async <Body>(path: string): Promise<Body> => (await (await fetch(`${sandbox.urls.engine}${path}`)).json()) as Body;

async function started(prompt: unknown, rest: object = {}): Promise<string> {
	return ((await (await post('/prompt', { prompt, ...rest })).json()) as { prompt_id: string }).prompt_id;
}

/** A new picture each time, so that no cached result ends the run. */
const forever = async (rest: object = {}): Promise<string> => await started(slowPicture(1000), rest);
const running = async (id: string): Promise<void> =>
	await until(() => sandbox.ledger.executedNodes.some(({ jobId, nodeId }) => jobId === id && nodeId === 'image'));

async function queued() {
	const { queue_running, queue_pending } = await read<Record<'queue_running' | 'queue_pending', unknown[][]>>('/queue');
	return { running: queue_running.map(([, id]) => id), pending: queue_pending.map(([, id]) => id) };
}

/** Resolves once the engine has sent its first status. */
async function connect(clientId: string): Promise<Listener> {
	const listener = await Listener.open(`${sandbox.urls.engine}/ws?clientId=${clientId}`);
	listeners.push(listener);
	await listener.next('status');
	return listener;
}

test('a prompt that is sent twice with one id runs twice', async () => {
	for (let count = 0; count < 2; count++) await started(slowPicture(100), { prompt_id: PROMPT_ID });
	await running(PROMPT_ID);
	expect(await queued()).toEqual({ running: [PROMPT_ID], pending: [PROMPT_ID] });
	const run = { jobId: PROMPT_ID, surface: 'engine', idempotencyKey: undefined };
	expect(sandbox.ledger.runs).toMatchObject([run, run]);
});

test.each([
	['that names no prompt', {}, 'by_id', true],
	['that names another prompt', { prompt_id: 'another' }, 'by_id', false],
	['that names another prompt to an older engine', { prompt_id: 'another' }, 'whatever_runs', true],
] as const)('an interrupt %s stops the running prompt or none', async (_what, body, engineInterrupt, stops) => {
	sandbox.configure({ engineInterrupt });
	const id = await forever();
	await running(id);
	await post('/interrupt', body);
	expect(sandbox.ledger.cancels.map(({ jobId }) => jobId)).toEqual(stops ? [id] : []);
});

test('a deletion removes waiting prompts only, one for each time that it names them, without a trace', async () => {
	const first = await forever();
	await running(first);
	for (let count = 0; count < 3; count++) await forever({ prompt_id: PROMPT_ID });
	await post('/queue', { delete: [PROMPT_ID, first, 'unknown'] });
	expect(await queued()).toEqual({ running: [first], pending: [PROMPT_ID, PROMPT_ID] });
	await post('/queue', { delete: [PROMPT_ID, PROMPT_ID] });
	expect(await queued()).toEqual({ running: [first], pending: [] });
	expect(await read('/history')).toEqual({});
});

test('only the client that submits a prompt hears of its execution; all hear of the queue once the history has it', async () => {
	const [submitter, other] = [await connect('submitter'), await connect('other')];
	const id = await started(slowPicture(3), { client_id: 'submitter' });
	await other.until(() => (other.texts.length === 4 ? true : undefined));
	expect(Object.keys(await read('/history'))).toEqual([id]);
	await submitter.ended(id);
	expect([submitter.problems, submitter.binaries.length, other.binaries.length]).toEqual([[], 3, 0]);
	expect(new Set(other.texts.map(({ type }) => type))).toEqual(new Set(['status']));
});

test('a second connection of a client id replaces the first', async () => {
	const first = await connect('twice');
	const id = await forever({ client_id: 'twice' });
	await first.next('progress', id);
	const second = await connect('twice');
	const heard = first.texts.length;
	await post('/interrupt', {});
	await second.next('execution_interrupted', id);
	expect(first.texts).toHaveLength(heard);
});

test('a restart loses queue, history and connections, and counts from 0', async () => {
	const done = await started(picture());
	await until(() => sandbox.job(done)?.status === 'succeeded');
	const [first, listener] = [await forever(), await connect('me')];
	await forever();
	await running(first);
	sandbox.restartEngine();
	await listener.closed;
	expect([await queued(), await read('/history')]).toEqual([{ running: [], pending: [] }, {}]);
	expect(await (await post('/prompt', { prompt: picture() })).json()).toMatchObject({ number: 0 });
});
