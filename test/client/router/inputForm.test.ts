import { listFormFields } from '../../../client/router/inputForm/formFields';
import { buildInputForm, findFileEncoding, parseInputPath } from '../../../client/router/inputForm/inputForm';
import { buildRequestBody } from '../../../client/router/inputForm/requestBody';
import type { FormField } from '../../../client/router/inputForm/types';
import { faultOf, type Json, useForms } from './support/forms';

const schemas = {
	Size: {
		type: 'object',
		title: 'Size',
		properties: { width: { type: 'integer', minimum: 64 }, height: { type: 'integer' } },
		required: ['width'],
	},
	Tree: { type: 'object', properties: { name: { type: 'string' }, child: { $ref: '#/components/schemas/Tree' } } },
	'a/b~c': { type: 'string', title: 'Escaped' },
	'two words': { type: 'string', title: 'Spaced' },
	list: [{}, { type: 'integer' }],
	Style: { type: 'string', enum: ['oil', 'ink'] },
};
const document = { components: { schemas } };
const choices = (...entries: Array<[string, string | number | boolean]>) => entries.map(([name, value]) => ({ name, value }));
const [LOW, HIGH] = [
	{ const: 1, title: 'Low' },
	{ const: 2, title: 'High' },
];
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const { formOf, fieldsOf, bodyOf, sent } = useForms(document);

describe('a field', () => {
	it.each<[string, Json, Partial<FormField>]>([
		[
			'its title and description',
			{ type: 'string', title: 'The Prompt', description: 'What to draw' },
			{ displayName: 'The Prompt', description: 'What to draw' },
		],
		[
			'a whole number with its range',
			{ type: 'integer', minimum: 1, maximum: 50, default: 20 },
			{ type: 'number', range: '1 to 50', description: 'Range: 1 to 50.', default: 20 },
		],
		['a number above a bound', { type: 'number', exclusiveMinimum: 0, maximum: 1 }, { type: 'number', range: 'above 0 and at most 1' }],
		['the older dialect of bounds', { type: 'number', minimum: 0, exclusiveMinimum: true }, { range: 'above 0' }],
		['the length of a text', { type: 'string', maxLength: 5 }, { range: 'at most 5 characters' }],
		['three ways where there is no default', { type: 'boolean' }, { type: 'options', options: choices(['True', true], ['False', false]) }],
		['an enum', { enum: ['a', 'b'], default: 'b' }, { type: 'options', options: choices(['a', 'a'], ['b', 'b']), default: 'b' }],
		['oneOf of const with titles', { oneOf: [LOW, HIGH] }, { type: 'options', options: choices(['Low', 1], ['High', 2]) }],
		['anyOf of an enum and null', { anyOf: [ref('Style'), { type: 'null' }], default: null }, { type: 'options', required: false }],
		[
			'a $ref with its own words beside it',
			{ ...ref('Style'), title: 'My Style', default: 'ink' },
			{ displayName: 'My Style', default: 'ink', type: 'options' },
		],
		['an escaped $ref', ref('a~1b~0c'), { displayName: 'Escaped', type: 'string' }],
		['a percent-encoded $ref', ref('two%20words'), { displayName: 'Spaced', type: 'string' }],
		['a $ref to an entry of a list', ref('list/1'), { type: 'number' }],
		['a nullable number, the older way', { type: 'number', nullable: true }, { type: 'number' }],
		['a list as JSON', { type: 'array', items: { type: 'string' }, default: ['a'] }, { type: 'array', default: '["a"]' }],
		['oneOf of objects as JSON', { oneOf: [{ type: 'object', properties: { a: {} } }, ref('Size')] }, { type: 'object' }],
		['a size or its name as text', { anyOf: [ref('Size'), { type: 'string' }] }, { type: 'string' }],
		['a $ref that leads nowhere as text', ref('Missing'), { type: 'string' }],
		['a $ref out of the document as text', { $ref: '#/constructor' }, { type: 'string' }],
		['a $ref to another document as text', { $ref: 'https://example.com/#/components/schemas/Size' }, { type: 'string' }],
	])('shows %s', (_, property, expected) => {
		expect(fieldsOf({ it: property })[0]).toMatchObject({ id: 'it', ...expected });
	});

	it('shows no default where there is none, or null', () => {
		expect(fieldsOf({ it: { type: 'string', default: null } })[0]).not.toHaveProperty('default');
	});
});

describe('what is sent for', () => {
	it.each<[string, Json, unknown, unknown]>([
		['text keeps its spaces', { type: 'string' }, ' a ', ' a '],
		['0 is no empty field', { type: 'integer' }, 0, 0],
		['an enum of texts, given as a number', { enum: ['1', '2'] }, 2, '2'],
		['a list that is one already', { type: 'array' }, ['a'], ['a']],
		['"2024" where text or a number is taken', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, '2024', '2024'],
		['a number where text or a number is taken', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 2024, 2024],
		['a number, given as text, where a number or a switch is taken', { type: ['integer', 'boolean'] }, '5', 5],
		['anything where nothing is said', {}, '[1]', [1]],
	])('%s', (_, property, value, expected) => {
		expect(sent(property, value)).toEqual(expected);
	});

	it('a required field that is empty is null where it may be, or its default', () => {
		expect(sent({ type: ['string', 'null'] }, '', true)).toBeNull();
		expect(sent({ type: 'integer', default: 3 }, '', true)).toBe(3);
	});

	it('const is filled in and never asked for', () => {
		const tree = formOf({ kind: { const: 'image' }, prompt: { type: 'string' } }, { required: ['kind', 'prompt'] });
		expect(listFormFields(tree).map(({ id }) => id)).toEqual(['prompt']);
		expect(buildRequestBody(tree, { prompt: 'a fox' })).toEqual({ kind: 'image', prompt: 'a fox' });
	});
});

