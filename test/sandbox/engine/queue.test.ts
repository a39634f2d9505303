/** Queue, interrupt and history of the engine, row by row. */
import { failing, picture, slowPicture } from '../support/graphs';
import { useFreshEngine } from './support/engine';

const fresh = useFreshEngine();

const forever = async (rest: Record<string, unknown> = {}): Promise<string> => await fresh.engine.started(slowPicture(1000), rest);

test('an interrupt of a prompt that does not run does nothing', async () => {
	const [running, waiting] = [await forever(), await forever()];
	await fresh.engine.running(running);
	for (const id of [waiting, 'unknown'])
		expect(await fresh.engine.post('/api/interrupt', { prompt_id: id })).toMatchObject({ status: 200, text: '' });
	expect(await fresh.engine.queued()).toEqual({ running: [running], pending: [waiting] });
	await fresh.engine.post('/interrupt', { prompt_id: running });
	const { status } = await fresh.engine.ended(running);
	expect([status.status_str, status.completed, status.messages.at(-1)?.[0]]).toEqual(['error', false, 'execution_interrupted']);
	await fresh.engine.running(waiting);
});

test.each([[undefined], ['{}'], ['no json'], ['{"prompt_id":""}']])(
	'an interrupt that names no prompt stops whatever runs: %s',
	async (body) => {
		const running = await forever();
		await fresh.engine.running(running);
		expect((await fresh.engine.fetch('/interrupt', { method: 'POST', ...(body !== undefined && { body }) })).status).toBe(200);
		await fresh.engine.ended(running);
	},
);

test('an older engine pays no heed to the prompt that an interrupt names', async () => {
	fresh.sandbox.configure({ engineInterrupt: 'whatever_runs' });
	const running = await forever();
	await fresh.engine.running(running);
	await fresh.engine.post('/interrupt', { prompt_id: 'another' });
	await fresh.engine.ended(running);
});

test('a deletion takes pending prompts only, one for each time it names them', async () => {
	const id = '1c9c7a3e-3b7e-4f0e-8d3a-0a4a6e1f7b22';
	const running = await forever();
	await fresh.engine.running(running);
	for (let count = 0; count < 3; count++) await forever({ prompt_id: id });
	await fresh.engine.post('/queue', { delete: [id, running, 'unknown'] });
	expect(await fresh.engine.queued()).toEqual({ running: [running], pending: [id, id] });
	await fresh.engine.post('/queue', { delete: [id, id] });
	expect(await fresh.engine.queued()).toEqual({ running: [running], pending: [] });
	expect([await fresh.engine.get(`/history/${id}`), await fresh.engine.get('/history')]).toEqual([{}, {}]);
});

test('clearing takes all that is pending', async () => {
	const running = await forever();
	await fresh.engine.running(running);
	for (let count = 0; count < 3; count++) await forever();
	expect(await fresh.engine.post('/api/queue', { clear: true })).toMatchObject({ status: 200, text: '' });
	expect(await fresh.engine.queued()).toEqual({ running: [running], pending: [] });
});

test('the history is cut by max_items and offset, and forgets what it is told to', async () => {
	const ids: string[] = [];
	for (let count = 0; count < 4; count++) ids.push(await fresh.engine.started(picture()));
	await fresh.engine.ended(ids[3] ?? '');
	const shown = async (query: string) => Object.keys(await fresh.engine.get(`/history?${query}`)).map((id) => ids.indexOf(id));
	expect(await shown('')).toEqual([0, 1, 2, 3]);
	expect(await shown('max_items=2')).toEqual([2, 3]);
	expect(await shown('max_items=2&offset=1')).toEqual([1, 2]);
	expect(await shown('offset=3')).toEqual([3]);
	expect(await fresh.engine.post('/history', { delete: [ids[1], 'unknown'] })).toMatchObject({ status: 200, text: '' });
	expect(await shown('')).toEqual([0, 2, 3]);
	await fresh.engine.post('/api/history', { clear: true });
	expect(await shown('')).toEqual([]);
});

test('the keys of a node tell what it has made: videos are pictures that move, shown texts stand for themselves', async () => {
	const file = (kind: string, type: string) => ({
		class_type: 'SandboxFile',
		inputs: { name: `a.${kind}`, kind, content_type: type, text: kind },
	});
	const id = await fresh.engine.started({
		seven: { class_type: 'PrimitiveInt', inputs: { value: 7 } },
		shown: { class_type: 'PreviewAny', inputs: { source: ['seven', 0] } },
		video: file('video', 'video/mp4'),
		gif: file('gif', 'image/gif'),
		mesh: file('file', 'model/gltf-binary'),
	});
	const reported = (filename: string) => [{ filename, subfolder: '', type: 'output' }];
	expect((await fresh.engine.ended(id)).outputs).toEqual({
		shown: { text: ['7'] },
		video: { images: reported('a.video'), animated: [true] },
		gif: { gifs: reported('a.gif') },
		mesh: { '3d': reported('a.file') },
	});
});

