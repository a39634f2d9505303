/** `POST /api/prompt`: submissions, and every way to refuse one. */
import { startSandbox, type Behaviour, type Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { digest } from '../../../sandbox/ledger';
import { Caller } from '../support/caller';
import { picture } from '../support/graphs';
import { V1 } from './support/v1';

let sandbox: Sandbox;
let v1: V1;
let hosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
	hosted = new Caller(sandbox, 'hosted');
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.configure({ v1ErrorBody: 'code_message', v1Rejections: 'status_400', workers: 4 });
	sandbox.setCredits('main', Infinity);
	sandbox.setSubscription('main', true);
});

const badNumber = (): ApiGraph => ({
	...picture(),
	image: { class_type: 'EmptyImage', inputs: { width: 0, height: 8, batch_size: 1, color: 0 } },
});

test('two equal submissions are two jobs, even with an Idempotency-Key', async () => {
	const prompt = picture();
	const headers = { 'idempotency-key': 'same' };
	const [first, second] = [
		await v1.call('POST', '/api/prompt', { json: { prompt }, headers }),
		await v1.call('POST', '/api/prompt', { json: { prompt }, headers }),
	];
	const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
	for (const { status, json } of [first, second])
		expect([status, json]).toEqual([200, { prompt_id: uuid, number: expect.any(Number) as number, node_errors: {} }]);
	expect((first.json as { number: number }).number + 1).toBe((second.json as { number: number }).number);
	expect(sandbox.ledger.runs.slice(-2).map(({ idempotencyKey }) => idempotencyKey)).toEqual([undefined, undefined]);
});

test('a v1 job is a job of v2, and the reverse', async () => {
	const byV1 = await v1.started(picture());
	expect(await hosted.read(byV1)).toMatchObject({ id: byV1, status: 'succeeded', outputs: [{ node_id: 'save' }] });
	const byV2 = String((await hosted.finished(picture())).id);
	expect(await v1.status(byV2)).toBe('success');
	expect(await v1.get(`/api/jobs/${byV2}`)).toMatchObject({ status: 'completed' });
});

test.each(['api_key_service_org', 'api_key_comfy_org'])(
	'a partner key in extra_data.%s reaches the ledger, and nobody else',
	async (field) => {
		const key = `${sandbox.keys.partnerKey}-${field}`;
		const jobId = await v1.started(picture(), { extra_data: { [field]: key, extra_pnginfo: {} }, number: 3, front: true });
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId, surface: 'hosted', account: 'main', partnerKeyField: field });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(digest(key));
		expect(JSON.stringify(await v1.get(`/api/jobs/${jobId}`))).not.toContain(key);
	},
);

test('partial_execution_targets: only these output nodes run', async () => {
	const graph = { ...picture(), other: { class_type: 'PreviewImage', inputs: { images: ['image', 0] } } };
	const jobId = await v1.started(graph, { partial_execution_targets: ['other'] });
	await hosted.read(jobId);
	expect(Object.keys((await v1.get(`/api/jobs/${jobId}`)).outputs as object)).toEqual(['other']);
});

test('GET /api/prompt counts what has not ended, of this account', async () => {
	sandbox.configure({ workers: 0 });
	const jobId = await v1.started(picture());
	await hosted.started(picture());
	expect(await v1.get('/api/prompt')).toEqual({ exec_info: { queue_remaining: 2 } });
	expect(await new V1(sandbox, sandbox.keys.otherApiKey).get('/api/prompt')).toEqual({ exec_info: { queue_remaining: 0 } });
	sandbox.configure({ workers: 4 });
	await hosted.read(jobId);
});

test.each([[null], ['wrong']])('401 with key %j, wherever one knocks', async (key) => {
	for (const [method, path] of [
		['POST', '/api/prompt'],
		['GET', '/api/queue'],
		['GET', '/api/view?filename=a'],
		['GET', '/api/object_info'],
	] as const) {
		expect(await v1.call(method, path, { key })).toMatchObject({
			status: 401,
			json: { code: 'unauthorized', message: expect.any(String) as string },
		});
	}
});

test('a Bearer token is no key here', async () => {
	expect((await v1.call('GET', '/api/queue', { key: null, headers: { authorization: `Bearer ${sandbox.keys.apiKey}` } })).status).toBe(401);
});

test('402 without credits, 429 without a subscription; neither makes a job, nor asks to come again', async () => {
	const runs = sandbox.ledger.runs.length;
	sandbox.setCredits('main', 0);
	expect(await v1.prompt(picture())).toMatchObject({ status: 402, json: { code: 'insufficient_credits' } });
	sandbox.setSubscription('main', false);
	const refused = await v1.prompt(picture());
	expect([refused.status, refused.json]).toEqual([429, { code: 'subscription_inactive', message: expect.any(String) as string }]);
	expect(refused.headers.has('retry-after')).toBe(false);
	expect(sandbox.ledger.runs).toHaveLength(runs);
	expect((await hosted.submit(picture())).code).toBe('insufficient_credits');
	expect((await new V1(sandbox, sandbox.keys.otherApiKey).prompt(picture())).status).toBe(200);
});

