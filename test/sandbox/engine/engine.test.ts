/** A bare ComfyUI, where it differs from the service. What a real one answered, row by row: test/contract/engine. */
import { until } from '../../support/until';
import { Caller } from '../support/caller';
import { failing, picture, slowPicture } from '../support/graphs';
import { Engine } from './support';

const PROMPT_ID = '0b7e9a55-0d62-4c8d-9b6e-6f3f6f1c1a01';

let engine: Engine;
beforeEach(async () => {
	engine = await Engine.start();
});
afterEach(async () => await engine.close());

/** A new picture each time, so that no cached result ends the run. */
const forever = async (rest: Record<string, unknown> = {}): Promise<string> => await engine.started(slowPicture(1000), rest);

describe('a prompt', () => {
	test('that is sent twice with one id runs twice, and the history has the later run', async () => {
		for (const color of [1, 2]) await engine.started({ ...picture(color), ...slowPicture(100) }, { prompt_id: PROMPT_ID });
		await engine.running(PROMPT_ID);
		expect(await engine.queued()).toEqual({ running: [PROMPT_ID], pending: [PROMPT_ID] });
		const first = await engine.ended(PROMPT_ID);
		while ((await engine.queued()).running.length > 0) await engine.ended(PROMPT_ID);
		expect([first.prompt[0], (await engine.ended(PROMPT_ID)).prompt[0]]).toEqual([0, 1]);
		const run = { jobId: PROMPT_ID, surface: 'engine', idempotencyKey: undefined };
		expect(engine.sandbox.ledger.runs).toMatchObject([run, run]);
	});

	test('of the proxy has the id of its job, and is a run of the proxy', async () => {
		const proxy = new Caller(engine.sandbox, 'self_hosted');
		const { json } = await proxy.submit(picture(), { key: 'one' });
		await engine.ended(String(json.id));
		expect(engine.sandbox.ledger.runs).toMatchObject([{ surface: 'self_hosted', idempotencyKey: 'one', jobId: json.id }]);
	});

	test('with an unknown class is refused in the words of older or of newer engines', async () => {
		const prompt = { ...picture(), 7: { class_type: 'Magic', inputs: {}, _meta: { title: 'My magic' } } };
		const typeOf = async () => ((await engine.post('/prompt', { prompt })).json.error as { type: string }).type;
		expect(await typeOf()).toBe('invalid_prompt');
		engine.sandbox.configure({ engineMissingNode: 'missing_node_type' });
		expect(await typeOf()).toBe('missing_node_type');
		expect(engine.sandbox.ledger.runs).toEqual([]);
	});
});

describe('the queue', () => {
	test('an interrupt of a prompt that does not run changes nothing', async () => {
		const [running, waiting] = [await forever(), await forever()];
		await engine.running(running);
		for (const id of [waiting, 'unknown']) expect((await engine.post('/api/interrupt', { prompt_id: id })).status).toBe(200);
		expect(await engine.queued()).toEqual({ running: [running], pending: [waiting] });
		await engine.post('/interrupt', { prompt_id: running });
		expect((await engine.ended(running)).status.messages.at(-1)?.[0]).toBe('execution_interrupted');
		await engine.running(waiting);
	});

	test.each([
		['names no prompt', {}, 'by_id'],
		['names another prompt to an older engine', { prompt_id: 'another' }, 'whatever_runs'],
	] as const)('an interrupt that %s stops the running prompt', async (_what, body, engineInterrupt) => {
		engine.sandbox.configure({ engineInterrupt });
		const running = await forever();
		await engine.running(running);
		await engine.post('/interrupt', body);
		await engine.ended(running);
		expect(engine.sandbox.ledger.cancels.map(({ jobId }) => jobId)).toEqual([running]);
	});

	test('a deletion removes waiting prompts only, one for each time that it names them, without a trace', async () => {
		const running = await forever();
		await engine.running(running);
		for (let count = 0; count < 3; count++) await forever({ prompt_id: PROMPT_ID });
		await engine.post('/queue', { delete: [PROMPT_ID, running, 'unknown'] });
		expect(await engine.queued()).toEqual({ running: [running], pending: [PROMPT_ID, PROMPT_ID] });
		await engine.post('/queue', { delete: [PROMPT_ID, PROMPT_ID] });
		expect(await engine.queued()).toEqual({ running: [running], pending: [] });
		expect(await engine.get('/history')).toEqual({});
	});

	test('the history is cut by max_items and offset, and forgets what is deleted', async () => {
		const ids: string[] = [];
		for (let count = 0; count < 4; count++) ids.push(await engine.started(picture()));
		await engine.ended(ids[3] ?? '');
		const shown = async (query: string) => Object.keys(await engine.get(`/history?${query}`)).map((id) => ids.indexOf(id));
		expect([await shown(''), await shown('max_items=2'), await shown('max_items=2&offset=1')]).toEqual([
			[0, 1, 2, 3],
			[2, 3],
			[1, 2],
		]);
		await engine.post('/history', { delete: [ids[1], 'unknown'] });
		expect(await shown('')).toEqual([0, 2, 3]);
	});

	test('newer engines list and cancel jobs', async () => {
		engine.sandbox.configure({ engineJobRoutes: true });
		const [done, failed] = [await engine.started(picture()), await engine.started(failing())];
		await engine.ended(failed);
		const running = await forever();
		await engine.running(running);
		const [waiting, canceled] = [await forever(), await forever()];
		const list = async (query: string) =>
			(await engine.get<{ jobs: Array<Record<string, unknown>> }>(`/api/jobs?${query}`)).jobs.map(({ id, status }) => [id, status]);
		expect(await list('sort_order=asc')).toEqual([
			[done, 'completed'],
			[failed, 'failed'],
			[running, 'in_progress'],
			[waiting, 'pending'],
			[canceled, 'pending'],
		]);
		expect(await list('status=pending,in_progress&sort_order=asc&offset=1&limit=1')).toEqual([[waiting, 'pending']]);
		for (const query of ['status=odd', 'sort_by=name', 'sort_order=up', 'limit=0', 'offset=x'])
			expect((await engine.fetch(`/api/jobs?${query}`)).status).toBe(400);
		expect(await engine.get(`/api/jobs/${failed}`)).toMatchObject({ execution_error: { exception_type: 'OOMError' }, outputs_count: 0 });
		const cancel = async (id: string) => (await engine.post(`/api/jobs/${id}/cancel`, {})).json.cancelled;
		const canceledOf = [await cancel(canceled), await cancel(canceled), await cancel(running), await cancel(done), await cancel('unknown')];
		expect(canceledOf).toEqual([true, false, true, false, false]);
		expect((await engine.ended(running)).status.messages.at(-1)?.[0]).toBe('execution_interrupted');
	});

	test('an engine of version 0.3.64 has no job routes', async () => {
		for (const path of ['/api/jobs', '/api/jobs/x', '/api/v2/jobs/x']) expect((await engine.fetch(path)).status).toBe(404);
		expect((await engine.fetch('/api/jobs/x/cancel', { method: 'POST' })).status).toBe(405);
	});
});

