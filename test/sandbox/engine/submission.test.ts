/** `POST /prompt`, row by row. */
import { picture, slowPicture } from '../support/graphs';
import { useFreshEngine } from './support/engine';

const PROMPT_ID = '0b7e9a55-0d62-4c8d-9b6e-6f3f6f1c1a01';

const fresh = useFreshEngine();

const bad = { class_type: 'EmptyImage', inputs: { width: 'wide', height: 8, batch_size: 1, color: 0 } };
const saving = (from: string) => ({ class_type: 'SaveImage', inputs: { images: [from, 0], filename_prefix: 'x' } });

test('a prompt id that is sent twice is executed twice; the later run has the history entry', async () => {
	for (const color of [1, 2])
		expect(
			(await fresh.engine.post('/api/prompt', { prompt: { ...picture(color), ...slowPicture(100) }, prompt_id: PROMPT_ID })).status,
		).toBe(200);
	await fresh.engine.running(PROMPT_ID);
	expect(await fresh.engine.queued()).toEqual({ running: [PROMPT_ID], pending: [PROMPT_ID] });
	const first = await fresh.engine.ended(PROMPT_ID);
	while ((await fresh.engine.queued()).running.length > 0) await fresh.engine.ended(PROMPT_ID);
	expect(first.prompt[0]).toBe(0);
	expect((await fresh.engine.ended(PROMPT_ID)).prompt[0]).toBe(1);
	expect(Object.keys(await fresh.engine.get('/history'))).toEqual([PROMPT_ID]);
	expect(fresh.sandbox.ledger.runs).toMatchObject([0, 1].map(() => ({ jobId: PROMPT_ID, surface: 'engine', idempotencyKey: undefined })));
});

test('what the proxy sends is a run of the proxy', async () => {
	const response = await fetch(`${fresh.sandbox.urls.self_hosted}/api/v2/jobs`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
		body: JSON.stringify({ workflow: picture() }),
	});
	expect(response.status).toBe(201);
	expect(fresh.sandbox.ledger.runs).toMatchObject([{ surface: 'self_hosted', idempotencyKey: 'one' }]);
});

test('one prompt runs at a time, the lowest number first, the front before all that waits', async () => {
	const running = await fresh.engine.started(slowPicture(1000));
	await fresh.engine.running(running);
	const ids = [];
	for (const order of [{}, { number: 7.5 }, {}, { front: true }]) ids.push(await fresh.engine.started(picture(), order));
	const [plain, late, plainToo, front] = ids;
	const { queue_pending } = await fresh.engine.get<{ queue_pending: unknown[][] }>('/queue');
	// The order of a heap: only its first place tells what runs next.
	expect(queue_pending.map(([number]) => number)).toEqual([-3, 1, 2, 7.5]);
	await fresh.engine.post('/interrupt', {});
	await fresh.engine.ended(String(late));
	expect(Object.keys(await fresh.engine.get('/history'))).toEqual([running, front, plain, plainToo, late]);
	expect(fresh.sandbox.peakJobs('self_hosted')).toBe(5);
});

test('pending prompts are listed as the heap has them', async () => {
	fresh.sandbox.configure({ workers: 0 });
	const ids = [await fresh.engine.started(picture())];
	for (let count = 0; count < 3; count++) ids.push(await fresh.engine.started(picture()));
	await fresh.engine.post('/queue', { delete: [ids[0]] });
	expect((await fresh.engine.queued()).pending).toEqual([ids[1], ids[3], ids[2]]);
});

test('as many prompts run at a time as engineConcurrency says', async () => {
	fresh.sandbox.configure({ engineConcurrency: 2 });
	for (let count = 0; count < 3; count++) await fresh.engine.started(slowPicture(1000));
	while ((await fresh.engine.queued()).running.length < 2);
	expect((await fresh.engine.queued()).pending).toHaveLength(1);
});

