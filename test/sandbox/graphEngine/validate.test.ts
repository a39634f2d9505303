import { createGraphEngine, type ApiGraph } from '../../../sandbox/graphEngine';
import { node, save, solid } from './harness';

const { validate } = createGraphEngine();

test('a sound graph has no problem, with files named or referenced', () => {
	const graph = (image: unknown) => ({ load: node('LoadImage', { image }), save: save('load') });
	expect(validate(graph('cat.png'))).toBeUndefined();
	expect(validate(graph({ __type: 'core/ASSET', info: { id: 'a' } }))).toBeUndefined();
});

test.each([[undefined], [null], ['text'], [[]], [7]])('%p is no graph', (graph) => {
	expect(validate(graph)).toEqual({ kind: 'invalid', message: 'The workflow must be an object of nodes', nodes: {} });
});

test('the editor format is told apart', () => {
	expect(validate({ nodes: [], links: [], last_node_id: 4, version: 0.4 })).toMatchObject({ kind: 'ui_format', nodes: {} });
});

test('an empty graph, and one without an output node', () => {
	expect(validate({})).toEqual({ kind: 'invalid', message: 'The workflow has no nodes', nodes: {} });
	expect(validate({ image: solid(1, 1, 0) })).toEqual({ kind: 'invalid', message: 'Prompt has no outputs', nodes: {} });
});

test('nodes that are no nodes', () => {
	const problems = validate({ a: 'text', b: { inputs: {} }, c: { class_type: 'SaveImage' } })?.nodes;
	expect(problems).toEqual({
		a: [{ type: 'invalid_prompt', field: 'class_type', reason: 'Node #a is not an object', class_type: '' }],
		b: [
			{
				type: 'invalid_prompt',
				field: 'class_type',
				reason: 'Cannot execute because node #b is missing the class_type property',
				class_type: '',
			},
		],
		c: [{ type: 'invalid_prompt', field: 'inputs', reason: 'Node #c has no inputs object', class_type: 'SaveImage' }],
	});
});

test('an unknown class, even where no output needs it', () => {
	const graph = { image: solid(1, 1, 0), save: save('image'), magic: node('MagicNode') };
	expect(validate(graph)?.nodes).toEqual({
		magic: [
			{
				type: 'missing_node_type',
				field: 'class_type',
				reason: 'Cannot execute because node MagicNode does not exist',
				class_type: 'MagicNode',
			},
		],
	});
});

const imageWith = (inputs: Record<string, unknown>): ApiGraph => ({
	image: node('EmptyImage', { width: 1, height: 1, batch_size: 1, color: 0, ...inputs }),
	save: save('image'),
});
const scaled = (inputs: Record<string, unknown>): ApiGraph => ({
	image: solid(1, 1, 0),
	text: node('PrimitiveString', { value: '' }),
	it: node('ImageScale', { image: ['image', 0], upscale_method: 'area', width: 1, height: 1, crop: 'disabled', ...inputs }),
	save: save('it'),
});

test.each<[string, string, string, ApiGraph]>([
	['required_input_missing', 'image', 'width', imageWith({ width: undefined })],
	['value_smaller_than_min', 'image', 'width', imageWith({ width: 0 })],
	['value_bigger_than_max', 'image', 'color', imageWith({ color: 0x1000000 })],
	['invalid_input_type', 'image', 'height', imageWith({ height: 'tall' })],
	['invalid_input_type', 'image', 'height', imageWith({ height: {} })],
	['value_not_in_list', 'it', 'crop', scaled({ crop: 'left' })],
	['invalid_input_type', 'it', 'image', scaled({ image: 'cat.png' })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['gone', 0] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['image', 1] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['image'] })],
	['return_type_mismatch', 'it', 'image', scaled({ image: ['text', 0] })],
	['return_type_mismatch', 'it', 'width', scaled({ width: ['text', 0] })],
	['dependency_cycle', 'it', 'image', scaled({ image: ['it', 0] })],
])('%s at %s.%s', (type, nodeId, field, graph) => {
	expect(validate(graph)).toMatchObject({
		kind: 'invalid',
		nodes: { [nodeId]: [{ type, field, class_type: graph[nodeId]?.class_type, reason: expect.stringContaining(field) }] },
	});
});

test('a longer circle is found', () => {
	const invert = (from: string) => node('ImageInvert', { image: [from, 0] });
	expect(validate({ a: invert('b'), b: invert('c'), c: invert('a'), save: save('a') })?.nodes).toMatchObject({
		c: [{ type: 'dependency_cycle' }],
	});
});

test('numbers may be written as text, and values may come through links', () => {
	expect(validate(imageWith({ width: '12' }))).toBeUndefined();
	expect(validate({ ...imageWith({ width: ['number', 0] }), number: node('PrimitiveInt', { value: 3 }) })).toBeUndefined();
});

test('every problem is reported, not the first alone', () => {
	expect(validate(imageWith({ width: 0, height: 0 }))?.nodes.image).toHaveLength(2);
});

test('names that every object has are no class and no node', () => {
	expect(validate({ a: node('constructor') })?.nodes).toMatchObject({ a: [{ type: 'missing_node_type' }] });
	expect(validate(scaled({ image: ['constructor', 0] }))?.nodes).toMatchObject({ it: [{ type: 'bad_linked_input' }] });
});
