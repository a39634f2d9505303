import { convertWorkflow, type Definitions, listClasses, type NodeReplacements, replaceInGraph } from '../../../../client';
import { decodeReplacements } from '../../../../client/comfyui/nodeReplacements';
import { picture, preview, primitive } from '../convert/support/nodes';
import { definitions as recorded } from '../convert/support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from '../convert/support/sockets';

const entry = (old_node_id: string, new_node_id: string, input_mapping: unknown = null, old_widget_ids: unknown = null) => ({
	[old_node_id]: [{ new_node_id, old_node_id, old_widget_ids, input_mapping, output_mapping: null }],
});
const renamed = (...pairs: Array<[new_id: string, old_id: string]>) => pairs.map(([new_id, old_id]) => ({ new_id, old_id }));

/** The answer of ComfyUI at `comfy_extras/nodes_replacements.py`@07d1ee2, without the 3D viewers. */
const CORE = decodeReplacements({
	...entry(
		'ResizeImagesByLongerEdge',
		'ImageScaleToMaxDimension',
		[...renamed(['image', 'images'], ['largest_size', 'longer_edge']), { new_id: 'upscale_method', set_value: 'lanczos' }],
		['longer_edge'],
	),
	...entry('ImageBatch', 'BatchImagesNode', renamed(['images.image0', 'image1'], ['images.image1', 'image2'])),
	...entry(
		'ImageScaleBy',
		'ResizeImageMaskNode',
		[
			...renamed(['input', 'image']),
			{ new_id: 'resize_type', set_value: 'scale by multiplier' },
			...renamed(['resize_type.multiplier', 'scale_by'], ['scale_method', 'upscale_method']),
		],
		['upscale_method', 'scale_by'],
	),
	...entry('T2IAdapterLoader', 'ControlNetLoader', renamed(['control_net_name', 't2i_adapter_name'])),
	...entry('ConditioningAverage ', 'ConditioningAverage'),
});

/** A server on which these classes are retired. */
const without = (...classes: string[]): Definitions =>
	Object.fromEntries(Object.entries(recorded).filter(([name]) => !classes.includes(name)));
const retiredServer = without(...Object.keys(CORE));

const node = (class_type: string, inputs: Json) => ({ class_type, inputs });
const scaleBy = (id: number, link: number, values: unknown[], more: Json = {}): Json => ({
	...{ id, type: 'ImageScaleBy', inputs: [into('image', 'IMAGE', link)], outputs: [out('IMAGE')], widgets_values: values },
	...more,
});

const convert = (workflow: Json, replacements: NodeReplacements = CORE, definitions = retiredServer) =>
	convertWorkflow(workflow, definitions, { replacements });
const inputsOf = ({ graph }: ReturnType<typeof convert>, id: string) => graph[id]?.inputs;

/** Two pictures, each scaled, are one batch, which is made smaller. */
const oldTutorial = file(
	[
		picture(1),
		picture(2),
		scaleBy(3, 1, ['lanczos', 2.5]),
		scaleBy(4, 2, ['area', 0.5], { title: 'Smaller' }),
		{ id: 5, type: 'ImageBatch', inputs: [into('image1', 'IMAGE', 3), into('image2', 'IMAGE', 4)], outputs: [out('IMAGE')] },
		{ id: 6, type: 'ResizeImagesByLongerEdge', inputs: [into('images', 'IMAGE', 5)], outputs: [out('IMAGE')], widgets_values: [640] },
		preview(7, 6),
	],
	linked('1>3 2>4 3>5.0 4>5.1 5>6 6>7'),
);