describe('nested objects', () => {
	const tree = formOf({
		size: ref('Size'),
		a: { type: 'object', properties: { b: { type: 'object', properties: { c: { type: 'object', properties: { d: {} } } } } } },
	});

	it('stand field by field, the deeper ones as JSON, and are required where their object is', () => {
		expect(fieldsOf({ size: ref('Size') }, { required: ['size'] })[0]).toMatchObject({ id: 'size.width', required: true });
		expect(listFormFields(tree).map(({ id, type, displayName, required }) => [id, type, displayName, required])).toEqual([
			['size.width', 'number', 'Size > Width', false],
			['size.height', 'number', 'Size > Height', false],
			['a.b.c', 'object', 'A > B > C', false],
		]);
	});
});

it('rejects a whole number that a double may have rounded, and sends a smaller one', () => {
	for (const rounded of [2 ** 53, 2 ** 64])
		expect(faultOf(() => sent({ type: 'integer' }, rounded))).toMatchObject({ fault: 'lost_digits', field: 'It' });
	expect(sent({ type: 'integer' }, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
});

describe('the whole body', () => {
	it('merges allOf, required fields of both, through a $ref', () => {
		const more = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] };
		const tree = buildInputForm({ allOf: [ref('Size'), more] }, document);
		expect(tree && listFormFields(tree).map(({ id, required }) => [id, required])).toEqual([
			['width', true],
			['prompt', true],
			['height', false],
		]);
	});

	it('takes further fields as JSON only where the schema does', () => {
		const tree = formOf({ prompt: { type: 'string' } }, { additionalProperties: true });
		expect(listFormFields(tree).at(-1)).toMatchObject({ displayName: 'Additional Fields (JSON)', type: 'object' });
		expect(buildRequestBody(tree, { prompt: 'a', additional_fields_json: '{"style": 1}' })).toEqual({ style: 1, prompt: 'a' });
		expect(fieldsOf({ prompt: { type: 'string' } })).toHaveLength(1);
	});

	it('without any named field has no form', () => {
		expect(buildInputForm({ type: 'object' }, document)).toBeUndefined();
	});

	it('says which fields belong together without hiding them', () => {
		const tree = formOf({ a: { type: 'string' }, b: { type: 'string' } }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] });
		expect(buildRequestBody(tree, { b: 'x' })).toEqual({ b: 'x' });
	});
});

describe('a fault names its field', () => {
	it.each<[Json, unknown, Json]>([
		[{ type: 'number' }, {}, { fault: 'wrong_type', expected: 'a number' }],
		[{ type: 'number', exclusiveMinimum: 0 }, 0, { fault: 'out_of_range', allowed: 'above 0' }],
		[{ type: 'string', maxLength: 2 }, 'abc', { fault: 'out_of_range', allowed: 'at most 2 characters' }],
		[{ type: 'string' }, { a: 1 }, { fault: 'wrong_type', expected: 'text' }],
		[{ type: 'boolean', default: true }, 'maybe', { fault: 'wrong_type', expected: 'true or false' }],
		[{ type: 'array' }, 'one, two', { fault: 'wrong_type' }],
		[{ type: 'object' }, '[1]', { fault: 'wrong_type' }],
		[{ type: ['integer', 'boolean'] }, 'x', { fault: 'wrong_type', expected: 'integer or boolean' }],
	])('%j given %j', (property, value, expected) => {
		expect(faultOf(() => sent({ title: 'The Field', ...property }, value))).toMatchObject({ field: 'The Field', ...expected });
	});

	it('is named with the known ones where the model does not have it any more, unless it is empty', () => {
		expect(faultOf(() => bodyOf({ a: {}, b: {} }, { a: 1, gone: 1, b: 1 }))).toEqual({
			fault: 'unknown_field',
			field: 'gone',
			known: ['a', 'b'],
		});
		expect(faultOf(() => bodyOf({ a: {} }, { gone: '' }))).toBeUndefined();
	});
});

describe('a file', () => {
	const schema = {
		type: 'object',
		properties: {
			image_url: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
			image_urls: { type: 'array', items: { type: 'string' } },
			messages: { type: 'array', items: { type: 'object', properties: { image: { type: 'string' } } } },
			mask: { type: 'string', contentEncoding: 'base64' },
			steps: { type: 'integer' },
			style: ref('Style'),
		},
	};

	it.each([
		['image_url', 'dataUri'],
		['mask', 'base64'],
		['image_urls', 'list'],
		['image_urls[1]', 'dataUri'],
		['messages[0].image', 'dataUri'],
		['steps', undefined],
		['style', undefined],
		['missing', undefined],
	])('goes to %s as %s', (path, expected) => {
		expect(findFileEncoding(schema, document, parseInputPath(path) ?? [])).toBe(expected);
	});

	it.each(['', 'a..b', 'a[x]', '[0]', '.a'])('goes nowhere by the path "%s"', (path) => {
		expect(parseInputPath(path)).toBeUndefined();
	});
});
