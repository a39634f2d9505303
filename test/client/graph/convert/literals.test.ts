import { convertWorkflow, GraphError, parseExact } from '../../../../client';
import { definitions } from './support/recordings';
import { into, linked, out } from './support/sockets';

type Json = Record<string, unknown>;

const converted = (nodes: Json[], links: unknown[] = [], more: Json = {}) =>
	convertWorkflow({ version: 0.4, nodes, links, ...more }, definitions);
const notesOf = (...file: Parameters<typeof converted>): Json[] =>
	converted(...file).notes.map((note) =>
		Object.fromEntries(Object.entries(note).filter(([key]) => key !== 'title' && key !== 'className')),
	);

const sampler = (values: unknown, more: Json = {}): Json => ({ id: 7, type: 'KSampler', widgets_values: values, ...more });
const SHIFTED = ['flow', 'fixed', 20, 8, 'euler', 'normal', 1];
const NAMED = { seed: 5, control_after_generate: 'fixed', steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };

describe('C2: the last check of every value', () => {
	it('C2: reports a value of the wrong type that a node itself holds, with the type that its input takes', () => {
		expect(notesOf([sampler([5, 'fixed', 'many', 8, 4096, 'normal', 1])])).toEqual([
			{ note: 'value_does_not_fit', nodeId: '7', input: 'steps', value: 'many', expected: 'integer' },
			{ note: 'value_does_not_fit', nodeId: '7', input: 'sampler_name', value: 4096, expected: 'choice' },
		]);
	});

	it('C2: reports nothing for a value that a link replaces', () => {
		const link = [1, 2, 0, 7, 0, 'INT'];
		const linked = sampler([5, 'fixed', 'many', 8, 'euler', 'normal', 1], { inputs: [into('steps', 'INT', 1, 'steps')] });
		expect(notesOf([{ id: 2, type: 'PrimitiveInt', outputs: [out('INT', 1)], widgets_values: [3] }, linked], [link])).toEqual([]);
	});

	it('C2: reports a value of the wrong type that comes from a primitive node, through its own widget', () => {
		const primitive = { id: 2, type: 'PrimitiveNode', outputs: [out('COMBO', 1)], widgets_values: [4096, 'fixed'] };
		const linked = sampler([5, 'fixed', 20, 8, 'euler', 'normal', 1], { inputs: [into('sampler_name', 'COMBO', 1, 'sampler_name')] });
		expect(notesOf([primitive, linked], [[1, 2, 0, 7, 0, 'COMBO']])).toEqual([
			{ note: 'value_does_not_fit', nodeId: '7', input: 'sampler_name', value: 4096, expected: 'choice' },
		]);
	});

	it('C2: reports a value of the wrong type that comes from a group of the older kind', () => {
		const data = { nodes: [{ type: 'EmptyImage', inputs: [], widgets_values: [64, 64, 1, 0] }], links: [] };
		const host = { id: 1, type: 'workflow>Mine', widgets_values: [64, 'wide', 1, 0] };
		expect(notesOf([host], [], { last_node_id: 1, extra: { groupNodes: { Mine: data } } })).toEqual([
			{ note: 'value_does_not_fit', nodeId: '3:2', input: 'height', value: 'wide', expected: 'integer' },
		]);
	});

	it.each([
		['PrimitiveInt', '12', undefined],
		['PrimitiveInt', true, undefined],
		['PrimitiveInt', '1.5', 'integer'],
		['PrimitiveInt', 1.5, 'integer'],
		['PrimitiveFloat', '1.5e3', undefined],
		['PrimitiveFloat', '', 'number'],
		['PrimitiveString', 5, 'text'],
		['PrimitiveString', true, 'text'],
		['PrimitiveString', null, 'text'],
		['PrimitiveBoolean', 1, 'boolean'],
		['PrimitiveBoolean', 'true', 'boolean'],
	])('C2: takes for %s with %j that ComfyUI expects %s', (type, value, expected) => {
		expect(notesOf([{ id: 1, type, widgets_values: [value, 'fixed'] }]).map(({ expected: found }) => found)).toEqual(
			expected === undefined ? [] : [expected],
		);
	});

	it('C4: writes a number at a text as text, with every digit, and reports it', () => {
		const saved = parseExact('[18446744073709551615]');
		const { graph, notes } = converted([{ id: 1, type: 'PrimitiveString', widgets_values: saved }]);
		expect(graph['1']?.inputs).toEqual({ value: '18446744073709551615' });
		expect(notes).toMatchObject([{ note: 'value_does_not_fit', expected: 'text' }]);
	});

	it('C4: reports a choice that its class does not know, and the links that are left out with it', () => {
		const node = {
			id: 1,
			type: 'ResizeImageMaskNode',
			inputs: [into('resize_type.match', 'IMAGE', 1)],
			widgets_values: { resize_type: 'scale by moonlight', scale_method: 'area' },
		};
		const picture = { id: 2, type: 'EmptyImage', outputs: [out('IMAGE', 1)], widgets_values: [64, 64, 1, 0] };
		expect(notesOf([picture, node], [[1, 2, 0, 1, 0, 'IMAGE']])).toEqual([
			{ note: 'value_does_not_fit', nodeId: '1', input: 'resize_type', value: 'scale by moonlight', expected: 'choice' },
			{ note: 'link_dropped', nodeId: '1', input: 'resize_type.match', value: ['2', 0], choice: 'resize_type' },
		]);
	});
});

