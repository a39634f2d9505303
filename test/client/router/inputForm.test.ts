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
const text = { type: 'string' };
const GROUPS = [{ required: ['a'] }, { required: ['b'] }];

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
		[
			'a number above a bound',
			{ type: ['integer', 'number'], exclusiveMinimum: 0, maximum: 1 },
			{ type: 'number', range: 'above 0 and at most 1', takesFile: undefined },
		],
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
		[
			'no default where it is null, and a field of unknown type as one that takes a file',
			{ default: null },
			{ default: undefined, takesFile: true },
		],
		['a $ref to another document as text', { $ref: 'https://example.com/#/components/schemas/Size' }, { type: 'string' }],
	])('shows %s', (_, property, expected) => {
		expect({ default: undefined, takesFile: undefined, ...fieldsOf({ it: property })[0] }).toMatchObject({ id: 'it', ...expected });
	});

	it.each<[what: string, properties: Json, ids: string[]]>([
		['an object as JSON if the name of a property contains a dot', { it: { type: 'object', properties: { 'a.b': text } } }, ['it']],
		['no property that only answers contain', { prompt: text, seen: { ...text, readOnly: true } }, ['prompt']],
		['a fixed value only if it may also be null', { fixed: { const: 'a' }, optional: { const: 'a', nullable: true } }, ['optional']],
		[
			'an object whose alternatives only group its fields',
			{ it: { type: 'object', properties: { a: text, b: text }, anyOf: GROUPS } },
			['it.a', 'it.b'],
		],
		['an object that contains itself, and then JSON', { tree: ref('Tree') }, ['tree.name', 'tree.child']],
	])('shows %s', (_, properties, ids) => {
		expect(fieldsOf(properties).map(({ id }) => id)).toEqual(ids);
	});
});

