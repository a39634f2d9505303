import { applyInputs, convertValue, exactText, findInput, type GraphInput, listInputs, parseExact, parseGraph } from '../../../../client';
import * as graphs from '../../../support/graphs';
import { faultOf } from '../support';

const { definitions } = graphs;

describe('convertValue', () => {
	const of = (kind: GraphInput['kind'], limits?: GraphInput['limits'], role: GraphInput['role'] = 'other'): GraphInput => ({
		nodeId: '1',
		input: 'x',
		name: '1.x',
		label: 'Node · x',
		value: undefined,
		kind,
		role,
		limits,
	});

	/** The value as it is sent. */
	const sent = (input: GraphInput, value: unknown): string => exactText(convertValue(input, value));

	describe('a value becomes what its input takes', () => {
		it.each<[GraphInput['kind'], unknown, string]>([
			['text', 'a fox', '"a fox"'],
			['text', '', '""'],
			['text', 7, '"7"'],
			['text', true, '"true"'],
			['text', '18446744073709551615', '"18446744073709551615"'],
			['text', parseExact('18446744073709551615'), '"18446744073709551615"'],
			['text', 9007199254740993n, '"9007199254740993"'],
			['integer', 7, '7'],
			['integer', ' 7 ', '7'],
			['integer', '-3', '-3'],
			['integer', '7.0', '7'],
			['integer', '1e3', '1000'],
			['integer', '18446744073709551615', '18446744073709551615'],
			['integer', 9007199254740993n, '9007199254740993'],
			['number', '1.5', '1.5'],
			['number', 2, '2'],
			['number', '0.1234567890123456789012', '0.1234567890123456789012'],
			['boolean', true, 'true'],
			['boolean', 'False', 'false'],
			['boolean', 'yes', 'true'],
			['boolean', ' no', 'false'],
			['boolean', 'on', 'true'],
			['boolean', 'off', 'false'],
			['boolean', '1', 'true'],
			['boolean', 1, 'true'],
			['boolean', '0', 'false'],
			['json', '{"a": 18446744073709551615}', '{"a":18446744073709551615}'],
			['json', ['euler'], '{"__value__":["euler"]}'],
			['json', '["6", 0]', '{"__value__":["6",0]}'],
		])('%s takes %p', (kind, value, json) => {
			expect(sent(of(kind), value)).toBe(json);
		});

		it.each<[GraphInput['kind'], unknown[]]>([
			['text', [{ a: 1 }, ['a'], null, undefined]],
			['integer', ['1,5', '1.5', 1.5, '', '0x10', true, 'ten', null, { a: 1 }, 'Infinity']],
			['number', ['1,5', 'NaN', '', false]],
			['boolean', ['maybe', '', 2, null, [true]]],
			['json', ['{', null, undefined]],
		])('%s refuses each of %p', (kind, values) => {
			const expected = { fault: 'wrong_value', label: 'Node · x', expected: kind };
			for (const value of values)
				expect([value, faultOf(() => convertValue(of(kind), value))]).toEqual([value, expect.objectContaining(expected)]);
		});

		it.each<[GraphInput['kind'], number]>([
			['integer', 18446744073709552000],
			['number', 9007199254740994],
			['text', 18446744073709552000],
			['number', NaN],
		])('%s refuses %p, which has lost digits', (kind, value) => {
			expect(faultOf(() => convertValue(of(kind), value))).toMatchObject({ fault: 'value_lost_digits', left: String(value) });
		});
	});

	describe('ranges', () => {
		it.each([
			['0', { min: 1, max: 10 }],
			['11', { min: 1, max: 10 }],
			['-1', { min: 0 }],
			['18446744073709551616', { min: 0, max: '18446744073709551615' }],
			['-9007199254740994', { min: '-9007199254740993' }],
		])('%s is outside of %p', (value, limits) => {
			expect(faultOf(() => convertValue(of('integer', limits), value))).toMatchObject({ fault: 'value_out_of_range', value });
		});

		it.each([
			['18446744073709551615', { min: 0, max: '18446744073709551615' }],
			['18446744073709551615', { min: 0, max: 18446744073709552000 }],
			['1', { min: 1, max: 1 }],
			['-9007199254740993', { min: '-9007199254740993' }],
		])('%s is inside of %p', (value, limits) => {
			expect(sent(of('integer', limits), value)).toBe(value);
		});

		it('limit decimals as well, and steps do not', () => {
			expect(convertValue(of('number', { min: 0, max: 1, step: 0.5 }), '0.3')).toBe(0.3);
			expect(convertValue(of('number', { min: 0.5, max: 0.5 }), '0.5')).toBe(0.5);
			expect(faultOf(() => convertValue(of('number', { max: 1 }), 2))).toMatchObject({ min: undefined, max: '1' });
			expect(faultOf(() => convertValue(of('number', { min: 1 }), 0.5))).toMatchObject({ min: '1', max: undefined });
			expect(faultOf(() => convertValue(of('number', { min: 0, max: 1 }), 1.01))).toMatchObject({
				fault: 'value_out_of_range',
				min: '0',
				max: '1',
				value: '1.01',
			});
		});
	});

	describe('choices', () => {
		const sampler = (): GraphInput => findInput(graphs.textToImage, '3.sampler_name', definitions);
		const tile = (): GraphInput => findInput(graphs.booleansAndChoices, '1.tile', definitions);

		it('are sent as they are offered: numbers stay numbers, and case does not matter', () => {
			expect(convertValue(sampler(), 'heun')).toBe('heun');
			expect(convertValue(sampler(), ' Heun')).toBe('heun');
			expect(convertValue(tile(), '512')).toBe(512);
			expect(convertValue(tile(), 128)).toBe(128);
			expect(convertValue(of('choice', { choices: ['A', 'a'] }), 'a')).toBe('a');
			expect(faultOf(() => convertValue(of('choice'), 'a'))).toMatchObject({ fault: 'value_not_offered', offered: [] });
			expect(faultOf(() => convertValue(of('choice', { choices: ['A', 'a'] }), ' a'))).toMatchObject({ fault: 'value_not_offered' });
		});

		it('that are not offered are refused with the nearest ones', () => {
			expect(faultOf(() => convertValue(sampler(), 'eulr'))).toMatchObject({
				fault: 'value_not_offered',
				value: '"eulr"',
				near: expect.arrayContaining(['euler']),
			});
			expect(faultOf(() => convertValue(tile(), 100))).toMatchObject({ fault: 'value_not_offered', offered: ['128', '256', '512'] });
		});

		it('are any texts without definitions', () => {
			expect(convertValue(findInput(graphs.textToImage, '3.sampler_name'), 'whatever')).toBe('whatever');
		});
	});

	describe('files', () => {
		const image = (): GraphInput => findInput(graphs.inpaint, '1.image', definitions);
		const asset = { __type: 'core/ASSET', info: { id: 'a' } };

		it('are names or asset references in any form, and are not compared with a list', () => {
			expect(convertValue(image(), 'just uploaded.png')).toBe('just uploaded.png');
			expect(convertValue(image(), asset)).toEqual(asset);
			expect(convertValue(image(), ` ${JSON.stringify(asset)}`)).toEqual(asset);
		});

		it.each([[''], [7], [{ id: 'a' }], ['{"id": 1'], [null], [['a.png']]])('are not %p', (value) => {
			expect(faultOf(() => convertValue(image(), value))).toMatchObject({ fault: 'wrong_value', expected: 'file' });
		});
	});

	test('an error shows the type of a wrong object or list, and not its content', () => {
		expect(faultOf(() => convertValue(of('integer'), { secret: 1 }))).toMatchObject({ given: 'an object' });
		expect(faultOf(() => convertValue(of('integer'), null))).toMatchObject({ given: 'nothing' });
		expect(faultOf(() => convertValue(of('integer'), undefined))).toMatchObject({ given: 'nothing' });
		expect(faultOf(() => convertValue(of('integer'), ['x']))).toMatchObject({ given: 'a list' });
		expect(faultOf(() => convertValue(of('integer'), 'x'))).toMatchObject({ given: '"x"' });
	});

	test('a seed is sent with every digit, at the node that holds it', () => {
		const [seed] = listInputs(graphs.linkedThrough, definitions).filter(({ nodeId, role }) => nodeId === '6' && role === 'seed');
		const changed = applyInputs(graphs.linkedThrough, { '6': { value: convertValue(seed as GraphInput, '9223372036854775807') } });
		expect(exactText(changed)).toContain('"value":9223372036854775807');
		expect(parseGraph(exactText(changed))['7']?.inputs.noise_seed).toEqual(['6', 0]);
	});
});
