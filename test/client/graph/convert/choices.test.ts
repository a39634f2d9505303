import { type ApiGraph, applyInputs, followChoices, GraphError, type InputValues } from '../../../../client';
import { definitions } from './support/recordings';

/** What the frontend exports of a node whose `resize_type` decides which inputs stand behind it. */
const saved = (): ApiGraph => ({
	'1': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
	'2': {
		class_type: 'ResizeImageMaskNode',
		inputs: {
			resize_type: 'scale dimensions',
			'resize_type.width': 768,
			'resize_type.height': 512,
			'resize_type.crop': 'disabled',
			scale_method: 'bicubic',
			input: ['1', 0],
		},
	},
});

const changedBy = (values: InputValues, graph = saved()): Record<string, unknown> | undefined =>
	followChoices(graph, applyInputs(graph, values), definitions)['2']?.inputs;

it('the inputs behind another choice take the place of those behind the earlier one, with their own values', () => {
	expect(changedBy({ '2': { resize_type: 'scale by multiplier' } })).toEqual({
		resize_type: 'scale by multiplier',
		'resize_type.multiplier': 1,
		scale_method: 'bicubic',
		input: ['1', 0],
	});
});

it('what fits behind both stays as its author has it', () => {
	expect(changedBy({ '2': { resize_type: 'scale width' } })).toEqual({
		resize_type: 'scale width',
		'resize_type.width': 768,
		scale_method: 'bicubic',
		input: ['1', 0],
	});
});

it('values given with the choice are those that are sent', () => {
	const once = followChoices(saved(), applyInputs(saved(), { '2': { resize_type: 'scale width' } }), definitions);
	expect(followChoices(once, applyInputs(once, { '2': { 'resize_type.width': 96 } }), definitions)['2']?.inputs).toMatchObject({
		resize_type: 'scale width',
		'resize_type.width': 96,
	});
	expect(changedBy({ '2': { resize_type: 'scale width', 'resize_type.width': 96 } })).toMatchObject({
		resize_type: 'scale width',
		'resize_type.width': 96,
	});
});

it('a value for an input that the new choice does not have is refused, with what it has', () => {
	const facts = (): unknown => {
		try {
			return changedBy({ '2': { resize_type: 'scale width', 'resize_type.height': 96 } });
		} catch (error) {
			return error instanceof GraphError ? error.facts : error;
		}
	};
	expect(facts()).toMatchObject({
		fault: 'no_such_input',
		name: '2.resize_type.height',
		known: expect.arrayContaining(['2.resize_type.width']),
	});
});

it('where no such choice was changed, and where definitions are not there, a graph stays as it is', () => {
	const graph = saved();
	for (const values of [{ '2': { scale_method: 'area', 'resize_type.width': 32 } }, { '1': { image: 'other.png' } }] as InputValues[]) {
		const after = applyInputs(graph, values);
		expect(followChoices(graph, after, definitions)).toEqual(after);
	}
	const after = applyInputs(graph, { '2': { resize_type: 'scale width' } });
	expect(followChoices(graph, after, {})).toBe(after);
});

it('a value that the new choice does not offer begins anew', () => {
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