describe('what is sent for', () => {
	it.each<[string, Json, unknown, unknown]>([
		['text keeps its spaces', { type: 'string' }, ' a ', ' a '],
		['0 is no empty field', { type: 'integer' }, 0, 0],
		['an enum of texts, given as a number', { enum: ['1', '2'] }, 2, '2'],
		['a list that is one already', { type: 'array' }, ['a'], ['a']],
		['an object that is one already', { type: 'object' }, { a: 1 }, { a: 1 }],
		['"2024" where text or a number is taken', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, '2024', '2024'],
		['a number where text or a number is taken', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 2024, 2024],
		['a number, given as text, where a number or a switch is taken', { type: ['integer', 'boolean'] }, '5', 5],
		['a switch, given as text, where a number or a switch is taken', { type: ['integer', 'boolean'] }, 'true', true],
		['anything where nothing is said', {}, '[1]', [1]],
		['any value if one alternative does not name its type', { required: ['a'], anyOf: [{ items: {} }, { enum: [1, {}] }] }, 'a', 'a'],
		['a text of exactly the greatest length', { ...text, maxLength: 3 }, 'abc', 'abc'],
		['a character of two code units, which counts once', { ...text, maxLength: 1 }, '🦊', '🦊'],
		['the choice of the same type', { enum: [1, '1'] }, '1', '1'],
		['the text of a list where text or an object is taken', { type: ['object', 'string'] }, '[1]', '[1]'],
		['a number as text where text or a list is taken', { type: ['array', 'string'] }, 5, '5'],
		['the least number of a range', { type: 'number', minimum: 1, maximum: 5 }, 1, 1],
		['the greatest number of a range', { type: 'number', minimum: 1, maximum: 5 }, 5, 5],
		['a whole number that a double holds', { type: 'integer' }, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	])('%s', (_, property, value, expected) => {
		expect(sent(property, value)).toEqual(expected);
	});

	it.each<[what: string, Json, unknown]>([
		['null where it may be', { type: ['string', 'null'] }, null],
		['null where it may be, the older way', { ...text, nullable: true }, null],
		['null where one alternative may be', { anyOf: [{ type: ['string', 'null'] }, { type: 'integer' }] }, null],
		['null where it is a choice', { enum: ['a', null] }, null],
		['its default', { type: 'integer', default: 3 }, 3],
	])('a required field that is empty is %s', (_, property, expected) => {
		expect(sent(property, '', true)).toBe(expected);
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

	it('require no field if an object around it is optional', () => {
		const inner = { type: 'object', properties: { name: text }, required: ['name'] };
		const outer = { type: 'object', properties: { inner }, required: ['inner'] };
		expect(fieldsOf({ outer })).toMatchObject([{ id: 'outer.inner.name', required: false }]);
	});

	it('are sent if only their second field is filled in, but not for a fixed value alone', () => {
		expect(bodyOf({ tree: ref('Tree') }, { 'tree.child': '{"name": "leaf"}' })).toEqual({ tree: { child: { name: 'leaf' } } });
		expect(bodyOf({ it: { type: 'object', properties: { kind: { const: 'a' }, name: text } } }, {})).toEqual({});
	});
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

	it('combines what two parts say about one field, and keeps fields that are only grouped', () => {
		const part = { properties: { it: { title: 'Steps', minimum: 5 } } };
		expect(fieldsOf({ it: { type: 'integer', maximum: 9 } }, { allOf: [part] })).toMatchObject([{ displayName: 'Steps', range: '5 to 9' }]);
		expect(bodyOf({ a: text, b: text }, { b: 'x' }, { anyOf: GROUPS })).toEqual({ b: 'x' });
	});

	it.each([true, text])(
		'takes further fields as JSON where the schema does (%j), and prefers the field of the same name',
		(additionalProperties) => {
			const tree = formOf({ prompt: text }, { additionalProperties });
			expect(listFormFields(tree).at(-1)).toMatchObject({ displayName: 'Additional Fields (JSON)', type: 'object' });
			const values = { prompt: 'a', additional_fields_json: '{"style": 1, "prompt": "b"}' };
			expect(buildRequestBody(tree, values)).toEqual({ style: 1, prompt: 'a' });
			expect(fieldsOf({ prompt: text })).toHaveLength(1);
		},
	);

	it('without any named field has no form', () => {
		expect(buildInputForm({ type: 'object' }, document)).toBeUndefined();
	});
});

describe('a fault names its field', () => {
	it.each<[Json, unknown, Json]>([
		[{ type: 'number' }, {}, { fault: 'wrong_type', expected: 'a number' }],
		[{ type: 'integer' }, 'x', { fault: 'wrong_type', expected: 'a whole number' }],
		[{ type: 'integer' }, 1.5, { fault: 'wrong_type', expected: 'a whole number' }],
		[{ enum: ['a', 1] }, 'b', { fault: 'not_a_choice', choices: ['a', '1'] }],
		[{ type: 'number', exclusiveMinimum: 0 }, 0, { fault: 'out_of_range', allowed: 'above 0' }],
		[{ type: 'number', exclusiveMaximum: 5 }, 5, { fault: 'out_of_range', allowed: 'below 5' }],
		[{ type: 'number', minimum: 1 }, 0.9, { fault: 'out_of_range', allowed: 'at least 1' }],
		[{ type: 'string', maxLength: 2 }, 'abc', { fault: 'out_of_range', allowed: 'at most 2 characters' }],
		[{ type: 'string', minLength: 2 }, 'a', { fault: 'out_of_range', allowed: 'at least 2 characters' }],
		[{ type: 'string' }, { a: 1 }, { fault: 'wrong_type', expected: 'text' }],
		[{ type: 'boolean', default: true }, 'maybe', { fault: 'wrong_type', expected: 'true or false' }],
		[{ type: 'array' }, 'one, two', { fault: 'wrong_type' }],
		[{ type: 'object' }, '[1]', { fault: 'wrong_type' }],
		[{ type: ['integer', 'boolean'] }, 'x', { fault: 'wrong_type', expected: 'integer or boolean' }],
		[{ type: ['object', 'integer'] }, '[1]', { fault: 'wrong_type' }],
		[{ type: 'string', anyOf: GROUPS }, {}, { fault: 'wrong_type', expected: 'text' }],
		[{ type: 'integer' }, 2 ** 53, { fault: 'lost_digits' }],
		[{ type: 'integer' }, 2 ** 64, { fault: 'lost_digits' }],
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
			byte: { type: 'string', format: 'byte' },
			both: { items: { anyOf: [{ properties: { it: { type: 'string', format: 'byte' } } }, { properties: { it: text } }] } },
			steps: { type: 'integer' },
			style: ref('Style'),
		},
	};

	it.each([
		['image_url', 'dataUri'],
		['mask', 'base64'],
		['byte', 'base64'],
		['both[0].it', 'dataUri'],
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