describe('sockets', () => {
	test('only the client that submits a prompt hears of its execution; all hear of the queue once the history has it', async () => {
		const [submitter, other] = [await engine.connect('submitter'), await engine.connect('other')];
		const id = await engine.started(slowPicture(3), { client_id: 'submitter' });
		await other.until(() => (other.texts.length === 4 ? true : undefined));
		expect(Object.keys(await engine.get('/history'))).toEqual([id]);
		await submitter.ended(id);
		expect([submitter.problems, submitter.binaries.length, other.binaries.length]).toEqual([[], 3, 0]);
		expect(submitter.texts.slice(-3).map(({ type }) => type)).toEqual(['execution_success', 'status', 'executing']);
		expect(new Set(other.texts.map(({ type }) => type))).toEqual(new Set(['status']));
		const nameless = await engine.started(picture());
		await engine.ended(nameless);
		expect(submitter.texts.filter(({ data }) => data.prompt_id === nameless)).toEqual([]);
	});

	test('a second connection of a client id replaces the first, which takes the second with it when it closes', async () => {
		const first = await engine.connect('twice');
		const id = await engine.started(slowPicture(1000), { client_id: 'twice' });
		await first.next('progress', id);
		const second = await engine.connect('twice');
		const heard = first.texts.length;
		expect((await second.next('executing')).data).toEqual({ node: 'sample' });
		await engine.post('/interrupt', {});
		await second.next('execution_interrupted', id);
		expect([first.texts.length, engine.sandbox.sockets('engine').length]).toEqual([heard, 2]);
		await first.close();
		await until(() => engine.sandbox.sockets('engine').length === 1);
		const heardBySecond = second.texts.length;
		await engine.ended(await engine.started(picture(), { client_id: 'twice' }));
		await engine.connect('other');
		expect(second.texts).toHaveLength(heardBySecond);
	});
});

describe('the server', () => {
	test('a restart loses queue, history and connections, but no files, and counts from 0', async () => {
		const done = await engine.started(picture());
		await engine.ended(done);
		await engine.upload('kept', 'kept.txt');
		const [running, waiting, listener] = [await forever(), await forever(), await engine.connect('me')];
		await engine.running(running);
		engine.sandbox.restartEngine();
		await listener.closed;
		expect([await engine.queued(), await engine.get('/history')]).toEqual([{ running: [], pending: [] }, {}]);
		const proxy = new Caller(engine.sandbox, 'self_hosted');
		for (const id of [done, running, waiting]) expect((await proxy.read(id)).status).toBe('expired');
		for (const query of [{ filename: 'kept.txt', type: 'input' }, { filename: 'picture_00001_.png' }])
			expect((await engine.view(query as Record<string, string>)).status).toBe(200);
		expect((await engine.post('/prompt', { prompt: picture() })).json.number).toBe(0);
	});

	test('faults hit each route by its own name', async () => {
		engine.sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'drop_after' } });
		await expect(engine.post('/api/prompt', { prompt: picture(), prompt_id: 'a' })).rejects.toThrow('fetch failed');
		engine.sandbox.inject({ on: 'POST /prompt', surface: 'engine', fault: { kind: 'duplicate' } });
		await engine.started(picture(), { prompt_id: 'b' });
		expect(engine.sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual(['a', 'b', 'b']);
		engine.sandbox.inject({ on: 'GET /history/:id', surface: 'engine', answer: { status: 502, html: true } });
		expect((await engine.fetch('/history/a')).status).toBe(502);
		engine.sandbox.inject({ on: 'GET /ws', surface: 'engine', fault: { kind: 'lost_socket', afterFrames: 1 } });
		const lost = await engine.connect('unlucky');
		await lost.closed;
		expect(lost.texts).toHaveLength(1);
	});
});
