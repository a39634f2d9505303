import { inputsIn } from './support/converted';
import { picture } from './support/nodes';
import { file, into, type Json, linkedInside, subgraph, withSubgraphs } from './support/sockets';

describe('comments in prompts', () => {
	/** The frontend removes comments with this expression. */
	const FRONTEND_COMMENTS = /\/\*[\s\S]*?\*\/|\/\/.*/g;

	it.each([
		['a/b/c', 'a/b/c'],
		['/* // x */ y', ' y'],
		['/*/ x */y', 'y'],
		['a /* b */ c */ d', 'a  c */ d'],
		['/* a */b/* c */d/c', 'bd/c'],
		['a // b /* c\nd */ e', 'a \nd */ e'],
		['a /* no end // here', 'a /* no end '],
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
});

it('promoted widgets of one name keep their own values, in two instances of a subgraph with three such widgets', () => {
	const proxyWidgets = [5, 6, 7].map((id) => [String(id), 'width']);
	const hosts = [1, 2].map((id) => ({
		id,
		type: 'three',
		properties: { proxyWidgets },
		widgets_values: [5, 6, 7].map((at) => 10 * id + at),
	}));
	const inputs = inputsIn(file(hosts, [], withSubgraphs(subgraph('three', [picture(5), picture(6), picture(7)]))));
	expect(Object.entries(inputs).map(([id, values]) => [id, values.width])).toEqual([
		['1:5', 15],
		['1:6', 16],
		['1:7', 17],
		['2:5', 25],
		['2:6', 26],
		['2:7', 27],
	]);
});

// A subgraph node has a widget with the name of the socket, which an outer subgraph node can show again.
it('promoted widgets are found by the name that the inner subgraph node shows', () => {
	const inner = subgraph('inner', [picture(5, { inputs: [into('width', 'INT', 1, 'width')] })], {
		inputs: [{ name: 'size', type: 'INT', linkIds: [1] }],
		links: linkedInside('-10>5', 'INT'),
	});
	const outer = subgraph('outer', [{ id: 7, type: 'inner', inputs: [] }]);
	const host = { id: 1, type: 'outer', inputs: [], widgets_values: [77], properties: { proxyWidgets: [['7', 'size']] } };
	expect(inputsIn(file([host], [], withSubgraphs(outer, inner)))).toMatchObject({ '1:7:5': { width: 77, height: 64 } });
});

it.each([
	[['crop'], { crop: { x: 0, y: 0, width: 0, height: 0 } }],
	[['trim'], { trim: { start_time: 0, duration: 0 } }],
])('a new editor of videos with the features %j sends %j', (features, edit) => {
	const known = { Edit: { input: { required: { edit: ['VIDEO_EDIT', { features }] } }, output: [] } };
	expect(inputsIn(file([{ id: 1, type: 'Edit', widgets_values: [] }]), known)).toEqual({ 1: { edit } });
});
