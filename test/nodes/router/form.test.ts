import { randomBytes } from 'node:crypto';

import { addFilesToForm, addFiles } from '../../../nodes/ComfyRunRouterModel/model/run/inputFiles';
import { runNode } from '../support/engine';
import { CONTINUE, fileItem } from '../support/files';
import { formRun, jsonRun, routerCredential, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const MODEL = 'lab/every-feature';
type Values = Parameters<typeof formRun>[2];

/** `lab/every-feature` answers with what it was sent. */
async function sent(value: Values, more = {}): Promise<unknown> {
	const result = await runNode(formRun(routerCredential(sandbox), MODEL, value, more));
	if (result.status !== 'success') throw new Error(`${result.error?.message} ${result.error?.description}`);
	return (jsons(result)[0]?.output as { input: unknown }).input;
}

const FILLED = { fixed: 'v1', prompt: 'a fox' };

it.each<[string, Values, object]>([
	['text, also where it looks like a number', { prompt: '2024' }, { prompt: '2024' }],
	['a whole number through allOf and $ref', { count: '3' }, { count: 3 }],
	['an enum through $ref', { style: 'vivid' }, { style: 'vivid' }],
	['a nullable number', { nullable: 1.5 }, { nullable: 1.5 }],
	['an empty nullable number', { nullable: null, seed: '' }, {}],
	['oneOf as text', { choice: 'square' }, { choice: 'square' }],
	['oneOf as an object', { choice: '{"width": 5}' }, { choice: { width: 5 } }],
	['an enum of numbers', { level: '2' }, { level: 2 }],
	['a number within its range', { ratio: 0.25 }, { ratio: 0.25 }],
	['a switch that is off', { flag: false }, { flag: false }],
	['a list', { tags: '["a", "c"]' }, { tags: ['a', 'c'] }],
	['a nested object', { 'box.corner.x': 1, 'box.corner.y': 2, 'box.label': 'b' }, { box: { corner: { x: 1, y: 2 }, label: 'b' } }],
	['a list of objects', { points: [{ x: 1, y: 2 }] }, { points: [{ x: 1, y: 2 }] }],
	['a map', { labels: '{"a": 1}' }, { labels: { a: 1 } }],
	[
		'an object that holds itself',
		{ 'tree.name': 'root', 'tree.children': '[{"name": "leaf"}]' },
		{ tree: { name: 'root', children: [{ name: 'leaf' }] } },
	],
])('sends %s', async (_, value, expected) => {
	expect(await sent({ prompt: 'a fox', ...value })).toEqual({ ...FILLED, ...expected });
});

it('a message names the section as the screen does', async () => {
	const { error } = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: '' }));
	expect(error?.description).toContain('fill in Prompt under Values to Send');
});

it('a rejected request for the schema fails only its own item', async () => {
	const on = 'GET /v2/models/:provider/:model';
	sandbox.inject({ on, answer: { status: 403, code: 'forbidden' } });
	const options = { concurrency: 1 };
	const more = { ...CONTINUE, items: [{}, {}, {}], parameters: { options } };
	const result = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'x' }, more));
	expect(jsons(result)).toMatchObject([{ error: expect.stringContaining('does not allow') }, { output: {} }, { output: {} }]);
	expect(sandbox.requests(on)).toHaveLength(2);
	expect(sandbox.requests(RUNS)).toHaveLength(2);
});

it('keeps types through expressions: each item sends its own', async () => {
	const items = [{ json: { year: 2024, n: 1 } }, { json: { year: 2025, n: 2 } }];
	const result = await runNode(
		formRun(routerCredential(sandbox), MODEL, { prompt: '={{ $json.year }}', count: '={{ $json.n }}' }, { items }),
	);
	expect(jsons(result).map(({ output }) => (output as { input: unknown }).input)).toEqual([
		{ fixed: 'v1', prompt: '2024', count: 1 },
		{ fixed: 'v1', prompt: '2025', count: 2 },
	]);
	expect(sandbox.requests('GET /v2/models/:provider/:model/openapi.json')).toHaveLength(1);
});

it.each<[string, Values, RegExp]>([
	['a missing required field', { prompt: '' }, /^Prompt is empty$/],
	['a wrong type', { count: 'three' }, /^Count is not a whole number$/],
	['a value out of range', { count: 10 }, /^Count is out of range$/],
	['a value that is no choice', { style: 'baroque' }, /^Style is not one of the values/],
	['half a nested object', { 'box.corner.x': 1 }, /^Box > Corner > Y is empty$/],
	['a field of another model', { negative: 'x' }, /^The model has no input "negative"$/],
])('%s is named before anything is sent', async (_, value, message) => {
	const { error } = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox', ...value }));
	expect(error?.message).toMatch(message);
	expect(error?.description).toContain('Nothing was sent');
	expect(error?.context.itemIndex).toBe(0);
	expect(sandbox.requests(RUNS)).toEqual([]);
});

