import { convertWorkflow, type Definitions } from '../../../../client';
import { picture, primitive, sampler } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from './support/sockets';

/** The inputs of all nodes of the converted graph. */
const inputsIn = (workflow: Json, known: Definitions = definitions): Record<string, unknown> =>
	Object.fromEntries(Object.entries(convertWorkflow(workflow, known).graph).map(([id, { inputs }]) => [id, inputs]));

describe('comments in prompts', () => {
	/** The frontend removes comments with this expression. */
	const FRONTEND_COMMENTS = /\/\*[\s\S]*?\*\/|\/\/.*/g;

	it.each([
		['a/b/c', 'a/b/c'],
		['a/', 'a/'],
		['//', ''],
		['/* // x */ y', ' y'],
		['/*/ x */y', 'y'],
		['/* a /* b */ c', ' c'],
		['a /* b */ c */ d', 'a  c */ d'],
		['/* a */b/* c */d/c', 'bd/c'],
		['a // b /* c\nd */ e', 'a \nd */ e'],
		['a /* no end // here', 'a /* no end '],
		['a /* no end', 'a /* no end'],
		['x// y\r\nz', 'x\r\nz'],
		['x// y\u2028z', 'x\u2028z'],
	])('the prompt %j becomes %j', (text, expected) => {
		expect(text.replace(FRONTEND_COMMENTS, '')).toBe(expected);
		expect(inputsIn(file([{ id: 1, type: 'CLIPTextEncode', widgets_values: [text] }]))).toEqual({ 1: { text: expected } });
	});
});

describe('the order of widgets', () => {
	const REQUIRED = { a: ['INT', {}], b: ['STRING', {}], c: ['BOOLEAN', {}] };
	const OPTIONAL = { d: ['FLOAT', {}], e: ['STRING', {}] };

	it.each<[what: string, order: Json | undefined, values: unknown[]]>([
		['the definition without an order', undefined, [1, 'b', true, 0.5, 'e']],
		['an order of all inputs', { required: ['c', 'a', 'b'], optional: ['e', 'd'] }, [true, 1, 'b', 'e', 0.5]],
		['an order of some inputs, before all others', { required: ['c'], optional: ['e'] }, [true, 'e', 1, 'b', 0.5]],
		['an order with names in the wrong group, which do not count', { required: ['e', 'c'], optional: ['a'] }, [true, 1, 'b', 0.5, 'e']],
	])('follows %s', (_, input_order, values) => {
		const known = { Ordered: { input: { required: REQUIRED, optional: OPTIONAL }, ...(input_order && { input_order }), output: [] } };
		expect(inputsIn(file([{ id: 1, type: 'Ordered', widgets_values: values }]), known)).toEqual({
			1: { a: 1, b: 'b', c: true, d: 0.5, e: 'e' },
		});
	});

	it.each<[type: string, settings: Json, values: unknown[], value: unknown]>([
		['INT', { control_after_generate: true }, [3, 'fixed', 'end'], 3],
		['INT', { control_after_generate: false }, [3, 'end'], 3],
		['FLOAT', { control_after_generate: true }, [0.5, 'fixed', 'end'], 0.5],
		['COMBO', { options: ['x', 'y'] }, ['y', 'end'], 'y'],
		['COMBO', { options: ['x', 'y'], control_after_generate: true }, ['y', 'fixed', '', 'end'], 'y'],
		['BOUNDING_BOX', {}, [{ x: 1, y: 2, width: 3, height: 4 }, 1, 2, 3, 4, 'end'], { x: 1, y: 2, width: 3, height: 4 }],
		['VIDEO_EDIT', { features: ['crop'] }, [], { crop: { x: 0, y: 0, width: 0, height: 0 } }],
		['IMAGECOMPARE', {}, ['end'], { __value__: ['', ''] }],
	])('has the positions of %s with %j, from the values %j', (type, settings, values, value) => {
		const known = { Own: { input: { required: { it: [type, settings], last: ['STRING', { default: 'default' }] } }, output: [] } };
		expect(inputsIn(file([{ id: 1, type: 'Own', widgets_values: values }]), known)).toEqual({
			1: { it: value, last: values.includes('end') ? 'end' : 'default' },
		});
	});
});