describe('the nodes of an old tutorial that ComfyUI has retired', () => {
	it('run as the classes that replace them, with their values and links, also to inputs with dots', () => {
		const { graph } = convert(oldTutorial);
		expect(graph).toMatchObject({
			3: node('ResizeImageMaskNode', {
				...{ input: ['1', 0], resize_type: 'scale by multiplier', 'resize_type.multiplier': 2.5, scale_method: 'lanczos' },
			}),
			4: node('ResizeImageMaskNode', { input: ['2', 0], 'resize_type.multiplier': 0.5, scale_method: 'area' }),
			5: node('BatchImagesNode', { 'images.image0': ['3', 0], 'images.image1': ['4', 0] }),
			6: node('ImageScaleToMaxDimension', { image: ['5', 0], largest_size: 640, upscale_method: 'lanczos' }),
		});
		expect(Object.keys(graph['3']?.inputs ?? {})).toHaveLength(4);
	});

	// Decision: an editor file runs as the server would run its export. ComfyUI's editor skips inputs with dots instead.
	it('run in both formats as the same graph', () => {
		const { graph: exported } = convertWorkflow(oldTutorial, recorded);
		const inputs = (graph: typeof exported) =>
			Object.fromEntries(Object.entries(graph).map(([id, { class_type, inputs: all }]) => [id, { class_type, all }]));
		const replaced = replaceInGraph(exported, retiredServer, CORE);
		expect(inputs(replaced.graph)).toEqual(inputs(convert(oldTutorial).graph));
		expect(replaced.notes.map(({ nodeId, value }) => [nodeId, value])).toEqual(
			convert(oldTutorial).notes.map(({ nodeId, value }) => [nodeId, value]),
		);
	});

	it('are each reported with the old class, the new class and the title', () => {
		expect(convert(oldTutorial).notes).toEqual([
			{ note: 'node_replaced', nodeId: '3', title: 'ImageScaleBy', className: 'ImageScaleBy', value: 'ResizeImageMaskNode', lost: [] },
			{ note: 'node_replaced', nodeId: '4', title: 'Smaller', className: 'ImageScaleBy', value: 'ResizeImageMaskNode', lost: [] },
			expect.objectContaining({ nodeId: '5', className: 'ImageBatch', value: 'BatchImagesNode' }),
			expect.objectContaining({ nodeId: '6', value: 'ImageScaleToMaxDimension' }),
		]);
	});

	it('need the definitions of their old classes, so that a server that has them keeps them', () => {
		expect(listClasses(oldTutorial)).toEqual(expect.arrayContaining(['ImageScaleBy', 'ImageBatch']));
		expect(convert(oldTutorial, CORE, recorded)).toEqual(convertWorkflow(oldTutorial, recorded));
	});

	it('inside two instances of a subgraph are replaced as well', () => {
		const scaled = subgraph('scaled', [scaleBy(3, 1, ['area', 0.5])], {
			inputs: [{ name: 'image', type: 'IMAGE', linkIds: [1] }],
			outputs: [{ name: 'IMAGE', type: 'IMAGE', linkIds: [2] }],
			links: linkedInside('-10>3 3>-20'),
		});
		const instance = (id: number, link: number) => ({
			id,
			type: 'scaled',
			inputs: [into('image', 'IMAGE', link)],
			outputs: [out('IMAGE')],
		});
		const workflow = file([picture(1), instance(8, 1), instance(9, 2), preview(7, 3)], linked('1>8 8>9 9>7'), withSubgraphs(scaled));
		const { graph } = convert(workflow);
		expect(graph['8:3']).toMatchObject(node('ResizeImageMaskNode', { input: ['1', 0], 'resize_type.multiplier': 0.5 }));
		expect(graph['9:3']).toMatchObject(node('ResizeImageMaskNode', { input: ['8:3', 0] }));
	});

	it('take the values of two primitive nodes by their new names', () => {
		const sockets = [into('image', 'IMAGE', 1), into('scale_by', 'FLOAT', 2, 'scale_by')];
		const nodes = [picture(1), primitive(2, [3.5, 'fixed'], 'FLOAT', [2]), scaleBy(3, 1, ['area', 1], { inputs: sockets }), preview(7, 3)];
		const workflow = file(nodes, [...linked('1>3'), ...linked('2>3.1', 'FLOAT', 2), ...linked('3>7', 'IMAGE', 3)]);
		expect(inputsOf(convert(workflow), '3')).toMatchObject({ 'resize_type.multiplier': 3.5, input: ['1', 0] });
	});

	it('stay as they are if they are muted or bypassed, as in ComfyUI’s editor', () => {
		const nodes = [picture(1), scaleBy(3, 1, ['area', 1], { mode: 4 }), scaleBy(4, 2, ['area', 1], { mode: 2 }), preview(7, 3)];
		const { graph, notes } = convert(file(nodes, linked('1>3 1>4 3>7')));
		expect([Object.keys(graph), graph['7']?.inputs, notes]).toEqual([['1', '7'], { images: ['1', 0] }, []]);
	});
});