test('a partly valid prompt runs as far as it is valid, and says what is wrong with the rest', async () => {
	const prompt = { ...picture(), bad, lost: saving('bad') };
	const { status, json } = await fresh.engine.post('/prompt', { prompt });
	expect([status, json.node_errors]).toEqual([
		200,
		{
			bad: {
				class_type: 'EmptyImage',
				dependent_outputs: ['lost'],
				errors: [
					{
						type: 'invalid_input_type',
						message: 'Failed to convert an input value to a INT value',
						details: 'width, "wide"',
						extra_info: { input_name: 'width', input_config: ['INT', { default: 512, min: 1, max: 16_384 }], received_value: 'wide' },
					},
				],
			},
		},
	]);
	const entry = await fresh.engine.ended(String(json.prompt_id));
	expect([entry.prompt[4], Object.keys(entry.outputs), entry.status.status_str]).toEqual([['save'], ['save'], 'success']);
});

test('a prompt without a valid output is refused', async () => {
	const { status, json } = await fresh.engine.post('/prompt', { prompt: { bad, lost: saving('bad') } });
	expect([status, json]).toEqual([
		400,
		{
			error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '', extra_info: {} },
			node_errors: { bad: expect.objectContaining({ dependent_outputs: ['lost'] }) },
		},
	]);
	expect(fresh.sandbox.ledger.runs).toEqual([]);
});

test('a file that is not there is refused before anything runs', async () => {
	const { status, json } = await fresh.engine.post('/prompt', {
		prompt: { load: { class_type: 'LoadImage', inputs: { image: 'none.png' } }, save: saving('load') },
	});
	expect([status, json.node_errors]).toMatchObject([
		400,
		{
			load: {
				errors: [
					{
						type: 'custom_validation_failed',
						message: 'Custom validation failed for node',
						details: 'image - Invalid image file: none.png',
					},
				],
			},
		},
	]);
});

test('an unknown class is refused as 0.3.64 does, or as newer engines do', async () => {
	const prompt = { ...picture(), 7: { class_type: 'Magic', inputs: {}, _meta: { title: 'My magic' } } };
	expect(await fresh.engine.post('/prompt', { prompt })).toMatchObject({
		status: 400,
		json: {
			error: {
				type: 'invalid_prompt',
				message: 'Cannot execute because node Magic does not exist.',
				details: "Node ID '#7'",
				extra_info: {},
			},
			node_errors: {},
		},
	});
	fresh.sandbox.configure({ engineMissingNode: 'missing_node_type' });
	expect((await fresh.engine.post('/prompt', { prompt })).json).toEqual({
		error: {
			type: 'missing_node_type',
			message: "Node 'My magic' not found. The custom node may not be installed.",
			details: "Node ID '#7'",
			extra_info: { node_id: '7', class_type: 'Magic', node_title: 'My magic' },
		},
		node_errors: {},
	});
});

test.each([
	['begins with a word', { id: 'x', nodes: [], links: [] }, 400],
	['begins with a number', { last_node_id: 1, nodes: [], links: [] }, 500],
])('a workflow of the editor that %s has no class types', async (_, prompt, status) => {
	const answer = await fresh.engine.fetch('/prompt', { method: 'POST', body: JSON.stringify({ prompt }) });
	expect(answer.status).toBe(status);
	expect(answer.headers.get('content-type')).toContain(status === 400 ? 'application/json' : 'text/plain');
});

test('without a prompt, or without JSON', async () => {
	expect(await fresh.engine.post('/prompt', { client_id: 'me' })).toMatchObject({
		status: 400,
		json: { error: { type: 'no_prompt' }, node_errors: {} },
	});
	const answer = await fresh.engine.fetch('/prompt', { method: 'POST', body: 'no json' });
	expect([answer.status, await answer.text()]).toEqual([500, '500 Internal Server Error\n\nServer got itself in trouble']);
});

test('extra data is kept without its secrets, in the queue and in the history', async () => {
	const extra = { extra_pnginfo: { workflow: { id: 'w' } }, api_key_comfy_org: 'secret', auth_token_comfy_org: 'secret' };
	const id = await fresh.engine.started(slowPicture(1000), { client_id: 'me', extra_data: extra });
	await fresh.engine.running(id);
	const { queue_running } = await fresh.engine.get<{ queue_running: unknown[][] }>('/queue');
	await fresh.engine.post('/interrupt', {});
	const shown = { extra_pnginfo: { workflow: { id: 'w' } }, client_id: 'me' };
	expect([queue_running[0]?.[3], (await fresh.engine.ended(id)).prompt[3]]).toEqual([shown, shown]);
});