describe('promoted widgets', () => {
	const inside = (input: Json): Json =>
		subgraph('inside', [picture(5, { inputs: [input] })], {
			inputs: [{ name: 'size', type: 'INT', linkIds: [1] }],
			links: linkedInside('-10>5', 'INT'),
		});

	// The frontend takes from the definition whether an input has a widget, and not from the file.
	it.each([
		['with the name of its widget', into('width', 'INT', 1, 'width')],
		['without it, as the definition has the widget', into('width', 'INT', 1)],
	])('override the value of an input that the file has %s', (_, input) => {
		const host = { id: 1, type: 'inside', inputs: [], widgets_values: [99] };
		expect(inputsIn(file([host], [], withSubgraphs(inside(input))))).toEqual({ '1:5': { width: 99, height: 64, batch_size: 1, color: 0 } });
	});

	// A subgraph node has a widget with the name of the socket, which an outer subgraph node can show again.
	it('are found by the name that the inner subgraph node shows', () => {
		const inner = subgraph('inner', [picture(5, { inputs: [into('width', 'INT', 1, 'width')] })], {
			inputs: [{ name: 'size', type: 'INT', linkIds: [1] }],
			links: linkedInside('-10>5', 'INT'),
		});
		const outer = subgraph('outer', [{ id: 7, type: 'inner', inputs: [] }]);
		const host = { id: 1, type: 'outer', inputs: [], widgets_values: [77], properties: { proxyWidgets: [['7', 'size']] } };
		expect(inputsIn(file([host], [], withSubgraphs(outer, inner)))).toMatchObject({ '1:7:5': { width: 77, height: 64 } });
	});
});