describe('a replacement without a mapping', () => {
	const average = (type: string) => ({
		...{ id: 3, type, outputs: [out('CONDITIONING')], widgets_values: [0.3] },
		inputs: [into('conditioning_to', 'CONDITIONING', 1), into('conditioning_from', 'CONDITIONING', 2)],
	});
	const text = (id: number) => ({ id, type: 'CLIPTextEncode', outputs: [out('CONDITIONING')], widgets_values: [`text ${id}`] });
	const averaged = (type: string) => file([text(1), text(2), average(type)], linked('1>3 2>3.1', 'CONDITIONING'));

	// Decision: the names and positions stay, as in ComfyUI's editor. The server alone would run the node without any inputs.
	it('keeps all values and links of both formats', () => {
		const inputs = { conditioning_to: ['1', 0], conditioning_from: ['2', 0], conditioning_to_strength: 0.3 };
		const { graph } = convert(averaged('ConditioningAverage '));
		expect(graph['3']).toMatchObject(node('ConditioningAverage', inputs));
		const sent = { 3: node('ConditioningAverage ', inputs), 4: node('ConditioningAverage ', {}) };
		expect(replaceInGraph(sent, retiredServer, CORE).graph).toEqual({
			3: node('ConditioningAverage', inputs),
			4: node('ConditioningAverage', {}),
		});
	});

	it('finds the values by the names of the old widgets, if it has these names', () => {
		const reordered = { Old: { newClass: 'EmptyImage', oldWidgets: ['color', 'height', 'width', 'batch_size'] } };
		const { graph } = convert(file([picture(1, { type: 'Old', widgets_values: [7, 20, 10, 2] }), preview(2)], linked('1>2')), reordered);
		expect(graph['1']).toMatchObject(node('EmptyImage', { width: 10, height: 20, batch_size: 2, color: 7 }));
	});
});

