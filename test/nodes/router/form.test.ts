import { randomBytes } from 'node:crypto';

import { addFilesToForm, addFiles } from '../../../nodes/ComfyRunRouterModel/model/run/inputFiles';
import { runNode } from '../support/engine';
import { CONTINUE, fileItem } from '../support/files';
import { LARGEST_SEED, LONG_NUMBERS, packed } from '../support/longNumbers';
import { byId, formRun, jsonRun, routerCredential, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox({ routerRetryAfterSeconds: 0 });

/** It answers with what it was sent. */
const MODEL = 'lab/every-feature';
const SCHEMA = 'GET /v2/models/:provider/:model/openapi.json';
type Values = Parameters<typeof formRun>[2];

const run = async (value: Values, more = {}) => await runNode(formRun(routerCredential(sandbox), MODEL, value, more));
const inputsOf = (result: Awaited<ReturnType<typeof run>>): unknown[] =>
	jsons(result).map(({ output }) => (output as { input?: unknown } | undefined)?.input);

it('each item sends its own values of each type, and the schema is read once', async () => {
	const items = [
		{ json: { year: 2024, n: 1, flag: false, tags: '["a", "c"]', x: 1 } },
		{ json: { year: 2025, n: 2, flag: true, tags: '["b"]', x: 7 } },
	];
	const form = {
		prompt: '={{ $json.year }}',
		count: '={{ $json.n }}',
		flag: '={{ $json.flag }}',
		tags: '={{ $json.tags }}',
		'box.corner.x': '={{ $json.x }}',
		'box.corner.y': 2,
		nullable: null,
		labels: '{"a": 1}',
	};
	expect(inputsOf(await run(form, { items }))).toEqual([
		{ fixed: 'v1', prompt: '2024', count: 1, flag: false, tags: ['a', 'c'], box: { corner: { x: 1, y: 2 } }, labels: { a: 1 } },
		{ fixed: 'v1', prompt: '2025', count: 2, flag: true, tags: ['b'], box: { corner: { x: 7, y: 2 } }, labels: { a: 1 } },
	]);
	expect(sandbox.requests(SCHEMA)).toHaveLength(1);
});

it('each item fills in the form of its own model', async () => {
	const items = ['lab/free', MODEL].map((model) => ({ json: { model } }));
	const more = { items, parameters: { model: byId('={{ $json.model }}') } };
	expect(inputsOf(await run({ prompt: 'a fox' }, more))).toEqual([{ prompt: 'a fox' }, { fixed: 'v1', prompt: 'a fox' }]);
	expect(sandbox.requests(SCHEMA)).toHaveLength(2);
});

it('a rejected request for the schema fails only its own item', async () => {
	const on = 'GET /v2/models/:provider/:model';
	sandbox.inject({ on, answer: { status: 403, code: 'forbidden' } });
	const result = await run({ prompt: 'x' }, { ...CONTINUE, items: [{}, {}, {}], parameters: { options: { concurrency: 1 } } });
	expect(jsons(result)).toMatchObject([{ error: expect.stringContaining('does not allow') }, { output: {} }, { output: {} }]);
	expect([sandbox.requests(on).length, sandbox.requests(RUNS).length]).toEqual([2, 2]);
});

it('wrong values are named by field and section, and only their items are not sent', async () => {
	const good = { n: 1, prompt: 'a fox', style: 'vivid' };
	const items = [good, { ...good, n: 10 }, { ...good, prompt: '' }, { ...good, n: 'three' }, { ...good, style: 'baroque' }];
	const form = { prompt: '={{ $json.prompt }}', count: '={{ $json.n }}', style: '={{ $json.style }}' };
	const result = await run(form, { ...CONTINUE, items: items.map((json) => ({ json })) });
	expect(jsons(result)).toMatchObject([
		{ output: {} },
		{ error: 'Count is out of range', error_description: expect.stringContaining('Nothing was sent') },
		{ error: 'Prompt is empty', error_description: expect.stringContaining('fill in Prompt under Values to Send') },
		{ error: 'Count is not a whole number', error_description: expect.stringContaining('Correct Count under Values to Send') },
		{ error: 'Style is not one of the values that the model accepts', error_description: expect.stringMatching(/Choose one of: .*vivid/) },
	]);
	expect(sandbox.requests(RUNS)).toHaveLength(1);
	const { error } = await run({ prompt: 'a fox', negative: 'x' });
	expect(error?.message).toBe('The model has no input "negative"');
});

it.each(['lab/open', 'lab/no-schema'])('%s has no form, says so, and takes JSON', async (model) => {
	const { error } = await runNode(formRun(routerCredential(sandbox), model, { prompt: 'a fox' }));
	expect(error?.message).toBe(`The model ${model} has no input schema`);
	expect(error?.description).toMatch(/Input Mode to JSON/);
	const result = await runNode(jsonRun(routerCredential(sandbox), model, { any: [1, '2'] }));
	expect(inputsOf(result)).toEqual([{ any: [1, '2'] }]);
});

it.each(['not JSON', '[1]'])('Input (JSON) %s is rejected before anything is sent', async (input) => {
	const { error } = await runNode(jsonRun(routerCredential(sandbox), MODEL, input));
	expect(error?.message).toMatch(/^Input \(JSON\) is not/);
	expect(sandbox.requests()).toEqual([]);
});

describe('files', () => {
	const content = Buffer.from('a picture');
	const dataUri = `data:image/png;base64,${content.toString('base64')}`;
	const items = [fileItem(content)];
	const rows = (...fields: string[]) => ({ inputFiles: { values: fields.map((field) => ({ field, binaryField: 'data' })) } });

	it('of each item fill an address, a data URI and a file input of the form', async () => {
		const other = Buffer.from('another picture');
		const otherUri = `data:image/png;base64,${other.toString('base64')}`;
		const result = await run({ prompt: 'a fox' }, { items: [...items, fileItem(other)], parameters: rows('image', 'overlay', 'file') });
		expect(inputsOf(result)).toEqual(
			[dataUri, otherUri].map((uri) => ({ fixed: 'v1', prompt: 'a fox', image: uri, overlay: uri, file: uri })),
		);
	});

	it('fill places inside JSON, also places that it does not have yet', async () => {
		const input = { messages: [{ role: 'user' }], images: ['first', 'second'] };
		const parameters = rows('messages[0].image', 'images[1]', 'images', 'more[0].image');
		const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', input, { items, parameters }));
		expect(inputsOf(result)).toEqual([
			{ messages: [{ role: 'user', image: dataUri }], images: ['first', dataUri, dataUri], more: [{ image: dataUri }] },
		]);
	});

	it('of 5 MiB from n8n’s file storage arrive unchanged in two inputs', async () => {
		const files = [0, 1].map(() => randomBytes(5 * 1024 * 1024));
		const fields = ['first', 'second'];
		const item = { files: Object.fromEntries(fields.map((field, index) => [field, { content: files[index] as Buffer }])) };
		const parameters = { inputFiles: { values: fields.map((field) => ({ field, binaryField: field })) } };
		const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', {}, { items: [item], parameters }));
		const [input] = inputsOf(result) as Array<Record<string, string>>;
		const arrived = fields.map((field) => Buffer.from(input?.[field]?.split(',')[1] ?? '', 'base64'));
		expect(arrived.map((bytes, index) => files[index]?.equals(bytes))).toEqual([true, true]);
	});

	it('are rejected for an input that takes no text', async () => {
		const { error } = await run({ prompt: 'a fox' }, { items, parameters: rows('count') });
		expect(error?.message).toBe('The model input "count" does not accept a file');
		expect(sandbox.requests(RUNS)).toEqual([]);
	});

	it('that are missing are named, with the item', async () => {
		const result = await run({ prompt: 'a fox' }, { ...CONTINUE, items: [...items, {}], parameters: rows('image') });
		expect(jsons(result)).toMatchObject([{ output: {} }, { error: 'The item has no file in the field "data"', model: MODEL }]);
	});
});

describe('a place for a file that only some providers have', () => {
	type Placed = Parameters<typeof addFiles>[1][number];

	const dataUri = 'data:image/png;base64,QUJD';
	const file = (field: string, path: Placed['path'], encoding: Placed['encoding'] = 'dataUri'): Placed => ({
		field,
		path,
		encoding,
		dataUri,
	});

	it('gets bare base64, or the file in a list', () => {
		expect(addFiles({}, [file('mask', ['mask'], 'base64'), file('images', ['images'], 'list')])).toEqual({
			mask: 'QUJD',
			images: [dataUri],
		});
	});

	it('is filled before the form is checked if it is a field of the form, and later otherwise', () => {
		const [list, deep] = [file('images', ['images'], 'list'), file('box.image', ['box', 'image'])];
		expect(addFilesToForm({ images: '["a"]' }, [list, deep], new Set(['images']))).toEqual({
			values: { images: ['a', dataUri] },
			otherFiles: [deep],
		});
	});
});

describe('every digit of long numbers', () => {
	const QUEUED = 'POST /v2/models/:provider/:model/requests';
	const sentBody = (on = RUNS): string => packed(sandbox.requests(on).at(-1)?.bodyText ?? '');
	const { whole, decimal, huge } = LONG_NUMBERS;

	it.each(['synchronous', 'queued'])('is in Input (JSON), and the answer holds long numbers as text (%s)', async (delivery) => {
		const input = `{"prompt":"afox","seed":${LARGEST_SEED},"more":{"whole":${whole},"decimal":${decimal},"huge":${huge},"half":0.5}}`;
		const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', input, { parameters: { delivery } }));
		expect(result.error?.message).toBeUndefined();
		expect(sentBody(delivery === 'queued' ? QUEUED : RUNS)).toBe(input);
		expect(jsons(result)).toMatchObject([{ output: { input: { seed: LARGEST_SEED, more: { ...LONG_NUMBERS, half: 0.5 } } } }]);
	});

	it('is in a number, an object and a list of the form', async () => {
		const value = { long_seed: LARGEST_SEED, nullable: decimal, labels: `{"a": ${whole}}`, points: `[{"x": ${decimal}, "y": 1}]` };
		const result = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox', ...value }));
		expect(result.error?.message).toBeUndefined();
		const sent = [`"long_seed":${LARGEST_SEED}`, `"nullable":${decimal}`, `"labels":{"a":${whole}}`, `"points":[{"x":${decimal},"y":1}]`];
		for (const part of sent) expect(sentBody()).toContain(part);
	});

	it('a rounded number of an object in Input (JSON) is named', async () => {
		const items = [{ json: { input: { prompt: 'a fox', list: [{ seed: Number(LARGEST_SEED) }] } } }];
		const { error } = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', '={{ $json.input }}', { items }));
		expect(error?.message).toBe('Input (JSON) > list > 0 > seed has lost digits: n8n has rounded it to 18446744073709552000');
		expect(sandbox.requests(RUNS)).toEqual([]);
	});

	it('a later try with another last digit is noticed, and the first input is sent again with every digit', async () => {
		const [sent, other] = ['{"seed":9007199254740993}', '{"seed":9007199254740992}'];
		const { contextData } = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', sent));
		const changed = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', other, { contextData }));
		const same = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', sent, { contextData }));
		expect(jsons(changed)).toMatchObject([{ replayed: true, sent_input: { seed: '9007199254740993' } }]);
		expect([changed, same].map(({ hints }) => hints.length)).toEqual([1, 0]);
		expect(sandbox.requests(RUNS).map(({ bodyText, status }) => [packed(bodyText), status])).toEqual([
			[sent, 200],
			[sent, 200],
			[sent, 200],
		]);
	});
});
