import { convertWorkflow, parseExact } from '../../../../client';
import { refusalsOf as refusalsIn } from './support/converted';
import { invert, picture, primitive, sampler } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from './support/sockets';

const converted = (...parts: Parameters<typeof file>) => convertWorkflow(file(...parts), definitions);
const notesOf = (...parts: Parameters<typeof file>): Json[] =>
	converted(...parts).notes.map((note) =>
		Object.fromEntries(Object.entries(note).filter(([key]) => key !== 'title' && key !== 'className')),
	);

const VALUES = [5, 'fixed', 20, 8, 'euler', 'normal', 1];
const SHIFTED = ['flow', 'fixed', 20, 8, 'euler', 'normal', 1];
const NAMED = { seed: 5, control_after_generate: 'fixed', steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };

describe('C2: the last check of every value', () => {
	const group = { nodes: [{ type: 'EmptyImage', inputs: [], widgets_values: [64, 64, 1, 0] }], links: [] };
	const host = { id: 1, type: 'workflow>Mine', widgets_values: [64, 'wide', 1, 0] };
	const linkedTo = (input: string, type: string, values: unknown[]) => sampler(7, values, { inputs: [into(input, type, 1, input)] });
	const number = { id: 2, type: 'PrimitiveInt', outputs: [out('INT')], widgets_values: [3] };
	const steps = { nodeId: '7', input: 'steps', value: 'many', expected: 'integer' };
	const name = { nodeId: '7', input: 'sampler_name', value: 4096, expected: 'choice' };

	it.each<[from: string, parts: Parameters<typeof file>, notes: Json[]]>([
		['a node itself', [[sampler(7, [5, 'fixed', 'many', 8, 4096, 'normal', 1])]], [steps, name]],
		[
			'a primitive node, through its own widget',
			[[primitive(2, [4096, 'fixed'], 'COMBO'), linkedTo('sampler_name', 'COMBO', VALUES)], linked('2>7', 'COMBO')],
			[name],
		],
		[
			'a group of the older kind',
			[[host], [], { last_node_id: 1, extra: { groupNodes: { Mine: group } } }],
			[{ nodeId: '3:2', input: 'height', value: 'wide', expected: 'integer' }],
		],
		['a node whose value a link replaces', [[number, linkedTo('steps', 'INT', [5, 'fixed', 'many'])], linked('2>7', 'INT')], []],
	])('C2: reports values of the wrong type of %s, with the type that the input takes', (_, parts, notes) => {
		expect(notesOf(...parts)).toEqual(notes.map((note) => ({ note: 'value_does_not_fit', ...note })));
	});

	it.each([
		['PrimitiveInt', '12', undefined],
		['PrimitiveInt', true, 'integer'],
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
		expect(notesOf([picture(2), node], linked('2>1'))).toEqual([
			{ note: 'value_does_not_fit', nodeId: '1', input: 'resize_type', value: 'scale by moonlight', expected: 'choice' },
			{ note: 'link_dropped', nodeId: '1', input: 'resize_type.match', value: ['2', 0], choice: 'resize_type' },
		]);
	});
});

describe('C3: values by name', () => {
	const byName = (values: unknown[], more: Json = {}) => converted([sampler(7, values, { widgets_values_named: { ...NAMED, ...more } })]);

	it('C3: takes the values by their names where the list puts one at a wrong position, and says which', () => {
		const { graph, notes } = byName([5, 'fixed', 'flow', 20, 8, 'euler', 1]);
		expect(graph['7']?.inputs).toEqual({ seed: 5, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 });
		expect(notes).toMatchObject([
			{ note: 'value_by_name', input: 'steps', value: 20, instead: 'flow' },
			{ note: 'value_by_name', input: 'cfg', value: 8, instead: 20 },
			{ note: 'value_by_name', input: 'sampler_name', value: 'euler', instead: 8 },
			{ note: 'value_by_name', input: 'scheduler', value: 'normal', instead: 'euler' },
		]);
	});

	it('C3: keeps the list where it fits, as names can be older, and where the names fit no better, which it reports', () => {
		const fits = byName([5, 'fixed', 30, 8, 'euler', 'normal', 1]);
		expect([fits.graph['7']?.inputs.steps, fits.notes]).toEqual([30, []]);
		const { graph, notes } = byName(SHIFTED, { seed: 'also text' });
		expect(graph['7']?.inputs.seed).toBe('flow');
		expect(notes).toMatchObject([{ note: 'value_does_not_fit', input: 'seed', value: 'flow', expected: 'integer' }]);
	});

	it.each([
		[
			'C3: takes the values of promoted widgets by their names where the list does not fit',
			{ steps: 33, scheduler: 'karras' },
			{ note: 'value_by_name', value: 33, instead: 'karras' },
			{ note: 'value_by_name', value: 'karras', instead: 33 },
		],
		[
			'C2: reports promoted values of the wrong type where the file has no names',
			undefined,
			{ note: 'value_does_not_fit', value: 'karras', expected: 'integer' },
			{ note: 'value_does_not_fit', value: 33, expected: 'choice' },
		],
	])('%s', (_, widgets_values_named, steps, scheduler) => {
		const inputs = [into('steps', 'INT', 1, 'steps'), into('scheduler', 'COMBO', 2, 'scheduler')];
		const inside = subgraph('inside', [sampler(7, VALUES, { inputs })], {
			links: [...linkedInside('-10>7', 'INT'), ...linkedInside('-10.1>7.1', 'COMBO', 2)],
			inputs: [
				{ id: 'a', name: 'steps', type: 'INT', linkIds: [1] },
				{ id: 'b', name: 'scheduler', type: 'COMBO', linkIds: [2] },
			],
		});
		const host = { id: 1, type: 'inside', inputs: [], widgets_values: ['karras', 33], widgets_values_named };
		const { graph, notes } = converted([host], [], withSubgraphs(inside));
		if (widgets_values_named !== undefined) expect(graph['1:7']?.inputs).toMatchObject(widgets_values_named);
		expect(notes).toMatchObject([
			{ ...steps, nodeId: '1:7', input: 'steps' },
			{ ...scheduler, nodeId: '1:7', input: 'scheduler' },
		]);
	});
});

describe('C8: circles', () => {
	const refusalsOf = (...parts: Parameters<typeof file>) => refusalsIn(file(...parts), definitions);

	it('C8: refuses nodes that are linked in a circle, and names them', () => {
		expect(refusalsOf([invert(1, 3), invert(2, 1), invert(3, 2)], linked('1>2 2>3 3>1'))).toMatchObject([
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
		const inputs = [into('image1', 'IMAGE', 2), into('image2', 'IMAGE', 3)];
		const both = { id: 9, type: 'ImageBlend', inputs, widgets_values: [1, 'normal'] };
		expect(Object.keys(converted([picture(1), invert(2, 1), both], linked('1>2 1>9 2>9.1')).graph)).toHaveLength(3);
		const chain = Array.from({ length: 20_000 }, (_, at) => invert(at + 2, at + 1));
		const links = chain.map((_, at) => [at + 1, at + 1, 0, at + 2, 0, 'IMAGE']);
		expect(Object.keys(converted([picture(1), ...chain], links).graph)).toHaveLength(20_001);
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
