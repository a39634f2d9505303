import type { INodeProperties } from 'n8n-workflow';

import { brokenPromises, fieldsOf, parametersOf } from '../../scripts/surface/surface';

const promised = { wait: { options: ['live', 'polling'], default: 'live' } };

describe('what breaks a promise', () => {
	it.each([
		['a name that has gone', {}, ['wait: was {"options":["live","polling"],"default":"live"}, is nothing']],
		['a value that has gone', { wait: { options: ['live'], default: 'live' } }, ['wait > options: "polling" has gone']],
		['another default', { wait: { options: ['live', 'polling'], default: 'polling' } }, ['wait > default: was "live", is "polling"']],
	])('%s', (_, now, expected) => expect(brokenPromises(promised, now)).toEqual(expected));

	it('nothing that is added, in any order', () => {
		expect(brokenPromises(promised, { wait: { default: 'live', options: ['new', 'polling', 'live'], hint: 1 }, more: {} })).toEqual([]);
	});
});

const field = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...more,
});

it('a parameter is told with the operation that has it, also within collections', () => {
	const inner = { displayName: 'Values', name: 'values', values: [field('node')] };
	const rows = field('rows', { type: 'fixedCollection', default: {}, options: [inner] });
	const limit = field('limit', { type: 'number', default: 5, displayOptions: { show: { resource: ['job'], operation: ['get', 'list'] } } });
	const note = field('note', { type: 'notice' });
	expect(Object.keys(parametersOf([rows, limit, note]))).toEqual(['rows', 'rows.values.node', 'job/get: limit', 'job/list: limit']);
});

it('two fields of one path are told as one that takes what either takes', () => {
	const one = field('source', { type: 'options', default: 'a', options: [{ name: 'A', value: 'a' }] });
	const other = { ...one, default: 'b', options: [{ name: 'B', value: 'b' }] };
	expect(parametersOf([one, other])).toMatchObject({ source: { options: ['a', 'b'], defaults: ['"a"', '"b"'] } });
});

it('fields of an item are paths; what a list or a node’s id names is one', () => {
	expect(fieldsOf({ json: { outputs: [{ name: 'a' }, { name: 'b', id: 1 }], seeds: { '3.seed': 7, '4.seed': 8 } } })).toEqual([
		'json.outputs[].name',
		'json.outputs[].id',
		'json.seeds.*',
	]);
});