it.each(['lab/open', 'lab/no-schema'])('%s has no form, says so, and takes JSON', async (model) => {
	const { error } = await runNode(formRun(routerCredential(sandbox), model, { prompt: 'a fox' }));
	expect(error?.message).toBe(`The model ${model} has no input schema`);
	expect(error?.description).toMatch(/Input Mode to JSON/);
	const result = await runNode(jsonRun(routerCredential(sandbox), model, { any: [1, '2'] }));
	expect(jsons(result)).toMatchObject([{ output: { input: { any: [1, '2'] } } }]);
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

	it('fill an address, a data URI and a file input of the form', async () => {
		const input = await sent({ prompt: 'a fox' }, { items, parameters: rows('image', 'overlay', 'file') });
		expect(input).toEqual({ ...FILLED, image: dataUri, overlay: dataUri, file: dataUri });
	});

	it('fill a place inside JSON', async () => {
		const input = { messages: [{ role: 'user' }], images: ['first'] };
		const parameters = rows('messages[0].image', 'images');
		expect(jsons(await runNode(jsonRun(routerCredential(sandbox), 'lab/open', input, { items, parameters })))).toMatchObject([
			{ output: { input: { messages: [{ role: 'user', image: dataUri }], images: ['first', dataUri] } } },
		]);
	});

	it('M11: of 5 MiB from n8n’s file storage arrive unchanged in two inputs', async () => {
		const files = [0, 1].map(() => randomBytes(5 * 1024 * 1024));
		const fields = ['first', 'second'];
		const item = { files: Object.fromEntries(fields.map((field, index) => [field, { content: files[index] as Buffer }])) };
		const parameters = { inputFiles: { values: fields.map((field) => ({ field, binaryField: field })) } };
		const [answer] = jsons(await runNode(jsonRun(routerCredential(sandbox), 'lab/open', {}, { items: [item], parameters })));
		const { input } = answer?.output as { input: Record<string, string> };
		const arrived = fields.map((field) => Buffer.from(input[field]?.split(',')[1] ?? '', 'base64'));
		expect(arrived.map((bytes, index) => files[index]?.equals(bytes))).toEqual([true, true]);
	});

	it('are rejected for an input that takes no text', async () => {
		const { error } = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox' }, { items, parameters: rows('count') }));
		expect(error?.message).toBe('The model input "count" does not accept a file');
		expect(sandbox.requests(RUNS)).toEqual([]);
	});

	it('that are missing are named, with the item', async () => {
		const more = { ...CONTINUE, items: [...items, {}], parameters: rows('image') };
		const run = formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox' }, more);
		expect(jsons(await runNode(run))).toMatchObject([{ output: {} }, { error: 'The item has no file in the field "data"', model: MODEL }]);
	});
});

describe('a place for a file', () => {
	type Placed = Parameters<typeof addFiles>[1][number];

	const dataUri = 'data:image/png;base64,QUJD';
	const file = (field: string, path: Placed['path'], place: Placed['encoding'] = 'dataUri'): Placed => ({
		field,
		path,
		encoding: place,
		dataUri,
	});

	it.each<[string, object, Placed, object]>([
		['as a data URI', {}, file('image', ['image']), { image: dataUri }],
		['as bare base64', {}, file('mask', ['mask'], 'base64'), { mask: 'QUJD' }],
		['as the first of a list', {}, file('images', ['images'], 'list'), { images: [dataUri] }],
		['at the end of a list', { images: ['a'] }, file('images', ['images']), { images: ['a', dataUri] }],
		['at its place in a list', { images: ['a', 'b'] }, file('images[0]', ['images', 0]), { images: [dataUri, 'b'] }],
		['deep inside', { a: { b: 1 } }, file('a.c[0].d', ['a', 'c', 0, 'd']), { a: { b: 1, c: [{ d: dataUri }] } }],
	])('a file is put %s', (_, body, placed, expected) => {
		expect(addFiles(body as Record<string, unknown>, [placed])).toEqual(expected);
	});

	it('a form’s own fields are filled before it is checked, the others after', () => {
		const [list, deep] = [file('images', ['images'], 'list'), file('box.image', ['box', 'image'])];
		expect(addFilesToForm({ images: '["a"]' }, [list, deep], new Set(['images']))).toEqual({
			values: { images: ['a', dataUri] },
			otherFiles: [deep],
		});
	});
});
