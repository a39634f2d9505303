import { type ApiGraph, type Definitions, findInput, type GraphInput, listInputs, listOutputNodes, parseExact } from '../../../../client';
import { node, textToImage } from '../../../support/graphs';
import { definitions } from '../convert/support/recordings';
import { defining, oneNode } from './support';

const SAMPLERS = ['euler', 'heun'];
const kindsIn = (graph: ApiGraph, known?: Definitions): string[] => listInputs(graph, known).map(({ kind }) => kind);
const input = (graph: ApiGraph, name: string, known = definitions): GraphInput =>
	listInputs(graph, known).find((one) => one.name === name) as GraphInput;

describe('kinds and limits', () => {
	it('come from definitions of every form', () => {
		const of = (name: string) => {
			const { kind, limits } = input(textToImage, name);
			return { kind, ...limits };
		};
		expect(of('3.seed')).toEqual({ kind: 'integer', min: 0, max: '18446744073709551615' });
		expect(of('3.steps')).toEqual({ kind: 'integer', min: 1, max: 10000 });
		expect(of('3.cfg')).toMatchObject({ kind: 'number', min: 0, max: 100, step: 0.1 });
		expect(of('3.sampler_name')).toMatchObject({ kind: 'choice', choices: expect.arrayContaining(['heun']) });
		expect(of('6.text')).toEqual({ kind: 'text', multiline: true });
		expect(of('4.ckpt_name')).toEqual({ kind: 'text' });
	});

	it('of inputs behind a choice are those of the chosen option', () => {
		const resized = (inputs: object) => oneNode('ResizeImageMaskNode', { ...inputs });
		const first = resized({ resize_type: 'scale dimensions', 'resize_type.width': 512, 'resize_type.crop': 'center' });
		expect(input(first, '1.resize_type').limits?.choices).toEqual(expect.arrayContaining(['scale dimensions', 'scale by multiplier']));
		expect(input(first, '1.resize_type.width')).toMatchObject({ kind: 'integer', limits: { max: 16384 } });
		expect(input(first, '1.resize_type.crop')).toMatchObject({ kind: 'choice' });
		const second = resized({ resize_type: 'scale by multiplier', 'resize_type.multiplier': 2, 'resize_type.width': 5 });
		expect(input(second, '1.resize_type.multiplier')).toMatchObject({ kind: 'number', limits: { max: 8 } });
		expect(input(second, '1.resize_type.width').limits).toBeUndefined();
		const template = { input: { required: { part: ['STRING', { multiline: true }] } }, prefix: 'part', min: 1 };
		const grown = defining('Grown', 'parts', ['COMFY_AUTOGROW_V3', { template }]);
		expect(input(oneNode('Grown', { 'parts.part3': 'x' }), '1.parts.part3', grown).limits).toEqual({ multiline: true });
	});

	it('follow from the value without definitions: only counts are whole numbers', () => {
		const kinds = { '3.seed': 'integer', '5.width': 'integer', '3.cfg': 'number', '3.steps': 'number', '3.sampler_name': 'text' };
		for (const [name, kind] of Object.entries(kinds)) expect(findInput(textToImage, name).kind).toBe(kind);
		expect(kindsIn(oneNode('ConditioningSetAreaPercentage', { width: 0.5, seconds: 5 }))).toEqual(['number', 'number']);
		const values = { enabled: true, note: { __value__: 'wrapped' }, settings: { a: 1 }, pair: ['1', '2', '3'], tile: 256 };
		expect(kindsIn(oneNode('A', values))).toEqual(['boolean', 'text', 'json', 'json', 'number']);
	});

	it.each<[input: string, value: unknown, definition: unknown[] | undefined, expected: object]>([
		['x', 5, ['SOCKET,STRING'], { kind: 'text', role: 'other' }],
		['x', 256, [[128, 256, 512]], { kind: 'choice', limits: { choices: [128, 256, 512] } }],
		['x', { __value__: SAMPLERS }, ['COMBO', { multiselect: true, options: SAMPLERS }], { kind: 'json', value: SAMPLERS }],
		['x', { a: 1 }, ['SOMETHING', {}], { kind: 'json' }],
		['x', 5, ['FLOAT,INT', { widgetType: 'FLOAT', min: 1 }], { kind: 'number', limits: { min: 1 } }],
		['x', 5, ['INT,FLOAT', {}], { kind: 'number' }],
		['x', '#fff', ['COLOR', {}], { kind: 'text' }],
		['x', 5, ['STRING', { widgetType: 'INT' }], { kind: 'integer' }],
		['x', 5, ['STRING', { widgetType: 7 }], { kind: 'text' }],
		['x', 5, ['STRING', { min: 1 }], { kind: 'text', limits: undefined }],
		['x', 5, ['INT', {}], { kind: 'integer', limits: undefined }],
		['x', 5, ['INT', { min: 'none', max: '-5', step: 'x2' }], { limits: { max: '-5' } }],
		['x', 5, ['INT', { max: parseExact('18446744073709551615') }], { limits: { max: '18446744073709551615' } }],
		['x', true, [[true, false, { a: 1 }]], { kind: 'choice', limits: { choices: [true, false] } }],
		['x', 5, ['INT', { control_after_generate: true }], { role: 'seed' }],
		['value', 5, ['INT', { control_after_generate: true }], { role: 'other' }],
		['width', 5, ['INT', { control_after_generate: true }], { role: 'size' }],
		['x', 5, ['FLOAT', { control_after_generate: true }], { role: 'other' }],
		['seed', 5, ['FLOAT', {}], { kind: 'number', role: 'seed' }],
		['seed', true, ['BOOLEAN', {}], { kind: 'boolean', role: 'other' }],
		['aspect_ratio', '1:1', ['COMBO', { options: ['1:1'] }], { kind: 'choice', role: 'size' }],
		['prompt', 'a', [['a']], { kind: 'choice', role: 'other' }],
		['my_width', 5, undefined, { kind: 'integer', role: 'size' }],
		['width_x', 5, undefined, { kind: 'number', role: 'other' }],
		['x', null, undefined, { kind: 'text' }],
		['x', undefined, undefined, { kind: 'text' }],
		['f', 5, ['COMBO', { options: [], audio_upload: true }], { kind: 'text', role: 'file', limits: { fileKind: 'audio' } }],
		['f', 'a.png', ['COMBO', { options: [] }], { role: 'file', limits: { fileKind: 'image' } }],
		['f', 'a.png', ['STRING', {}], { role: 'other' }],
		['a.b', 5, ['INT', { max: 9 }], { kind: 'integer', limits: { max: 9 } }],
	])('of %s = %p with the definition %j', (name, value, entry, expected) => {
		const [found] = listInputs(oneNode('A', { [name]: value }), entry && defining('A', name, entry));
		expect({ limits: undefined, ...found }).toEqual(expect.objectContaining(expected));
	});

	it('of inputs behind two choices depend on both, and without such a choice on the value', () => {
		const DYNAMIC = 'COMFY_DYNAMICCOMBO_V3';
		const inner = [DYNAMIC, { options: [{ key: 'y', inputs: { optional: { c: ['INT', { max: 9 }] } } }] }];
		const outer = [DYNAMIC, { options: [{ key: 'x', inputs: { required: { b: inner } } }] }];
		const known = { A: { input: { required: { a: outer, bare: [DYNAMIC] } } } };
		const limitsFor = (inputs: Record<string, unknown>) => listInputs(oneNode('A', inputs), known).map(({ limits }) => limits);
		expect(limitsFor({ a: 'x', 'a.b': 'y', 'a.b.c': 1 })).toEqual([{ choices: ['x'] }, { choices: ['y'] }, { max: 9 }]);
		expect(limitsFor({ a: 'gone', 'a.b': 'y', 'bare.b': 1 })).toEqual([{ choices: ['x'] }, undefined, undefined]);
	});

	it('of invalid definitions, which no server should send, follow from the value', () => {
		const required = { a: null, b: [], c: 'INT', d: [7], e: ['INT', 'x'] };
		const own = { Broken: { input: { required, optional: 'none' }, output_node: 'yes' }, Empty: {} } as Definitions;
		const broken = {
			'1': node('Broken', undefined, { a: 1, b: 'x', c: true, d: 2, e: 3, f: 4 }),
			'2': node('Empty', undefined, { a: 1 }),
			'3': node('__proto__', undefined, { constructor: 1 }),
		};
		expect(kindsIn(broken, own)).toEqual(['number', 'text', 'boolean', 'number', 'integer', 'number', 'number', 'number']);
		expect(listOutputNodes(broken, own)).toEqual([]);
	});
});
