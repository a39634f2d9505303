import { type ApiGraph, applyInputs, followChoices, type InputValues } from '../../../../client';
import { faultOf } from '../support';
import { definitions } from './support/recordings';

const CHOSEN = { resize_type: 'scale dimensions', 'resize_type.width': 768, 'resize_type.height': 512, 'resize_type.crop': 'disabled' };
const BESIDE = { scale_method: 'bicubic', input: ['1', 0] };
/** The frontend's export of a node whose dynamic choice is `resize_type`. */
const saved = (): ApiGraph => ({
	'1': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
	'2': { class_type: 'ResizeImageMaskNode', inputs: { ...CHOSEN, ...BESIDE } },
	'3': { class_type: 'ResizeImageMaskNode', inputs: { ...CHOSEN, ...BESIDE } },
});

const changedBy = (values: InputValues, graph = saved()): Record<string, unknown> | undefined =>
	followChoices(graph, applyInputs(graph, values), definitions)['2']?.inputs;

it.each([
	['the inputs of the new option replace those of the earlier one', 'scale by multiplier', { 'resize_type.multiplier': 1 }],
	['a value that fits both options stays as it is', 'scale width', { 'resize_type.width': 768 }],
])('%s', (_, resize_type, behind) => {
	expect(changedBy({ '2': { resize_type } })).toEqual({ resize_type, ...behind, ...BESIDE });
});

it('the choices of two nodes, and two choices of one node, are followed each', () => {
	const resized = { '2': { resize_type: 'scale width' }, '3': { resize_type: 'scale by multiplier' } };
	const after = followChoices(saved(), applyInputs(saved(), resized), definitions);
	expect([after['2']?.inputs, after['3']?.inputs]).toEqual([
		{ resize_type: 'scale width', 'resize_type.width': 768, ...BESIDE },
		{ resize_type: 'scale by multiplier', 'resize_type.multiplier': 1, ...BESIDE },
	]);
	const option = (key: string) => ({ key, inputs: { required: { [`of ${key}`]: ['INT', { default: 7 }] } } });
	const choice = ['COMFY_DYNAMICCOMBO_V3', { options: [option('a'), option('b')] }];
	const two = { Two: { input: { required: { one: choice, other: choice } } } };
	const graph: ApiGraph = { '1': { class_type: 'Two', inputs: { one: 'a', 'one.of a': 1, other: 'a', 'other.of a': 2 } } };
	expect(followChoices(graph, applyInputs(graph, { '1': { one: 'b', other: 'b' } }), two)['1']?.inputs).toEqual({
		...{ one: 'b', 'one.of b': 7 },
		...{ other: 'b', 'other.of b': 7 },
	});
});

it('values that are set together with the choice are sent', () => {
	const wanted = { resize_type: 'scale width', 'resize_type.width': 96 };
	const once = followChoices(saved(), applyInputs(saved(), { '2': { resize_type: 'scale width' } }), definitions);
	expect(changedBy({ '2': { 'resize_type.width': 96 } }, once)).toMatchObject(wanted);
	expect(changedBy({ '2': wanted })).toMatchObject(wanted);
});

it('a value for an input that the new option does not have is refused, with a list of its inputs', () => {
	expect(faultOf(() => changedBy({ '2': { resize_type: 'scale width', 'resize_type.height': 96 } }))).toMatchObject({
		fault: 'no_such_input',
		name: '2.resize_type.height',
		known: expect.arrayContaining(['2.resize_type.width']),
	});
});

it('a graph does not change without a changed choice, or without definitions', () => {
	const graph = saved();
	for (const values of [{ '2': { scale_method: 'area', 'resize_type.width': 32 } }, { '1': { image: 'other.png' } }] as InputValues[]) {
		const after = applyInputs(graph, values);
		expect(followChoices(graph, after, definitions)).toEqual(after);
	}
	const after = applyInputs(graph, { '2': { resize_type: 'scale width' } });
	expect(followChoices(graph, after, {})).toBe(after);
});

it('a value that the new option does not offer becomes the default', () => {
	const both = (key: string, sizes: string[]) => ({
		key,
		inputs: { required: { prompt: ['STRING', { default: '' }], size: ['COMBO', { options: sizes }] } },
	});
	const partner = {
		Partner: {
			input: { required: { model: ['COMFY_DYNAMICCOMBO_V3', { options: [both('one', ['1K', '2K']), both('two', ['4K', '2K'])] }] } },
		},
	};
	const graph: ApiGraph = { '2': { class_type: 'Partner', inputs: { model: 'one', 'model.prompt': 'a red fox', 'model.size': '1K' } } };
	const after = followChoices(graph, applyInputs(graph, { '2': { model: 'two' } }), partner);
	expect(after['2']?.inputs).toEqual({ model: 'two', 'model.prompt': 'a red fox', 'model.size': '4K' });
});
