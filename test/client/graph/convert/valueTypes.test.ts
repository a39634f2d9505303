import { convertWorkflow, parseExact } from '../../../../client';
import { refusalsOf as refusalsIn } from './support/converted';
import { invert, picture, primitive, sampler } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, out } from './support/sockets';

const converted = (...parts: Parameters<typeof file>) => convertWorkflow(file(...parts), definitions);
const notesOf = (...parts: Parameters<typeof file>): Json[] =>
	converted(...parts).notes.map((note) =>
		Object.fromEntries(Object.entries(note).filter(([key]) => key !== 'title' && key !== 'className')),
	);

const VALUES = [5, 'fixed', 20, 8, 'euler', 'normal', 1];
const SHIFTED = ['flow', 'fixed', 20, 8, 'euler', 'normal', 1];
const NAMED = { seed: 5, control_after_generate: 'fixed', steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };

/** The types that the inputs of every class take are recorded in the graphs `widgets/`. */
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
			'a primitive node of a number',
			[[primitive(2, ['many', 'fixed'], 'INT'), linkedTo('steps', 'INT', VALUES)], linked('2>7', 'INT')],
			[steps],
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
		['PrimitiveInt', '12', []],
		['PrimitiveInt', 1.5, ['integer']],
		['PrimitiveFloat', '1.5e3', []],
		['PrimitiveString', null, ['text']],
		['PrimitiveBoolean', 'true', ['boolean']],
	])('C2: reports of %s with %j that ComfyUI expects %j', (type, value, expected) => {
		expect(notesOf([{ id: 1, type, widgets_values: [value, 'fixed'] }]).map((note) => note.expected)).toEqual(expected);
	});

	it('C4: writes a number at a text as text, with every digit, and reports it', () => {
		const saved = parseExact('[18446744073709551615]');
		const { graph, notes } = converted([{ id: 1, type: 'PrimitiveString', widgets_values: saved }]);
		expect(graph['1']?.inputs).toEqual({ value: '18446744073709551615' });
		expect(notes).toMatchObject([{ note: 'value_does_not_fit', expected: 'text' }]);
	});
});

/** What the names of values change is recorded in the graphs `named/`. */
it('C3: keeps the list of values where their names fit no better, and reports it', () => {
	const named = { ...NAMED, seed: 'also text' };
	const { graph, notes } = converted([7, 8].map((id) => sampler(id, SHIFTED, { widgets_values_named: named })));
	expect([graph['7']?.inputs.seed, graph['8']?.inputs.seed]).toEqual(['flow', 'flow']);
	expect(notes).toMatchObject(
		['7', '8'].map((nodeId) => ({ note: 'value_does_not_fit', nodeId, input: 'seed', value: 'flow', expected: 'integer' })),
	);
});

describe('C8: circles', () => {
	const refusalsOf = (...parts: Parameters<typeof file>) => refusalsIn(file(...parts), definitions);

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

it('C8: sends the camera that a 3D viewer keeps in the file, and reports that the editor may send another', () => {
	const state = { position: { x: 1, y: 2, z: 3 }, zoom: 2 };
	const viewer = { type: 'Preview3DAdvanced', widgets_values: ['', 640, 480] };
	const { graph, notes } = converted([
		{ id: 1, ...viewer, properties: { 'Camera Config': { state } } },
		{ id: 2, ...viewer },
		{ id: 3, ...viewer, widgets_values: ['', 0, 480] },
	]);
	expect(graph['1']?.inputs.viewport_state).toMatchObject({ camera_info: state });
	expect(graph['2']?.inputs.viewport_state).toMatchObject({ camera_info: { fov: 35, aspect: 4 / 3 }, model_3d_info: [] });
	expect(graph['3']?.inputs.viewport_state).toMatchObject({ camera_info: { aspect: 1 } });
	expect(notes).toMatchObject([{ note: 'widget_guessed', nodeId: '1', input: 'viewport_state' }]);
});