describe('group nodes', () => {
	const groupFile = (group: Json, values: unknown[], more: Json[] = [], links: unknown[] = []): Json =>
		file([{ id: 4, type: 'workflow>Mine', inputs: [], outputs: [out('IMAGE')], widgets_values: values }, ...more], links, {
			last_node_id: 9,
			extra: { groupNodes: { Mine: { external: [], ...group } } },
		});

	/** The frontend adds the title of the node to a name that is used already, then a number. */
	it('have inputs with unique names', () => {
		const names = ['image', 'Same image', 'Same 2 image', 'Same 3 image'];
		const nodes = names.map(() => ({ type: 'ImageInvert', title: 'Same', inputs: [into('image', 'IMAGE', null)] }));
		const host = { id: 4, type: 'workflow>Mine', inputs: names.map((name, at) => into(name, 'IMAGE', at + 1)) };
		const pictures = [5, 6, 7, 8].map((id) => picture(id));
		const extra = { groupNodes: { Mine: { nodes, links: [], external: [] } } };
		const workflow = file([host, ...pictures], linked('5>4 6>4.1 7>4.2 8>4.3'), { last_node_id: 9, extra });
		expect(inputsIn(workflow)).toMatchObject({
			'14:10': { image: ['5', 0] },
			'14:11': { image: ['6', 0] },
			'14:12': { image: ['7', 0] },
			'14:13': { image: ['8', 0] },
		});
	});

	it('name an input by its label, and a primitive node with a title by this title', () => {
		const nodes = [
			{ ...primitive(undefined, [], 'INT', []), title: 'Count' },
			sampler(undefined, [], { inputs: [into('steps', 'INT', null, 'steps')] }),
			{ type: 'PrimitiveInt', inputs: [into('value', 'INT', null, 'value')] },
			{ type: 'ImageInvert', inputs: [{ ...into('image', 'IMAGE', null), label: 'Photo' }] },
		];
		const number = { id: 5, type: 'PrimitiveInt', outputs: [out('INT')], widgets_values: [3] };
		const host = { id: 4, type: 'workflow>Mine', inputs: [into('value', 'INT', 1), into('Photo', 'IMAGE', 2)] };
		const links = [...linked('5>4', 'INT'), ...linked('6>4.1', 'IMAGE', 2)];
		const extra = { groupNodes: { Mine: { nodes, links: [[0, 0, 1, 0, 1, 'INT']], external: [] } } };
		expect(inputsIn(file([host, number, picture(6)], links, { last_node_id: 9, extra }))).toMatchObject({
			'14:12': { value: ['5', 0] },
			'14:13': { image: ['6', 0] },
		});
	});

	/** The widget of a primitive node has a control for a number, and a control and a filter for a choice. */
	it.each<[type: string, input: string, values: unknown[]]>([
		['INT', 'steps', [33, 'fixed']],
		['FLOAT', 'cfg', [3.5, 'fixed']],
		['COMBO', 'sampler_name', ['heun', 'fixed', '']],
	])('have as many values for a primitive node as it has widgets: %s', (type, input, values) => {
		const others = { seed: 7, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 0.5 };
		const saved = Object.entries(others).flatMap(([name, value]) => (name === input ? [] : name === 'seed' ? [value, 'fixed'] : [value]));
		const nodes = [primitive(undefined, [], type, []), sampler(undefined, [], { inputs: [into(input, type, null, input)] })];
		const workflow = groupFile({ nodes, links: [[0, 0, 1, 0, 1, type]] }, [...values, ...saved]);
		expect(inputsIn(workflow)).toEqual({ '12:11': { ...others, [input]: values[0] } });
	});

	it('show an output that is used inside only if it is used outside, or if the author made it visible', () => {
		const nodes = [{ type: 'EmptyImage' }, { type: 'PreviewImage', inputs: [into('images', 'IMAGE', null)] }];
		const group = { nodes, links: [[0, 0, 1, 0, 1, 'IMAGE']] };
		const preview = { id: 6, type: 'PreviewImage', inputs: [into('images', 'IMAGE', 1)] };
		const shown = inputsIn(groupFile({ ...group, external: [[0, 0, 'IMAGE']] }, [32, 16, 1, 0], [preview], linked('4>6')));
		expect(shown).toMatchObject({ 6: { images: ['12:10', 0] }, '12:11': { images: ['12:10', 0] }, '12:10': { width: 32, height: 16 } });
		// An output that is only used inside is hidden, so the first output of the group node is that of the last node.
		expect(inputsIn(groupFile(group, [32, 16, 1, 0], [preview], linked('4>6')))).toMatchObject({ 6: { images: ['12:11', 0] } });
		const visible = { ...group, config: { 0: { output: { 0: { visible: true } } } } };
		expect(inputsIn(groupFile(visible, [32, 16, 1, 0], [preview], linked('4>6')))).toMatchObject({ 6: { images: ['12:10', 0] } });
	});

	it('show only those outputs of a node that are used outside', () => {
		const nodes = [
			{ type: 'LoadImage', widgets_values: ['example.png', 'image'] },
			{ type: 'ImageInvert', inputs: [into('image', 'IMAGE', null)] },
			{ type: 'InvertMask', inputs: [into('mask', 'MASK', null)] },
		];
		const links = [
			[0, 0, 1, 0, 1, 'IMAGE'],
			[0, 1, 2, 0, 2, 'MASK'],
		];
		const outside = { id: 6, type: 'InvertMask', inputs: [into('mask', 'MASK', 1)], outputs: [] };
		const workflow = groupFile({ nodes, links, external: [[0, 1, 'MASK']] }, ['example.png'], [outside], linked('4>6', 'MASK'));
		expect(inputsIn(workflow)).toMatchObject({ 6: { mask: ['13:10', 1] } });
	});

	it('show the output of a reroute between their nodes only if it is used outside', () => {
		const reroute = { type: 'Reroute', inputs: [into('', '*', null)], outputs: [out('*')] };
		const nodes = [{ type: 'EmptyImage' }, reroute, { type: 'PreviewImage', inputs: [into('images', 'IMAGE', null)] }];
		const links = [
			[0, 0, 1, 0, 1, 'IMAGE'],
			[1, 0, 2, 0, 2, 'IMAGE'],
		];
		const preview = { id: 6, type: 'PreviewImage', inputs: [into('images', 'IMAGE', 1)] };
		const previewOf = (external: unknown[]) => inputsIn(groupFile({ nodes, links, external }, [32], [preview], linked('4>6')))['6'];
		expect(previewOf([[1, 0, 'IMAGE']])).toEqual({ images: ['13:10', 0] });
		// The first output of the group node is then that of the last node.
		expect(previewOf([])).toEqual({ images: ['13:12', 0] });
	});
});