describe('a replacement with a mapping', () => {
	const LOADER = { id: 1, type: 'T2IAdapterLoader', outputs: [out('CONTROL_NET')], widgets_values: ['pose.pth'] };

	it('gives the only value to the only widget if the names of the old widgets are missing', () => {
		const named = { ...LOADER, id: 2, widgets_values: ['x', 'y'], widgets_values_named: { other: 'x', t2i_adapter_name: 'y' } };
		const { graph } = convert(file([LOADER, named]));
		expect([graph['1'], graph['2']]).toMatchObject(['pose.pth', 'y'].map((name) => node('ControlNetLoader', { control_net_name: name })));
	});

	it('reports the values and links that have no place in the new class', () => {
		const mapping: NodeReplacements = {
			Old: { newClass: 'ImageInvert', oldWidgets: ['strength'], inputs: [{ to: 'image', from: 'picture' }] },
		};
		const sockets = [into('mask', 'IMAGE', 1), into('picture', 'IMAGE', 2)];
		const old = { id: 3, type: 'Old', inputs: sockets, outputs: [out('IMAGE')], widgets_values: [0.5, 'more'] };
		const { graph, notes } = convert(file([picture(1), picture(2), old, preview(4, 3)], linked('1>3.0 2>3.1 3>4')), mapping);
		expect(graph['3']).toMatchObject(node('ImageInvert', { image: ['2', 0] }));
		expect(notes).toMatchObject([{ nodeId: '3', lost: ['mask', 'strength', 'value 2'] }]);
		const sent = { 3: node('Old', { picture: ['2', 0], mask: ['1', 0] }) };
		expect(replaceInGraph(sent, retiredServer, mapping)).toMatchObject({
			graph: { 3: { inputs: { image: ['2', 0] } } },
			notes: [{ lost: ['mask'] }],
		});
	});

	it('drops the value of a primitive node for an input without a place, and no other input gets it', () => {
		const mapping: NodeReplacements = {
			Old: { newClass: 'EmptyImage', oldWidgets: ['strength', 'size'], inputs: [{ to: 'width', from: 'size' }] },
		};
		const sockets = [into('strength', 'INT', 1, 'strength'), into('size', 'INT', null, 'size')];
		const old = picture(3, { type: 'Old', inputs: sockets, outputs: [out('IMAGE')], widgets_values: [1, 10] });
		const { graph } = convert(
			file([primitive(1, [999, 'fixed']), old, preview(4, 2)], [...linked('1>3.0', 'INT'), ...linked('3>4', 'IMAGE', 2)]),
			mapping,
		);
		expect(graph['3']).toMatchObject(node('EmptyImage', { width: 10, height: 512 }));
	});

	// Decision: an input that a node does not have is left out. The server would fail with HTTP 500.
	it('leaves out an input that the node does not have', () => {
		const { graph } = replaceInGraph({ 5: node('ImageBatch', { image1: ['1', 0] }) }, retiredServer, CORE);
		expect(graph).toEqual({ 5: node('BatchImagesNode', { 'images.image0': ['1', 0] }) });
	});

	// Decision: as on the server, a link to an output without a mapping keeps its position. ComfyUI's editor removes it.
	it('moves the links of two outputs that change places, and keeps the others', () => {
		const swapped: NodeReplacements = {
			Old: {
				newClass: 'SVD_img2vid_Conditioning',
				outputs: [
					{ to: 1, from: 0 },
					{ to: 0, from: 1 },
				],
			},
		};
		const uses = { positive: ['1', 0], negative: ['1', 1], latent_image: ['1', 2] };
		const sent = { 1: node('Old', {}), 2: node('KSampler', uses) };
		const moved = { positive: ['1', 1], negative: ['1', 0], latent_image: ['1', 2] };
		expect(replaceInGraph(sent, retiredServer, swapped).graph['2']?.inputs).toEqual(moved);
		const sockets = [into('positive', 'CONDITIONING', 1), into('negative', 'CONDITIONING', 2), into('latent_image', 'LATENT', 3)];
		const outputs = [out('CONDITIONING'), out('CONDITIONING'), out('LATENT')];
		const nodes = [
			{ id: 1, type: 'Old', outputs },
			{ id: 2, type: 'KSampler', inputs: sockets },
		];
		expect(inputsOf(convert(file(nodes, linked('1>2 1.1>2.1 1.2>2.2')), swapped), '2')).toMatchObject(moved);
	});

	it('does nothing if the server does not have the new class, and the refusal names it', () => {
		const server = without('ResizeImageMaskNode', ...Object.keys(CORE));
		const graph = { 3: node('ImageScaleBy', {}) };
		expect(replaceInGraph(graph, server, CORE).graph).toBe(graph);
		const refusals = (['ImageScaleBy', 'Unknown'] as const).map((type, index) => scaleBy(index + 3, 1, [], { type }));
		expect(() => convert(file([picture(1), ...refusals], linked('1>3 1>4')), CORE, server)).toThrow(
			expect.objectContaining({
				facts: expect.objectContaining({
					refusals: [
						expect.objectContaining({ refusal: 'unknown_class', className: 'ImageScaleBy', replacedBy: 'ResizeImageMaskNode' }),
						expect.not.objectContaining({ replacedBy: expect.anything() }),
					],
				}),
			}),
		);
	});
});

it('the answer of a server is decoded as far as it is valid, and only the first replacement of a class counts', () => {
	const old = { new_node_id: 'New', old_node_id: 'Old' };
	const odd = {
		...old,
		input_mapping: [{ new_id: 5 }, { new_id: 'a' }, null],
		output_mapping: [{ new_idx: 'x' }, { new_idx: 1, old_idx: 0 }],
	};
	expect(decodeReplacements({ Old: [old, { ...old, new_node_id: 'Other' }], Odd: [odd], A: [], B: 'x', C: [{ new_node_id: '' }] })).toEqual(
		{
			Old: { newClass: 'New' },
			Odd: { newClass: 'New', inputs: [], outputs: [{ to: 1, from: 0 }] },
		},
	);
	expect(() => decodeReplacements([])).toThrow('answer is not an object');
});