test('savers count on past files that are there; a remembered result keeps its name', async () => {
	const names = [];
	const graph = picture();
	for (const prompt of [graph, picture(), graph])
		names.push(
			Object.values((await fresh.engine.ended(await fresh.engine.started(prompt))).outputs).map(({ images }) => images?.[0]?.filename),
		);
	expect(names).toEqual([['picture_00001_.png'], ['picture_00002_.png'], ['picture_00001_.png']]);
});

test('newer engines tell of their jobs', async () => {
	fresh.sandbox.configure({ engineJobRoutes: true });
	const done = await fresh.engine.started(picture(), { extra_data: { api_key_comfy_org: 'secret' } });
	await fresh.engine.ended(done);
	const failed = await fresh.engine.started(failing());
	await fresh.engine.ended(failed);
	const stopped = await forever();
	await fresh.engine.running(stopped);
	await fresh.engine.post('/interrupt', {});
	await fresh.engine.ended(stopped);
	const running = await forever();
	await fresh.engine.running(running);
	const [waiting, taken] = [await forever(), await forever()];

	const { jobs, pagination } = await fresh.engine.get<{ jobs: Array<Record<string, unknown>>; pagination: unknown }>(
		'/api/jobs?sort_order=asc',
	);
	expect(jobs.map(({ id, status }) => [id, status])).toEqual([
		[done, 'completed'],
		[failed, 'failed'],
		[stopped, 'cancelled'],
		[running, 'in_progress'],
		[waiting, 'pending'],
		[taken, 'pending'],
	]);
	expect(pagination).toEqual({ offset: 0, limit: null, total: 6, has_more: false });
	const listed = async (query: string) =>
		(await fresh.engine.get<{ jobs: Array<{ id: string }> }>(`/api/jobs?${query}`)).jobs.map(({ id }) => id);
	expect((await listed('status=completed,cancelled')).sort()).toEqual([done, stopped].sort());
	expect(await listed('status=pending,in_progress&sort_order=asc&offset=1&limit=1')).toEqual([waiting]);
	expect((await fresh.engine.get<{ pagination: unknown }>('/api/jobs?limit=2')).pagination).toEqual({
		offset: 0,
		limit: 2,
		total: 6,
		has_more: true,
	});
	for (const query of ['status=odd', 'sort_by=name', 'sort_order=up', 'limit=0', 'offset=x']) {
		expect((await fresh.engine.fetch(`/api/jobs?${query}`)).status).toBe(400);
	}

	const at = expect.any(Number) as number;
	const file = { filename: 'picture_00001_.png', subfolder: '', type: 'output' };
	expect(await fresh.engine.get(`/api/jobs/${done}`)).toEqual({
		id: done,
		status: 'completed',
		priority: 0,
		create_time: at,
		execution_start_time: at,
		execution_end_time: at,
		outputs_count: 1,
		preview_output: { ...file, nodeId: 'save', mediaType: 'images' },
		outputs: { save: { images: [file] } },
		execution_status: (await fresh.engine.ended(done)).status,
		workflow: { prompt: expect.objectContaining({ save: expect.anything() }), extra_data: { create_time: at } },
	});
	expect(await fresh.engine.get(`/api/jobs/${failed}`)).toMatchObject({
		execution_error: { node_id: 'fail', exception_type: 'OOMError' },
		outputs_count: 0,
	});
	expect(await fresh.engine.get(`/api/jobs/${waiting}`)).toEqual({
		id: waiting,
		status: 'pending',
		priority: 4,
		create_time: at,
		outputs_count: 0,
		workflow: expect.anything(),
	});
	const unknown = await fresh.engine.fetch('/api/jobs/unknown');
	expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Job not found' }]);

	const cancel = async (id: string) => (await fresh.engine.post(`/api/jobs/${id}/cancel`, {})).json;
	expect([await cancel(taken), await cancel(taken), await cancel(running)]).toEqual([
		{ cancelled: true },
		{ cancelled: false },
		{ cancelled: true },
	]);
	expect((await fresh.engine.ended(running)).status.messages.at(-1)?.[0]).toBe('execution_interrupted');
	await fresh.engine.running(waiting);
	expect([await cancel(done), await cancel('unknown')]).toEqual([{ cancelled: false }, { cancelled: false }]);
	expect([(await fresh.engine.fetch(`/api/jobs/${taken}`)).status, (await fresh.engine.queued()).pending]).toEqual([404, []]);
});

test('an engine of 0.3.64 has no job routes', async () => {
	const id = await fresh.engine.started(picture());
	for (const path of ['/api/jobs', `/api/jobs/${id}`, `/api/v2/jobs/${id}`]) {
		const answer = await fresh.engine.fetch(path);
		expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([404, 'application/octet-stream', '']);
	}
	const answer = await fresh.engine.fetch(`/api/jobs/${id}/cancel`, { method: 'POST' });
	expect([answer.status, await answer.text()]).toEqual([405, '405: Method Not Allowed']);
});
