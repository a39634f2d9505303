import { findFileEncoding } from '../../../client/router/inputForm/inputForm';
import { readInputSchema } from '../../../client/router/inputForm/resolveSchema';
import { faultOf, type Json, useForms } from './support/forms';

const { fieldsOf, bodyOf, sent } = useForms();
const idsOf = (properties: Json): string[] => fieldsOf(properties).map(({ id }) => id);
const text = { type: 'string' };

describe('the form', () => {
	it('requires no field of an optional object inside, nor of a required object in an optional one', () => {
		const inner = { type: 'object', properties: { name: text }, required: ['name'] };
		const outer = { type: 'object', properties: { inner }, required: ['inner'] };
		expect(fieldsOf({ outer })).toMatchObject([{ id: 'outer.inner.name', required: false }]);
	});

	it('shows an object as JSON if the name of a property contains a dot', () => {
		expect(idsOf({ it: { type: 'object', properties: { 'a.b': text } } })).toEqual(['it']);
	});

	it('has no field for a property that only answers contain', () => {
		expect(idsOf({ prompt: text, seen: { ...text, readOnly: true } })).toEqual(['prompt']);
	});

	it('has a field for a fixed value that may also be null', () => {
		expect(idsOf({ fixed: { const: 'a' }, optional: { const: 'a', nullable: true } })).toEqual(['optional']);
	});

	it('has a field for further properties if their schema is named', () => {
		expect(fieldsOf({ it: text }, { additionalProperties: text }).map(({ type }) => type)).toEqual(['string', 'object']);
	});

	it('takes a file in a field of unknown type, and none in a number', () => {
		expect(fieldsOf({ any: {}, number: { type: 'number' } })).toMatchObject([{ takesFile: true }, { type: 'number' }]);
		expect(fieldsOf({ number: { type: 'number' } })[0]).not.toHaveProperty('takesFile');
	});

	it('shows a number that may be whole or not as one number', () => {
		expect(fieldsOf({ it: { type: ['integer', 'number'] } })).toMatchObject([{ type: 'number' }]);
	});

	it('takes any value if one of the alternatives does not name its type', () => {
		const untyped = { required: ['a'], anyOf: [{ items: {} }, { enum: [1, {}] }] };
		expect(bodyOf({ it: untyped }, { it: 'a text' })).toEqual({ it: 'a text' });
	});
});

describe('a schema', () => {
	it('keeps its type if its alternatives only say which fields belong together', () => {
		const it = { ...text, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
		expect(faultOf(() => sent(it, {}))).toMatchObject({ fault: 'wrong_type' });
		expect(fieldsOf({ it: { type: 'object', properties: { a: text, b: text }, anyOf: it.anyOf } }).map(({ id }) => id)).toEqual([
			'it.a',
			'it.b',
		]);
	});

	it('combines what its parts say about the same property', () => {
		const part = { properties: { it: { title: 'Steps', minimum: 5 } } };
		const fields = fieldsOf({ it: { type: 'integer', maximum: 9 } }, { allOf: [part] });
		expect(fields).toMatchObject([{ displayName: 'Steps', range: '5 to 9' }]);
	});

	it('is that of the model, not that of the queued submission', () => {
		const post = (title: string) => ({
			post: { requestBody: { content: { 'application/json': { schema: { title } } } } },
		});
		const paths = { '/models/{id}/requests': post('queued'), '/models/{id}': post('model') };
		expect(readInputSchema({ paths }, 'bfl/flux-2').schema).toEqual({ title: 'model' });
	});
});

describe('a file', () => {
	const encodingOf = (property: Json): unknown => findFileEncoding({ type: 'object', properties: { it: property } }, {}, ['it']);

	it('is sent as plain base64 if the schema says "byte"', () => {
		expect(encodingOf({ ...text, format: 'byte' })).toBe('base64');
	});

	it('is sent as a data URI if only one of the alternatives is plain base64', () => {
		const schema = { type: 'object', anyOf: [{ properties: { it: { ...text, format: 'byte' } } }, { properties: { it: text } }] };
		expect(findFileEncoding(schema, {}, ['it'])).toBe('dataUri');
	});
});

describe('the body', () => {
	it('contains null for a required choice that is empty and may be null', () => {
		expect(bodyOf({ it: { enum: ['a', null] } }, {}, { required: ['it'] })).toEqual({ it: null });
	});

	it.each<[string, Json]>([
		['the older way', { ...text, nullable: true }],
		['in one of its alternatives', { anyOf: [{ type: ['string', 'null'] }, { type: 'integer' }] }],
	])('contains null for a required field that is empty and may be null, %s', (_, it) => {
		expect(bodyOf({ it }, {}, { required: ['it'] })).toEqual({ it: null });
	});

	it('leaves out an optional object whose only value is fixed', () => {
		expect(bodyOf({ it: { type: 'object', properties: { kind: { const: 'a' }, name: text } } }, {})).toEqual({});
	});

	it('prefers the value of a field to a further property of the same name', () => {
		const values = { it: 'field', additional_fields_json: '{"it": "further", "more": 1}' };
		expect(bodyOf({ it: text }, values, { additionalProperties: true })).toEqual({ it: 'field', more: 1 });
	});

	it('rejects a list where an object or a whole number is taken', () => {
		expect(faultOf(() => sent({ type: ['object', 'integer'] }, '[1]'))).toMatchObject({ fault: 'wrong_type' });
	});

	it.each<[string, Json, unknown, unknown]>([
		['takes a text of exactly the greatest length', { ...text, maxLength: 3 }, 'abc', 'abc'],
		['counts a character of two code units once', { ...text, maxLength: 1 }, '🦊', '🦊'],
		['prefers the choice of the same type', { enum: [1, '1'] }, '1', '1'],
		['keeps the text of a list where the model takes text or an object', { type: ['object', 'string'] }, '[1]', '[1]'],
		['converts a number to text where text or a list is taken', { type: ['array', 'string'] }, 5, '5'],
	])('%s', (_, property, value, expected) => {
		expect(sent(property, value)).toEqual(expected);
	});
});
