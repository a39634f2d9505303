/** The engine refuses what ComfyUI refuses: a client that sends it must not pass here. */
import { createGraphEngine, type ApiGraph } from '../../../sandbox/graphEngine';
import { readJson } from '../../../sandbox/exactJson';
import { textToImage } from '../../support/stockGraphs';

const { validate } = createGraphEngine();

const node = (class_type: string, inputs: Record<string, unknown> = {}) => ({ class_type, inputs });
const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'out' });
const solid = (color: number) => node('EmptyImage', { width: 1, height: 1, batch_size: 1, color });

test('a valid graph has no problem, with files by name or by reference', () => {
	const graph = (image: unknown) => ({ load: node('LoadImage', { image }), save: save('load') });
	expect(validate(graph('cat.png'))).toBeUndefined();
	expect(validate(graph({ __type: 'core/ASSET', info: { id: 'a' } }))).toBeUndefined();
});

const NO_GRAPH = 'The workflow must be an object of nodes';

test.each<[string, unknown, string, string]>([
	['nothing', undefined, 'invalid', NO_GRAPH],
	['null', null, 'invalid', NO_GRAPH],
	['a text', 'text', 'invalid', NO_GRAPH],
	['a list', [], 'invalid', NO_GRAPH],
	['a graph without nodes', {}, 'invalid', 'The workflow has no nodes'],
	['a graph without an output node', { image: solid(0) }, 'invalid', 'Prompt has no outputs'],
	['a file of the editor', { nodes: [], links: [], last_node_id: 4, version: 0.4 }, 'ui_format', 'editor'],
])('%s is refused as a whole', (_what, graph, kind, message) => {
	expect(validate(graph)).toEqual({ kind, message: expect.stringContaining(message), nodes: {} });
});

const imageWith = (inputs: Record<string, unknown>): ApiGraph => ({
	image: node('EmptyImage', { width: 1, height: 1, batch_size: 1, color: 0, ...inputs }),
	save: save('image'),
});
const scaled = (inputs: Record<string, unknown>): ApiGraph => ({
	image: solid(0),
	text: node('PrimitiveString', { value: '' }),
	it: node('ImageScale', { image: ['image', 0], upscale_method: 'area', width: 1, height: 1, crop: 'disabled', ...inputs }),
	save: save('it'),
});
const invert = (from: string) => node('ImageInvert', { image: [from, 0] });
const stock = (nodeId: string, field: string, value: unknown): ApiGraph => {
	const changed = textToImage[nodeId as keyof typeof textToImage];
	return { ...textToImage, [nodeId]: { ...changed, inputs: { ...changed.inputs, [field]: value } } };
};

test.each<[string, string, string, ApiGraph]>([
	['required_input_missing', 'image', 'width', imageWith({ width: undefined })],
	['value_smaller_than_min', 'image', 'width', imageWith({ width: 0 })],
	['value_bigger_than_max', 'image', 'color', imageWith({ color: 0x1000000 })],
	['value_bigger_than_max', '3', 'seed', stock('3', 'seed', readJson('18446744073709551616'))],
	['invalid_input_type', 'image', 'height', imageWith({ height: 'tall' })],
	['invalid_input_type', 'image', 'height', imageWith({ height: {} })],
	['invalid_input_type', '3', 'seed', stock('3', 'seed', '1.5')],
	['value_not_in_list', 'it', 'crop', scaled({ crop: 'left' })],
	['value_not_in_list', '4', 'ckpt_name', stock('4', 'ckpt_name', 'gone.safetensors')],
	['invalid_input_type', 'it', 'image', scaled({ image: 'cat.png' })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['gone', 0] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['image', 1] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['image'] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['constructor', 0] })],
	['return_type_mismatch', 'it', 'image', scaled({ image: ['text', 0] })],
	['return_type_mismatch', 'it', 'width', scaled({ width: ['text', 0] })],
	['dependency_cycle', 'it', 'image', scaled({ image: ['it', 0] })],
	['dependency_cycle', 'c', 'image', { a: invert('b'), b: invert('c'), c: invert('a'), save: save('a') }],
	['missing_node_type', 'magic', 'class_type', { ...imageWith({}), magic: node('MagicNode') }],
	['missing_node_type', 'magic', 'class_type', { ...imageWith({}), magic: node('constructor') }],
])('%s is reported at %s.%s', (type, nodeId, field, graph) => {
	expect(validate(graph)).toMatchObject({
		kind: 'invalid',
		nodes: {
			[nodeId]: [
				{
					type,
					field,
					class_type: graph[nodeId]?.class_type,
					reason: expect.stringContaining(type === 'missing_node_type' ? 'does not exist' : field) as string,
				},
			],
		},
	});
});

test('all problems of a node are reported', () => {
	expect(validate(imageWith({ width: 0, height: 0 }))?.nodes.image).toHaveLength(2);
});

test.each<[string, string, unknown]>([
	['3', 'seed', readJson('18446744073709551615')],
	['3', 'seed', '18446744073709551615'],
	['3', 'seed', 12.9],
	['3', 'cfg', '7.5'],
	['3', 'steps', true],
])('%s.%s accepts what Python makes a number of', (nodeId, field, value) => {
	expect(validate(stock(nodeId, field, value))).toBeUndefined();
});
