/** What the router's models take and give. */
import sharp from 'sharp';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { calmDown, RouterCaller } from '../../contract/router/caller';

let sandbox: Sandbox;
let router: RouterCaller;
beforeAll(async () => {
	sandbox = await startSandbox();
	router = new RouterCaller(sandbox, 'v2');
});
afterAll(async () => await sandbox.close());
afterEach(() => calmDown(sandbox));

type Entry = { id: string; provider: string; billing: { charges_on_policy_rejection: string } };

const catalog = async (): Promise<Entry[]> => (await router.walk('100')).flatMap(({ data }) => data as Entry[]);

/** Addresses anywhere in an output. */
function linksIn(value: unknown): string[] {
	if (typeof value === 'string') return value.startsWith('http') ? [value] : [];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linksIn) : [];
}

test('the catalog: some 250 models of many providers, each word about charges and one that nobody knows', async () => {
	const entries = await catalog();
	expect(entries.length).toBeGreaterThanOrEqual(250);
	expect(new Set(entries.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(20);
	expect([...new Set(entries.map(({ billing }) => billing.charges_on_policy_rejection))].sort()).toEqual([
		'no',
		'sometimes',
		'unknown',
		'yes',
	]);
});

test('every schema is served, compiles, and is what its model is checked by', async () => {
	const kinds = { authored: 0, open: 0, none: 0 };
	for (const { id } of await catalog()) {
		const { status, json } = await router.call('getInputSchema', { model: id });
		kinds[status === 404 ? 'none' : json['x-service-input-schema-authored'] === true ? 'authored' : 'open'] += 1;
		const { status: answered } = await router.run(id, {
			size: 'wrong',
			prompt: 5,
			text: 5,
			messages: 5,
			file: 5,
			ms: '5',
			bytes: 'x',
			error_type: 5,
		});
		if (json['x-service-input-schema-authored'] === true) expect([id, answered]).toEqual([id, 422]);
	}
	expect(kinds).toEqual({ authored: expect.any(Number), open: expect.any(Number), none: expect.any(Number) });
	expect([kinds.open > 10, kinds.none > 10, kinds.authored > 180]).toEqual([true, true, true]);
});

test('every feature that a form must handle is in a schema', async () => {
	const text = JSON.stringify((await router.call('getInputSchema', { model: 'lab/every-feature' })).json);
	const words = [
		'"$ref"',
		'"allOf"',
		'"anyOf"',
		'"oneOf"',
		'"const"',
		'"enum"',
		'"minimum"',
		'"maximum"',
		'"exclusiveMinimum"',
		'"multipleOf"',
		'"default"',
		'"title"',
		'"description"',
		'"required"',
		'"additionalProperties"',
		'"pattern"',
		'"minItems"',
		'"format":"uri"',
		'"format":"data-uri"',
		'"format":"binary"',
		'"type":"integer"',
		'"type":"number"',
		'"type":"boolean"',
		'"type":"array"',
		'"type":"null"',
	];
	expect(words.filter((word) => !text.includes(word))).toEqual([]);
});

test('the model of every feature answers with what it was given', async () => {
	const input = {
		prompt: '2024',
		count: 2,
		style: 'vivid',
		nullable: null,
		choice: { width: 4 },
		fixed: 'v1',
		level: 3,
		ratio: 0.75,
		flag: false,
		code: 'AB',
		tags: ['a', 'c'],
		box: { corner: { x: 1.5, y: 2 }, label: 'here' },
		points: [{ x: 0, y: 1 }],
		messages: [
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'hello' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
				],
			},
		],
		labels: { one: 1 },
		tree: { name: 'root', children: [{ name: 'leaf' }] },
		image: 'data:image/png;base64,AAAA',
		overlay: 'data:image/png;base64,AAAA',
		file: 'raw',
		seed: 7,
	};
	expect((await router.run('lab/every-feature', input)).json).toEqual({ input });
});

test.each([
	['a missing field', {}, ['body', 'prompt'], 'missing', {}],
	['a number as text', { prompt: 2024 }, ['body', 'prompt'], 'string_type', { input: 2024 }],
	[
		'a nested array',
		{
			prompt: 'x',
			messages: [
				{ role: 'user', content: 'a' },
				{ role: 'robot', content: 'b' },
			],
		},
		['body', 'messages', 1, 'role'],
		'literal_error',
		{ ctx: { expected: ['system', 'user', 'assistant'] }, input: 'robot' },
	],
	['a lower bound', { prompt: 'x', count: 0 }, ['body', 'count'], 'greater_than_equal', { ctx: { ge: 1 }, input: 0 }],
	['an open bound', { prompt: 'x', ratio: 0 }, ['body', 'ratio'], 'greater_than', { ctx: { gt: 0 }, input: 0 }],
	['a step', { prompt: 'x', ratio: 0.3 }, ['body', 'ratio'], 'multiple_of', { ctx: { multiple_of: 0.25 }, input: 0.3 }],
	[
		'a pattern',
		{ prompt: 'x', code: 'abc' },
		['body', 'code'],
		'string_pattern_mismatch',
		{ ctx: { pattern: '^[A-Z]{2}$' }, input: 'abc' },
	],
	['a map of integers', { prompt: 'x', labels: { one: 'two' } }, ['body', 'labels', 'one'], 'int_type', { input: 'two' }],
	['a fraction for an integer', { prompt: 'x', count: 1.5 }, ['body', 'count'], 'int_type', { input: 1.5 }],
	['no address', { prompt: 'x', image: 'cat.png' }, ['body', 'image'], 'value_error', { ctx: { format: 'uri' }, input: 'cat.png' }],
])('%s is refused with its place', async (_what, input, loc, type, rest) => {
	const { status, json } = await router.run('lab/every-feature', input);
	expect([status, (json.detail as unknown[])[0]]).toEqual([422, { loc, msg: expect.any(String), type, ...rest }]);
});