test.each([
	['no prompt', {}],
	['no object', []],
	['extra_data that is none', { prompt: picture(), extra_data: 'key' }],
	['a partner key that is no text', { prompt: picture(), extra_data: { api_key_comfy_org: 5 } }],
	['targets that are none', { prompt: picture(), partial_execution_targets: 'save' }],
])('400 for %s', async (_what, json) => {
	expect(await v1.call('POST', '/api/prompt', { json })).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
});

test('400 for a body that is no JSON, or no body at all', async () => {
	expect((await v1.call('POST', '/api/prompt', { body: '{"prompt":', headers: { 'content-type': 'application/json' } })).status).toBe(400);
	expect((await v1.call('POST', '/api/prompt', { body: 'a=b', headers: { 'content-type': 'text/plain' } })).status).toBe(400);
	expect((await v1.call('POST', '/api/prompt')).status).toBe(400);
});

describe('a workflow that cannot run: 400 in the shape of the engine', () => {
	test('a value out of bounds, told by node', async () => {
		const { status, json } = await v1.prompt(badNumber());
		expect([status, json]).toEqual([
			400,
			{
				error: {
					type: 'prompt_outputs_failed_validation',
					message: 'Prompt outputs failed validation',
					details: expect.stringContaining('* EmptyImage image:') as string,
					extra_info: {},
				},
				node_errors: {
					image: {
						class_type: 'EmptyImage',
						dependent_outputs: ['save'],
						errors: [
							{
								type: 'value_smaller_than_min',
								message: expect.any(String) as string,
								details: 'width',
								extra_info: { input_name: 'width' },
							},
						],
					},
				},
			},
		]);
	});

	test.each<[string, unknown, string]>([
		['an unknown class', { '7': { class_type: 'NoSuchNode', inputs: {} } }, 'missing_node_type'],
		['no output node', { image: picture().image }, 'prompt_no_outputs'],
		['no nodes', {}, 'invalid_prompt'],
		['the editor format', { nodes: [], links: [], last_node_id: 0 }, 'invalid_prompt'],
	])('%s', async (_what, prompt, type) => {
		expect(await v1.prompt(prompt as ApiGraph)).toMatchObject({
			status: 400,
			json: { error: { type, message: expect.any(String) as string, extra_info: expect.any(Object) as object }, node_errors: {} },
		});
	});

	test.each(['ok_with_error', 'ok_with_node_errors'] as const)('%s: HTTP 200, and no job', async (v1Rejections) => {
		sandbox.configure({ v1Rejections });
		const runs = sandbox.ledger.runs.length;
		for (const prompt of [badNumber(), { image: { class_type: 'NoSuchNode', inputs: {} } }]) {
			const { status, json } = await v1.prompt(prompt);
			expect([status, Object.keys(json as object)]).toEqual([
				200,
				v1Rejections === 'ok_with_error' ? ['error', 'node_errors'] : ['node_errors'],
			]);
			if (v1Rejections === 'ok_with_node_errors') expect(json).toMatchObject({ node_errors: { image: { errors: [{}] } } });
		}
		expect(sandbox.ledger.runs).toHaveLength(runs);
		expect((await v1.prompt(picture())).json).toHaveProperty('prompt_id');
	});
});

test.each<[Behaviour['v1ErrorBody'], unknown, unknown]>([
	[
		'code_message',
		{ code: 'insufficient_credits', message: 'Not enough credits' },
		{ error: { type: 'prompt_outputs_failed_validation' } },
	],
	[
		'engine',
		{ error: { type: 'insufficient_credits', message: 'Not enough credits', details: '', extra_info: {} }, node_errors: {} },
		{ error: { type: 'prompt_outputs_failed_validation' } },
	],
	['error_text', { error: 'Not enough credits' }, { error: 'Prompt outputs failed validation' }],
	['message_only', { message: 'Not enough credits' }, { message: 'Prompt outputs failed validation' }],
])('errors written as %s', async (v1ErrorBody, body, workflow) => {
	sandbox.configure({ v1ErrorBody });
	expect((await v1.prompt(badNumber())).json).toMatchObject(workflow as object);
	sandbox.setCredits('main', 0);
	expect((await v1.prompt(picture())).json).toEqual(body);
});

test('errors written as text, and with no body at all', async () => {
	sandbox.setCredits('main', 0);
	sandbox.configure({ v1ErrorBody: 'text' });
	const answer = await v1.prompt(picture());
	expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
		402,
		'Not enough credits',
		'text/plain; charset=utf-8',
	]);
	sandbox.configure({ v1ErrorBody: 'empty' });
	expect(await v1.prompt(picture())).toMatchObject({ status: 402, text: '' });
});
