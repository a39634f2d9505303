import { TWIN, twinOf } from '../support/around';
import { bytesOf, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { byId, dataOf, jsonRun, type RouterWay, routerCredential, routerRun, routerWays, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox({ routerRetryAfterSeconds: 1 });

const SUBMITS = 'POST /v2/models/:provider/:model/requests';
const credential = (way: RouterWay = 'comfyApi') => routerCredential(sandbox, way);
const PROMPT = { prompt: 'a lighthouse' };
/** More than the node keeps as JSON. */
const LARGE = 65 * 1024 * 1024;
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
				cost_usd: 0,
				spend: null,
				dropped_parameters: [],
				fallback_provider: null,
				output: { input: PROMPT },
			},
		]);
		expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
		const queued = await runNode(jsonRun(credential(way), 'lab/free', PROMPT, QUEUED));
		expect(jsons(queued)).toMatchObject([{ queue_request_id: ID, request_id: ID, output: { input: PROMPT } }]);
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

it('each item has its own model, delivery and options, and sends only the options that were chosen', async () => {
	const chosen = { strictMode: true, fallbackProvider: false, rejectUnknownFields: true, modelProvider: 'lab' };
	const items = [
		{ json: { model: 'lab/free', delivery: 'synchronous' } },
		{ json: { model: 'lab/open', delivery: 'synchronous', ...chosen } },
		{ json: { model: 'lab/free', delivery: 'queued', ...chosen } },
		{ json: { model: 'lab/image', delivery: 'synchronous', downloadResultFiles: false, seeds: 'random' } },
		{ json: { model: 'lab/image', delivery: 'synchronous', binaryPropertyName: 'picture' } },
	];
	const names = [...Object.keys(chosen), 'downloadResultFiles', 'binaryPropertyName', 'seeds'];
	const parameters = {
		model: byId('={{ $json.model }}'),
		delivery: '={{ $json.delivery }}',
		options: Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`])),
	};
	const result = await runNode(jsonRun(credential(), 'x/y', PROMPT, { items, parameters }));
	expect(result.error).toBeUndefined();
	expect(jsons(result).map(({ model, queue_request_id: id }) => [model, id])).toEqual([
		['lab/free', undefined],
		['lab/open', undefined],
		['lab/free', ID],
		['lab/image', undefined],
		['lab/image', undefined],
	]);
	const queries = (on: string) => sandbox.requests(on).map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
	const sent = { model_provider: 'lab', strict_mode: 'true', reject_unknown_fields: 'true' };
	expect(queries(RUNS)).toHaveLength(4);
	expect(queries(RUNS).filter((query) => Object.keys(query).length > 0)).toEqual([{ ...sent, fallback_provider: 'false' }]);
	// A queued request has no fallback.
	expect(queries(SUBMITS)).toEqual([sent]);
	expect(result.outputs[0]?.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([[], [], [], [], ['picture']]);
	expect(jsons(result)[3]).not.toHaveProperty('files');
	expect(jsons(result).map(({ seed }) => typeof seed)).toEqual(['undefined', 'undefined', 'undefined', 'number', 'undefined']);
});

it.each([
	['bytes become', 'lab/speech', { text: 'Hello' }, 'speech.wav', /^audio\/(x-)?wav$/, 'RIFF'],
	['a JSON answer of 65 MiB becomes', 'lab/large-json', { bytes: LARGE }, 'large-json.json', /^application\/json$/, '{'],
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

describe('Download Result Files', () => {
	it('saves each file that the output names, but none of the input, and sends the credential nowhere else', async () => {
		const parameters = { options: { binaryPropertyName: 'picture' } };
		const run = jsonRun(credential(), 'lab/image', { ...PROMPT, num_images: 2 }, { parameters });
		const item = (await runNode(run)).outputs[0]?.[0];
		expect(Object.keys(item?.binary ?? {})).toEqual(['picture_0', 'picture_1']);
		expect(item?.json.files).toMatchObject([
			{ path: 'images[0].url', binary_field: 'picture_0', content_type: 'image/png' },
			{ path: 'images[1].url', binary_field: 'picture_1' },
		]);
		expect((await bytesOf(item, 'picture_1')).subarray(1, 4).toString()).toBe('PNG');
		const fetched = sandbox.requests('GET *', 'storage');
		expect(fetched).toHaveLength(2);
		for (const { headers } of fetched) expect([headers.authorization, headers['x-api-key']]).toEqual([undefined, undefined]);
		const { output } = item?.json as { output: { images: Array<{ url: string }> } };
		const echo = await runNode(jsonRun(credential(), 'lab/open', { image_url: output.images[0]?.url }));
		expect(jsons(echo)[0]).not.toHaveProperty('files');
	});

	it.each<[string, Record<string, string>, string | RegExp]>([
		['as the server says', { 'content-disposition': 'attachment; filename="a cat.png"' }, 'a cat.png'],
		[
			'as the server says in any script',
			{ 'content-disposition': `attachment; filename="cat.png"; filename*=UTF-8''${encodeURIComponent('猫 "x".png')}` },
			'猫 _x_.png',
		],
		['safely', { 'content-disposition': 'attachment; filename="..\\\\..\\\\nul.png"' }, '_nul.png'],
		['by its type when its address has no name', { 'content-type': 'video/x-matroska' }, /^[^.]+\.mkv$/],
	])('names a file %s', async (_, headers, expected) => {
		const answer = { status: 200, body: Buffer.from('bytes'), headers: { 'content-type': 'image/png', ...headers } };
		sandbox.inject({ on: 'GET *', surface: 'storage', answer });
		const { outputs } = await runNode(jsonRun(credential(), 'lab/image', PROMPT));
		expect(outputs[0]?.[0]?.binary?.data?.fileName).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
	});

	it('does not save a web page, and raises no hint', async () => {
		sandbox.inject({ on: 'GET *', surface: 'storage', answer: { status: 200, html: true } });
		const result = await runNode(jsonRun(credential(), 'lab/image', { ...PROMPT, num_images: 2 }));
		expect(jsons(result)[0]?.files).toHaveLength(2);
		expect(jsons(result)[0]?.files).toContainEqual(expect.objectContaining({ not_saved: expect.stringMatching(/web page/) as string }));
		expect(jsons(result)[0]?.files).toContainEqual(expect.objectContaining({ binary_field: 'data' }));
		expect(result.hints).toEqual([]);
	});

	it('keeps the paid result when one of two files is larger than Largest Result File, or gone', async () => {
		const headers = { 'content-type': 'image/png' };
		const answers = [
			{ status: 200, body: Buffer.alloc(1_000, 1), headers },
			{ status: 200, body: Buffer.alloc(1_001, 1), headers },
		];
		for (const answer of answers) sandbox.inject({ on: 'GET *', surface: 'storage', answer });
		const parameters = { options: { largestResultFileMb: 0.001 } };
		const two = { ...PROMPT, num_images: 2 };
		const large = await runNode(jsonRun(credential(), 'lab/image', two, { parameters }));
		const [{ files } = {}] = jsons(large);
		expect(files).toHaveLength(2);
		expect(files).toContainEqual(expect.objectContaining({ binary_field: 'data' }));
		expect(files).toContainEqual(expect.objectContaining({ not_saved: expect.stringMatching(/larger than 0\.001 MB/) as string }));
		expect(large.hints).toEqual([expect.stringMatching(/^Item 0: 1 of 2 result files could not be saved/)]);
		sandbox.inject({ on: 'GET *', surface: 'storage', times: Infinity, answer: { status: 404 } });
		const gone = await runNode(jsonRun(credential(), 'lab/image', PROMPT));
		expect(jsons(gone)).toMatchObject([{ output: { images: [{}] }, files: [{ not_saved: ID }] }]);
		expect(JSON.stringify(jsons(gone)[0]?.files)).not.toMatch(/[?&]X-/);
	});
});

describe('Limit Runs Per Execution', () => {
	const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
	const limited = (limitRuns: number, count: number, more = {}) =>
		jsonRun(
			credential(),
			'lab/free',
			{},
			{
				...CONTINUE,
				items: items(count),
				parameters: { inputJson: '={{ { prompt: "number " + $json.n } }}', options: { limitRuns } },
				...more,
			},
		);
	const REACHED = /^Limit Runs Per Execution is reached: \d$/;

	it('sends no more of each of two nodes, and says which item was not sent', async () => {
		const result = await runNode({
			...limited(3, 5),
			around: twinOf({ ...limited(2, 0) }),
			settings: { id: 'second', ...CONTINUE.settings },
		});
		expect(jsons(result).filter(({ error }) => REACHED.test(String(error)))).toHaveLength(2);
		expect(result.runData[TWIN]?.[0]?.error?.message).toBe('Limit Runs Per Execution is reached: 2');
		expect(sandbox.requests(RUNS)).toHaveLength(5);
	});

	it('continues its count in a later try of the execution, each run once', async () => {
		const first = await runNode(limited(2, 2));
		const contextData = JSON.parse(JSON.stringify(first.contextData)) as typeof first.contextData;
		expect(jsons(await runNode(limited(2, 3, { contextData })))).toMatchObject([{ replayed: true }, { replayed: true }, { error: ID }]);
	});

	it('does not count a run that was rejected before it started', async () => {
		const parameters = { inputJson: '={{ $json.n === 0 ? {} : { prompt: "x" } }}', options: { limitRuns: 1, concurrency: 1 } };
		expect(jsons(await runNode(limited(1, 2, { parameters })))).toMatchObject([{ error: ID }, { output: {} }]);
	});
});

it('says once for each model that it charges, or may charge, for rejected runs', async () => {
	const models = ['lab/refusing-charged', 'aurora/image-2', 'lab/free', 'lab/refusing-charged', 'aurora/image-2'];
	const items = models.map((model) => ({ json: { model } }));
	const parameters = { model: byId('={{ $json.model }}') };
	const result = await runNode(jsonRun(credential(), 'x/y', PROMPT, { ...CONTINUE, items, parameters }));
	expect(result.hints.toSorted()).toEqual([
		expect.stringMatching(/^The router does not report whether aurora\/image-2 charges/),
		expect.stringMatching(/^lab\/refusing-charged also charges/),
	]);
});

describe('requests', () => {
	it('Get outputs the result and the file of each request, and Cancel says that they have ended', async () => {
		const ran = [
			...jsons(await runNode(jsonRun(credential(), 'lab/free', PROMPT, QUEUED))),
			...jsons(await runNode(jsonRun(credential(), 'lab/large-json', { bytes: LARGE }, QUEUED))),
		];
		const more = {
			items: ran.map(({ model, queue_request_id }) => ({ json: { model, queue_request_id } })),
			parameters: { model: byId('={{ $json.model }}'), requestId: '={{ $json.queue_request_id }}' },
		};
		const got = await runNode(routerRun(credential(), 'request:get', 'x/y', more));
		const ids = ran.map(({ model, queue_request_id }) => ({ model, queue_request_id, request_id: ID }));
		expect(jsons(got)).toMatchObject([
			{ ...ids[0], status: 'COMPLETED', output: { input: PROMPT } },
			{ ...ids[1], status: 'COMPLETED', output: null, files: [{ file_name: 'large-json.json', binary_field: 'data' }] },
		]);
		expect((await bytesOf(got.outputs[0]?.[1])).byteLength).toBe(LARGE);
		const canceled = jsons(await runNode(routerRun(credential(), 'request:cancel', 'x/y', more)));
		expect(canceled).toEqual(ids.map((id) => ({ ...id, status: 'ALREADY_COMPLETED' })));
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
	it('Get Many reads all pages, or as many as the limit needs', async () => {
		sandbox.configure({ routerExtraModels: 240 });
		const all = jsons(await runNode(routerRun(credential(), 'model:getAll', '', { parameters: { returnAll: true } })));
		expect(all.length).toBeGreaterThan(240);
		expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
		expect(all.every(({ request_id }) => typeof request_id === 'string')).toBe(true);
		for (const limit of [7, 107]) {
			const some = jsons(await runNode(routerRun(credential(), 'model:getAll', '', { asTool: limit === 7, parameters: { limit } })));
			expect(some.map(({ id }) => id)).toEqual(all.slice(0, limit).map(({ id }) => id));
		}
	});

	it('Get returns the charge for rejections, and Get Input Schema the fields of each model', async () => {
		const items = ['lab/image', 'lab/no-schema'].map((model) => ({ json: { model } }));
		const more = { items, parameters: { model: byId('={{ $json.model }}'), options: { includeDocument: '={{ $itemIndex === 0 }}' } } };
		expect(jsons(await runNode(routerRun(credential(), 'model:get', 'x/y', more)))).toMatchObject([
			{ id: 'lab/image', charges_on_policy_rejection: 'no', request_id: ID },
			{ id: 'lab/no-schema', request_id: ID },
		]);
		const [image, none] = jsons(await runNode(routerRun(credential(), 'model:getInputSchema', 'x/y', more)));
		expect(image).toMatchObject({
			model: 'lab/image',
			request_id: ID,
			input_schema_authored: true,
			fields: expect.arrayContaining([expect.objectContaining({ id: 'prompt', required: true })]),
			document: { openapi: ID },
		});
		expect(none).toMatchObject({ model: 'lab/no-schema', input_schema_authored: false, fields: [], schema: null, request_id: ID });
		expect(none).not.toHaveProperty('document');
	});
});