test('image models make real pictures behind signed links that take no credential, in outputs of several shapes', async () => {
	const models = ['aurora/image-1', 'indigo/image-1.5', 'harbor/image-1', 'orchid/image-1', 'nimbus/image-1.5', 'lab/image'];
	const known = (await catalog()).map(({ id }) => id);
	const shapes = new Set<string>();
	for (const model of models.filter((id) => known.includes(id))) {
		const { json } = await router.run(model, { prompt: 'x', size: { width: 48, height: 32 }, seed: 3 });
		shapes.add(Object.keys(json).join());
		for (const link of linksIn(json)) {
			const file = await fetch(link);
			expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
			expect(await sharp(Buffer.from(await file.arrayBuffer())).metadata()).toMatchObject({ format: 'png', width: 48, height: 32 });
			expect((await fetch(link, { headers: { 'x-api-key': sandbox.keys.apiKey } })).status).toBe(400);
		}
	}
	expect(shapes.size).toBeGreaterThanOrEqual(3);
});

test('video, audio and text', async () => {
	const video = (await catalog()).find(({ id }) => id.includes('/video-1'))?.id ?? '';
	const [link = ''] = linksIn((await router.run(video, { prompt: 'x' })).json);
	expect((await fetch(link)).headers.get('content-type')).toBe('video/mp4');
	const { headers, bytes } = await router.run('lab/speech', { text: 'Hello' });
	expect([headers.get('content-type'), bytes.subarray(0, 4).toString(), bytes.subarray(8, 12).toString()]).toEqual([
		'audio/wav',
		'RIFF',
		'WAVE',
	]);
	const chat = (await catalog()).find(({ id }) => id.includes('/chat-1'))?.id ?? '';
	expect((await router.run(chat, { messages: [{ role: 'user', content: 'hi' }] })).json).toMatchObject({
		choices: [{ message: { content: 'You said "hi"' } }],
	});
});

test('a JSON answer of 65 MiB is streamed', async () => {
	const size = 65 * 1024 * 1024;
	const response = await fetch(`${router.address}/models/lab/large-json`, {
		method: 'POST',
		headers: { 'x-api-key': sandbox.keys.apiKey, 'content-type': 'application/json' },
		body: JSON.stringify({ bytes: size }),
	});
	let received = 0;
	for await (const chunk of response.body ?? []) received += (chunk as Uint8Array).byteLength;
	expect([response.headers.get('content-type'), received]).toEqual(['application/json; charset=utf-8', size]);
	expect((await router.run('lab/large-json', { bytes: 64 })).json).toEqual({ filler: 'x'.repeat(64 - 13) });
});

test('credits: a decimal text, a real zero, or nothing at all', async () => {
	const told = async (model: string) => (await router.run(model, { prompt: 'x' })).headers.get('x-service-credits-used');
	expect([await told('lab/fallback'), await told('lab/free'), await told('lab/silent-price')]).toEqual(['10.55', '0', null]);
	expect(sandbox.ledger.routerRuns.at(-1)).toMatchObject({ model: 'lab/silent-price', account: 'main', credits: '10.55' });
});

describe('query parameters', () => {
	const input = { prompt: 'x', seed: 1, guidance: 2 };

	test('model_provider leaves out what that provider does not know, and says so in one header; strict_mode refuses it', async () => {
		const dropped = await router.run('lab/image', input, { query: 'model_provider=aurora' });
		expect([dropped.status, JSON.parse(dropped.headers.get('x-service-router-dropped-params') ?? 'null')]).toEqual([
			200,
			['seed', 'guidance'],
		]);
		expect((await router.run('lab/image', input)).headers.get('x-service-router-dropped-params')).toBeNull();
		const { status, json } = await router.run('lab/image', input, { query: 'model_provider=aurora&strict_mode=true' });
		expect([status, json.detail]).toEqual([
			422,
			[expect.objectContaining({ loc: ['body', 'seed'] }), expect.objectContaining({ loc: ['body', 'guidance'] })],
		]);
		expect((await router.run('lab/image', input, { query: 'model_provider=nobody' })).status).toBe(400);
	});

	test('another provider stands in unless fallback_provider is false', async () => {
		expect((await router.run('lab/fallback', { prompt: 'x' })).headers.get('x-service-router-fallback-provider')).toBe('aurora');
		expect((await router.run('lab/fallback', { prompt: 'x' }, { query: 'fallback_provider=false' })).status).toBe(502);
	});

	test('reject_unknown_fields refuses what the schema does not name', async () => {
		expect((await router.run('lab/every-feature', { prompt: 'x', extra: 1 })).status).toBe(200);
		const { status, json } = await router.run('lab/every-feature', { prompt: 'x', extra: 1 }, { query: 'reject_unknown_fields=true' });
		expect([status, json.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'extra'], type: 'extra_forbidden', input: 1 })]]);
	});
});
