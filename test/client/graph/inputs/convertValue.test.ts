import { applyInputs, convertValue, exactText, findInput, type GraphInput, listInputs, parseExact, parseGraph } from '../../../../client';
import { inpaint, linkedThrough, textToImage } from '../../../support/graphs';
import { definitions } from '../convert/support/recordings';
import { faultOf } from '../support';

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
		['text', parseExact('18446744073709551615'), '"18446744073709551615"'],
		['text', 9007199254740993n, '"9007199254740993"'],
		['integer', ' 7 ', '7'],
		['integer', '-3', '-3'],
		['integer', '7.0', '7'],
		['integer', '1e3', '1000'],
		['integer', '18446744073709551615', '18446744073709551615'],
		['integer', 9007199254740993n, '9007199254740993'],
		['number', '1.5', '1.5'],
		['number', '0.1234567890123456789012', '0.1234567890123456789012'],
		['boolean', true, 'true'],
		['boolean', 'False', 'false'],
		['boolean', 'yes', 'true'],
		['boolean', ' no', 'false'],
		['boolean', 'on', 'true'],
		['boolean', 'off', 'false'],
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
		['text', 18446744073709552000],
		['number', NaN],
	])('%s refuses %p, which has lost digits', (kind, value) => {
		expect(faultOf(() => convertValue(of(kind), value))).toMatchObject({ fault: 'value_lost_digits', left: String(value) });
	});

	it('an error shows the type of a wrong object or list, and not its content', () => {
		const shown = [{ secret: 1 }, null, undefined, ['x'], 'x'].map((value) => faultOf(() => convertValue(of('integer'), value)));
		expect(shown).toMatchObject(['an object', 'nothing', 'nothing', 'a list', '"x"'].map((given) => ({ given })));
	});
});

it.each<[value: string | number, kind: 'integer' | 'number', limits: GraphInput['limits'], isInside: boolean]>([
	['0', 'integer', { min: 1, max: 10 }, false],
	['1', 'integer', { min: 1, max: 1 }, true],
	['18446744073709551616', 'integer', { min: 0, max: '18446744073709551615' }, false],
	['18446744073709551615', 'integer', { min: 0, max: '18446744073709551615' }, true],
	['18446744073709551615', 'integer', { min: 0, max: 18446744073709552000 }, true],
	['-9007199254740994', 'integer', { min: '-9007199254740993' }, false],
	[0.5, 'number', { min: 1 }, false],
	[1.01, 'number', { min: 0, max: 1 }, false],
	[0.5, 'number', { min: 0.5, max: 0.5 }, true],
])('the value %p of a %s is within %j: %s', (value, kind, limits, isInside) => {
	const { min, max } = limits ?? {};
	const fault = { fault: 'value_out_of_range', value: String(value), min: min?.toString(), max: max?.toString() };
	if (isInside) expect(sent(of(kind, limits), value)).toBe(String(value));
	else expect(faultOf(() => convertValue(of(kind, limits), value))).toEqual({ ...fault, label: 'Node · x' });
});

describe('choices', () => {
	const sampler = (): GraphInput => findInput(textToImage, '3.sampler_name', definitions);
	const tile = of('choice', { choices: [128, 256, 512] });

	it('are sent as they are offered: numbers stay numbers, and case does not matter', () => {
		expect([convertValue(sampler(), 'heun'), convertValue(sampler(), ' Heun')]).toEqual(['heun', 'heun']);
		expect([convertValue(tile, '512'), convertValue(tile, 128)]).toEqual([512, 128]);
		expect(convertValue(of('choice', { choices: ['A', 'a'] }), 'a')).toBe('a');
		expect(faultOf(() => convertValue(of('choice'), 'a'))).toMatchObject({ fault: 'value_not_offered', offered: [] });
		expect(faultOf(() => convertValue(of('choice', { choices: ['A', 'a'] }), ' a'))).toMatchObject({ fault: 'value_not_offered' });
	});

	it('that are not offered are refused with the nearest ones, and are any texts without definitions', () => {
		const fault = { fault: 'value_not_offered', value: '"eulr"', near: expect.arrayContaining(['euler']) as unknown };
		expect(faultOf(() => convertValue(sampler(), 'eulr'))).toMatchObject(fault);
		expect(faultOf(() => convertValue(tile, 100))).toMatchObject({ fault: 'value_not_offered', offered: ['128', '256', '512'] });
		expect(convertValue(findInput(textToImage, '3.sampler_name'), 'whatever')).toBe('whatever');
	});
});

describe('files', () => {
	const image = (): GraphInput => findInput(inpaint, '1.image', definitions);
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

it('two seeds are sent with every digit, at the nodes that hold them', () => {
	const seeds = listInputs(linkedThrough).filter(({ role }) => role === 'seed');
	expect(seeds.map(({ name }) => name)).toEqual(['5.seed', '6.value']);
	const [first, second] = seeds.map((seed, at) => convertValue(seed, `922337203685477580${at}`));
	const changed = exactText(applyInputs(linkedThrough, { '5': { seed: first }, '6': { value: second } }));
	expect(changed).toContain('"seed":9223372036854775800');
	expect(changed).toContain('"value":9223372036854775801');
	expect(parseGraph(changed)['7']?.inputs.noise_seed).toEqual(['6', 0]);
});