describe('C3: values by name', () => {
	it('C3: takes the values by their names where the list puts one at a wrong position, and says which', () => {
		const { graph, notes } = converted([sampler([5, 'fixed', 'flow', 20, 8, 'euler', 1], { widgets_values_named: NAMED })]);
		expect(graph['7']?.inputs).toEqual({ seed: 5, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 });
		expect(notes).toMatchObject([
			{ note: 'value_by_name', input: 'steps', value: 20, instead: 'flow' },
			{ note: 'value_by_name', input: 'cfg', value: 8, instead: 20 },
			{ note: 'value_by_name', input: 'sampler_name', value: 'euler', instead: 8 },
			{ note: 'value_by_name', input: 'scheduler', value: 'normal', instead: 'euler' },
		]);
	});

	it('C3: keeps the list where it fits: names can be older than the list', () => {
		const { graph, notes } = converted([sampler([5, 'fixed', 30, 8, 'euler', 'normal', 1], { widgets_values_named: NAMED })]);
		expect(graph['7']?.inputs.steps).toBe(30);
		expect(notes).toEqual([]);
	});

	it('C3: keeps the list and reports its values where the names fit no better', () => {
		const { graph, notes } = converted([sampler(SHIFTED, { widgets_values_named: { ...NAMED, seed: 'also text' } })]);
		expect(graph['7']?.inputs.seed).toBe('flow');
		expect(notes).toMatchObject([{ note: 'value_does_not_fit', input: 'seed', value: 'flow', expected: 'integer' }]);
	});

	const inside = (nodes: Json[], links: Json[], inputs: Json[]): Json => ({
		id: 'inside',
		name: 'Inside',
		nodes,
		links,
		inputs,
		outputs: [],
	});
	const promoted = (values: unknown[], named: Json | undefined) =>
		converted([{ id: 1, type: 'inside', inputs: [], widgets_values: values, widgets_values_named: named }], [], {
			definitions: {
				subgraphs: [
					inside(
						[
							sampler([5, 'fixed', 20, 8, 'euler', 'normal', 1], {
								inputs: [into('steps', 'INT', 1, 'steps'), into('scheduler', 'COMBO', 2, 'scheduler')],
							}),
						],
						[
							{ id: 1, origin_id: -10, origin_slot: 0, target_id: 7, target_slot: 0, type: 'INT' },
							{ id: 2, origin_id: -10, origin_slot: 1, target_id: 7, target_slot: 1, type: 'COMBO' },
						],
						[
							{ id: 'a', name: 'steps', type: 'INT', linkIds: [1] },
							{ id: 'b', name: 'scheduler', type: 'COMBO', linkIds: [2] },
						],
					),
				],
			},
		});

	it('C3: takes the values of promoted widgets by their names where the list does not fit', () => {
		const { graph, notes } = promoted(['karras', 33], { steps: 33, scheduler: 'karras' });
		expect(graph['1:7']?.inputs).toMatchObject({ steps: 33, scheduler: 'karras' });
		expect(notes).toMatchObject([
			{ note: 'value_by_name', nodeId: '1:7', input: 'steps', value: 33, instead: 'karras' },
			{ note: 'value_by_name', nodeId: '1:7', input: 'scheduler', value: 'karras', instead: 33 },
		]);
	});

	it('C2: reports promoted values of the wrong type where the file has no names', () => {
		expect(promoted(['karras', 33], undefined).notes).toMatchObject([
			{ note: 'value_does_not_fit', nodeId: '1:7', input: 'steps', value: 'karras', expected: 'integer' },
			{ note: 'value_does_not_fit', nodeId: '1:7', input: 'scheduler', value: 33, expected: 'choice' },
		]);
	});
});

