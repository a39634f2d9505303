import { bytesOf, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { dataOf, jsonRun, type RouterWay, routerCredential, routerRun, routerWays, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox({ routerRetryAfterSeconds: 1 });

const credential = (way: RouterWay = 'comfyApi') => routerCredential(sandbox, way);
const PROMPT = { prompt: 'a lighthouse' };
const QUEUED = { parameters: { delivery: 'queued' } };
const ID = expect.stringMatching(/./) as string;

describe.each(routerWays)('with %s', (way) => {
	it.each(['v1', 'v2'] as const)('a run outputs the model’s JSON untouched, with the router’s facts beside it (%s)', async (prefix) => {
		sandbox.configure({ routerPrefixes: prefix, requestIdHeader: prefix === 'v1' ? 'X-Service-Request-Id' : 'X-Comfy-Request-Id' });
		const result = await runNode(jsonRun(credential(way), 'lab/free', PROMPT));
		expect(jsons(result)).toEqual([
			{
				model: 'lab/free',
				request_id: ID,
				idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
				replayed: false,
				credits_used: '0',
				spend: null,
				dropped_parameters: [],
				fallback_provider: null,
				output: { input: PROMPT },
			},
		]);
		expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('a queued run returns the same with the id of the request', async () => {
		const result = await runNode(jsonRun(credential(way), 'lab/free', PROMPT, QUEUED));
		expect(jsons(result)).toMatchObject([{ queue_request_id: ID, request_id: ID, output: { input: PROMPT } }]);
	});
});

it('reports spend, dropped inputs and another provider; an unknown price is null, not "0"', async () => {
	expect(jsons(await runNode(jsonRun(credential(), 'lab/silent-price', PROMPT)))).toMatchObject([{ credits_used: null }]);
	sandbox.setSpendLimit('main', 10_000);
	const spent = await runNode(jsonRun(credential(), 'lab/fallback', PROMPT));
	expect(jsons(spent)).toMatchObject([
		{ fallback_provider: 'aurora', spend: { limit: 10_000, current: expect.any(Number), remaining: expect.any(Number) } },
	]);
	const parameters = { options: { modelProvider: 'aurora' } };
	const dropped = await runNode(jsonRun(credential(), 'lab/image', { ...PROMPT, seed: 7 }, { parameters }));
	expect(jsons(dropped)[0]?.dropped_parameters).toContain('seed');
});

it('sends only the options that were chosen', async () => {
	const options = { strictMode: true, fallbackProvider: false, rejectUnknownFields: true, modelProvider: 'lab' };
	await runNode(jsonRun(credential(), 'lab/free', PROMPT));
	await runNode(jsonRun(credential(), 'lab/free', PROMPT, { parameters: { options } }));
	expect(sandbox.requests(RUNS).map(({ query }) => Object.fromEntries(new URLSearchParams(query)))).toEqual([
		{},
		{ model_provider: 'lab', strict_mode: 'true', fallback_provider: 'false', reject_unknown_fields: 'true' },
	]);
});

it.each([
	['bytes become', 'lab/speech', { text: 'Hello' }, 'speech.wav', /^audio\/(x-)?wav$/, 'RIFF'],
	['a JSON answer of 65 MiB becomes', 'lab/large-json', { bytes: 65 * 1024 * 1024 }, 'large-json.json', /^application\/json$/, '{'],
])('%s a complete file with name and type', async (_name, model, input, fileName, type, start) => {
	const result = await runNode(jsonRun(credential(), model, input));
	expect(result.error).toBeUndefined();
	const item = result.outputs[0]?.[0];
	const file = { binary_field: 'data', file_name: fileName, content_type: expect.stringMatching(type) as string };
	expect(item?.json).toMatchObject({ output: null, request_id: ID, files: [file] });
	expect(item?.binary?.data).toMatchObject({ fileName, mimeType: expect.stringMatching(type) });
	const bytes = await bytesOf(item);
	expect(bytes.toString('latin1').startsWith(start)).toBe(true);
	if ('bytes' in input) expect(bytes.byteLength).toBe(input.bytes);
});

it('an agent sees the models, and gets JSON also for a file', async () => {
	const many = await runNode(routerRun(credential(), 'model:getAll', '', { asTool: true, parameters: { limit: 2 } }));
	expect(jsons(many)).toMatchObject([{ id: ID }, { id: ID }]);
	const speech = await runNode(jsonRun(credential(), 'lab/speech', { text: 'Hello' }, { asTool: true }));
	expect(jsons(speech)).toMatchObject([{ model: 'lab/speech', files: [{ binary_field: 'data', file_name: 'speech.wav' }] }]);
});

describe('Download Result Files', () => {
	it('saves each file that the output names, and sends the credential nowhere else', async () => {
		const parameters = { options: { downloadResultFiles: true, binaryPropertyName: 'picture' } };
		const run = jsonRun(credential(), 'lab/image', { ...PROMPT, num_images: 2 }, { parameters });
		const item = (await runNode(run)).outputs[0]?.[0];
		expect(Object.keys(item?.binary ?? {})).toEqual(['picture_0', 'picture_1']);
		expect(item?.json.files).toMatchObject([
			{ path: 'images[0].url', binary_field: 'picture_0', content_type: 'image/png' },
			{ path: 'images[1].url' },
		]);
		expect((await bytesOf(item, 'picture_1')).subarray(1, 4).toString()).toBe('PNG');
		const fetched = sandbox.requests('GET *', 'storage');
		expect(fetched).toHaveLength(2);
		for (const { headers } of fetched) expect([headers.authorization, headers['x-api-key']]).toEqual([undefined, undefined]);
	});

	it('is on by default', async () => {
		const [saved] = (await runNode(jsonRun(credential(), 'lab/image', PROMPT))).outputs[0] ?? [];
		expect((await bytesOf(saved)).subarray(1, 4).toString()).toBe('PNG');
		const parameters = { options: { downloadResultFiles: false } };
		const [linked] = (await runNode(jsonRun(credential(), 'lab/image', PROMPT, { parameters }))).outputs[0] ?? [];
		expect(linked?.binary).toBeUndefined();
		expect(linked?.json).not.toHaveProperty('files');
	});

	it('does not save a web page from the output, and raises no hint', async () => {
		sandbox.inject({ on: 'GET *', surface: 'storage', answer: { status: 200, html: true } });
		const result = await runNode(jsonRun(credential(), 'lab/image', PROMPT));
		expect(jsons(result)).toMatchObject([{ output: { images: [{}] }, files: [{ not_saved: expect.stringMatching(/web page/) }] }]);
		expect(result.hints).toEqual([]);
	});

	it.each([
		[1_000, { files: [{ binary_field: 'data' }] }],
		[1_001, { files: [{ not_saved: expect.stringMatching(/larger than/) }] }],
	])('saves a file of 1,000 bytes at most if that is the limit (%d bytes)', async (length, expected) => {
		const headers = { 'content-type': 'image/png' };
		sandbox.inject({ on: 'GET *', surface: 'storage', answer: { status: 200, body: Buffer.alloc(length, 1), headers } });
		const parameters = { options: { largestResultFileMb: 0.001 } };
		expect(jsons(await runNode(jsonRun(credential(), 'lab/image', PROMPT, { parameters })))).toMatchObject([expected]);
	});

	it('keeps the paid result when a file is too large, or gone', async () => {
		const parameters = { options: { largestResultFileMb: 0.00001 } };
		const small = await runNode(jsonRun(credential(), 'lab/image', PROMPT, { parameters }));
		expect(jsons(small)).toMatchObject([
			{ output: { images: [{}] }, files: [{ path: 'images[0].url', not_saved: expect.stringMatching(/larger than/) }] },
		]);
		expect(small.hints).toEqual([expect.stringMatching(/1 of 1 result files could not be saved/)]);
		sandbox.inject({ on: 'GET *', surface: 'storage', times: Infinity, answer: { status: 404 } });
		const gone = await runNode(jsonRun(credential(), 'lab/image', PROMPT));
		expect(jsons(gone)).toMatchObject([{ output: { images: [{}] }, files: [{ not_saved: ID }] }]);
		expect(JSON.stringify(jsons(gone)[0]?.files)).not.toMatch(/[?&]X-/);
	});
});

describe('Limit Runs Per Execution', () => {
	const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
	const perItem = (limitRuns: number) => ({ inputJson: '={{ { prompt: "number " + $json.n } }}', options: { limitRuns } });

	it('sends no more, and says which item was not sent', async () => {
		const result = await runNode(jsonRun(credential(), 'lab/free', {}, { ...CONTINUE, items: items(5), parameters: perItem(3) }));
		expect(sandbox.requests(RUNS)).toHaveLength(3);
		expect(jsons(result).filter(({ error }) => error === 'Limit Runs Per Execution is reached: 3')).toHaveLength(2);
	});

	it('continues its count in a later try of the execution, each run once', async () => {
		const first = await runNode(jsonRun(credential(), 'lab/free', {}, { ...CONTINUE, items: items(2), parameters: perItem(2) }));
		const more = { ...CONTINUE, items: items(3), parameters: perItem(2), contextData: JSON.parse(JSON.stringify(first.contextData)) };
		expect(jsons(await runNode(jsonRun(credential(), 'lab/free', {}, more)))).toMatchObject([
			{ replayed: true },
			{ replayed: true },
			{ error: ID },
		]);
	});

	it('does not count a run that was rejected before it started', async () => {
		const parameters = { inputJson: '={{ $json.n === 0 ? {} : { prompt: "x" } }}', options: { limitRuns: 1, concurrency: 1 } };
		expect(jsons(await runNode(jsonRun(credential(), 'lab/free', {}, { ...CONTINUE, items: items(2), parameters })))).toMatchObject([
			{ error: ID },
			{ output: {} },
		]);
	});
});

it.each([
	['lab/refusing-charged', /also charges/],
	['aurora/image-2', /does not report whether/],
])('says once that %s charges, or may charge, for refusals', async (model, message) => {
	const result = await runNode(jsonRun(credential(), model, PROMPT, { ...CONTINUE, items: [{}, {}] }));
	expect(result.hints).toEqual([expect.stringMatching(message)]);
});

describe('requests', () => {
	it('Get outputs the result, Cancel says that it has ended', async () => {
		const [ran] = jsons(await runNode(jsonRun(credential(), 'lab/free', PROMPT, QUEUED)));
		const more = {
			items: [{ json: { queue_request_id: ran?.queue_request_id as string } }],
			parameters: { requestId: '={{ $json.queue_request_id }}' },
		};
		const got = jsons(await runNode(routerRun(credential(), 'request:get', 'lab/free', more)));
		expect(got).toMatchObject([
			{ model: 'lab/free', queue_request_id: ran?.queue_request_id, status: 'COMPLETED', request_id: ID, output: { input: PROMPT } },
		]);
		const cancelled = jsons(await runNode(routerRun(credential(), 'request:cancel', 'lab/free', more)));
		expect(cancelled).toEqual([
			{ model: 'lab/free', queue_request_id: ran?.queue_request_id, status: 'ALREADY_COMPLETED', request_id: ID },
		]);
	});

	it.each(['request:get', 'request:cancel'] as const)('%s of an unknown request says what to check, with the request id', async (what) => {
		const result = await runNode(
			routerRun(credential(), what, 'lab/free', { parameters: { requestId: '00000000-0000-4000-8000-000000000000' } }),
		);
		expect(result.error?.message).toMatch(/has no request with this ID/);
		expect(dataOf(result)).toMatchObject({ code: 'request_not_found', request_id: ID, model: 'lab/free' });
	});
});

describe('models', () => {
	it('Get Many walks to the end, or to the limit', async () => {
		sandbox.configure({ routerExtraModels: 240 });
		const all = jsons(await runNode(routerRun(credential(), 'model:getAll', '', { parameters: { returnAll: true } })));
		expect(all.length).toBeGreaterThan(240);
		expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
		expect(all.every(({ request_id }) => typeof request_id === 'string')).toBe(true);
		expect(jsons(await runNode(routerRun(credential(), 'model:getAll', '', { parameters: { limit: 7 } })))).toHaveLength(7);
	});

	it('Get returns the charge for rejections, and Get Input Schema the fields', async () => {
		expect(jsons(await runNode(routerRun(credential(), 'model:get', 'lab/image')))).toMatchObject([
			{ id: 'lab/image', charges_on_policy_rejection: 'no', request_id: ID },
		]);
		const [schema] = jsons(await runNode(routerRun(credential(), 'model:getInputSchema', 'lab/image')));
		expect(schema).toMatchObject({
			model: 'lab/image',
			request_id: ID,
			input_schema_authored: true,
			fields: expect.arrayContaining([expect.objectContaining({ id: 'prompt', required: true })]),
		});
		expect(jsons(await runNode(routerRun(credential(), 'model:getInputSchema', 'lab/no-schema')))).toMatchObject([
			{ input_schema_authored: false, fields: [], schema: null, request_id: ID },
		]);
	});
});
