/** The engine refuses what ComfyUI refuses: a client that sends it must not pass here. What a real one answered is in test/contract/engine. */
import { createGraphEngine } from '../../sandbox/graphEngine/runGraph';
import type { ApiGraph } from '../../sandbox/graphEngine/types';
import { readJson } from '../../sandbox/json';
import { editorFormat, node } from '../contract/graphs';
import { textToImage } from '../support/stockGraphs';

const { validate } = createGraphEngine();

const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'out' });
const solid = node('EmptyImage', { width: 1, height: 1, batch_size: 1, color: 0 });

test.each<[string, unknown, string]>([
	['null', null, 'invalid'],
	['a list', [], 'invalid'],
	['a graph without an output node', { image: solid }, 'invalid'],
	['a file of the editor', editorFormat(), 'ui_format'],
])('%s is refused as a whole', (_what, graph, kind) => {
	expect(validate(graph)).toMatchObject({ kind, nodes: {} });
});

const imageWith = (inputs: Record<string, unknown>): ApiGraph => ({
	image: node('EmptyImage', { ...solid.inputs, ...inputs }),
	save: save('image'),
});
const scaled = (inputs: Record<string, unknown>): ApiGraph => ({
	image: solid,
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
	['value_bigger_than_max', '3', 'seed', stock('3', 'seed', readJson('18446744073709551616'))],
	['invalid_input_type', 'image', 'height', imageWith({ height: 'tall' })],
	['invalid_input_type', '3', 'seed', stock('3', 'seed', '1.5')],
	['value_not_in_list', 'it', 'crop', scaled({ crop: 'left' })],
	['value_not_in_list', '4', 'ckpt_name', stock('4', 'ckpt_name', 'gone.safetensors')],
	['invalid_input_type', 'it', 'image', scaled({ image: 'cat.png' })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['gone', 0] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['image', 1] })],
	['bad_linked_input', 'it', 'image', scaled({ image: ['constructor', 0] })],
	['return_type_mismatch', 'it', 'image', scaled({ image: ['text', 0] })],
	['return_type_mismatch', 'it', 'width', scaled({ width: ['text', 0] })],
	['dependency_cycle', 'c', 'image', { a: invert('b'), b: invert('c'), c: invert('a'), save: save('a') }],
	['missing_node_type', 'magic', 'class_type', { ...imageWith({}), magic: node('constructor', {}) }],
])('%s is reported at %s.%s', (type, nodeId, field, graph) => {
	const reason = expect.stringContaining(type === 'missing_node_type' ? 'does not exist' : field) as string;
	expect(validate(graph)?.nodes[nodeId]).toEqual([expect.objectContaining({ type, field, reason })]);
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