describe('C8: circles', () => {
	const invert = (id: number, link: number, ...links: number[]): Json => ({
		id,
		type: 'ImageInvert',
		inputs: [into('image', 'IMAGE', link)],
		outputs: [out('IMAGE', ...links)],
	});
	const refusalsOf = (nodes: Json[], links: unknown[]): unknown => {
		try {
			return converted(nodes, links).graph;
		} catch (error) {
			return error instanceof GraphError && error.facts.fault === 'not_convertible' ? error.facts.refusals : error;
		}
	};

	it('C8: refuses nodes that are linked in a circle, and names them', () => {
		const links = linked('1>2 2>3 3>1');
		expect(refusalsOf([invert(1, 3, 1), invert(2, 1, 2), invert(3, 2, 3)], links)).toMatchObject([
			{ refusal: 'circular_links', nodeIds: ['1', '3', '2'] },
		]);
	});

	it('C8: names ten circles at most, and ends soon in a file of thousands', () => {
		const nodes = Array.from({ length: 4_000 }, (_, at) => ({
			id: at + 1,
			type: 'BatchImagesNode',
			inputs: [into('images.image0', 'IMAGE', at + 1), into('images.image1', 'IMAGE', at + 4_001)],
			outputs: [out('IMAGE')],
		}));
		const links = nodes.flatMap((_, at) => [
			[at + 1, at === 3_999 ? 1 : at + 2, 0, at + 1, 0, 'IMAGE'],
			[at + 4_001, 1, 0, at + 1, 1, 'IMAGE'],
		]);
		expect(refusalsOf(nodes, links)).toHaveLength(10);
	});

	it('C8: takes a node that two ways lead to, and a chain of 20,000 nodes', () => {
		const both = {
			id: 9,
			type: 'ImageBlend',
			inputs: [into('image1', 'IMAGE', 2), into('image2', 'IMAGE', 3)],
			widgets_values: [1, 'normal'],
		};
		const start = { id: 1, type: 'EmptyImage', outputs: [out('IMAGE', 1, 2)], widgets_values: [64, 64, 1, 0] };
		const ways = linked('1>2 1>9 2>9.1');
		expect(Object.keys(refusalsOf([start, invert(2, 1, 3), both], ways) as object)).toHaveLength(3);
		const chain = Array.from({ length: 20_000 }, (_, at) => invert(at + 2, at + 1, at + 2));
		const links = chain.map((_, at) => [at + 1, at + 1, 0, at + 2, 0, 'IMAGE']);
		expect(Object.keys(refusalsOf([{ ...start, outputs: [out('IMAGE', 1)] }, ...chain], links) as object)).toHaveLength(20_001);
	});
});

describe('C8: 3D viewers', () => {
	const viewer = (properties: Json) => converted([{ id: 1, type: 'Preview3DAdvanced', widgets_values: ['', 640, 480], properties }]);

	it('C8: sends the camera of a new viewer, with the aspect of its size, and reports nothing', () => {
		const { graph, notes } = viewer({});
		expect(graph['1']?.inputs.viewport_state).toMatchObject({
			image: '',
			camera_info: { position: { x: 10, y: 10 }, fov: 35, aspect: 4 / 3 },
			model_3d_info: [],
		});
		expect(notes).toEqual([]);
	});

	it('C8: sends the camera that the file keeps, and reports that the editor may send another', () => {
		const state = { position: { x: 1, y: 2, z: 3 }, zoom: 2 };
		const { graph, notes } = viewer({ 'Camera Config': { state } });
		expect(graph['1']?.inputs.viewport_state).toMatchObject({ camera_info: state });
		expect(notes).toMatchObject([{ note: 'widget_guessed', input: 'viewport_state' }]);
	});
});
