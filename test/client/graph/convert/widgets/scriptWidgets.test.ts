import { converted } from '../support/converted';
import { picture, preview, primitive } from '../support/nodes';
import { definitions } from '../support/recordings';
import { file, into, type Json, linked } from '../support/sockets';

const packClass = (input: Json): Json => ({ input, output: ['IMAGE'], python_module: 'custom_nodes.own' });

const own = {
	...definitions,
	Colour: packClass({
		required: { text: ['STRING', {}], colour: ['OWN_COLOUR', { default: '#fff' }], size: ['INT', { default: 1 }], note: ['STRING', {}] },
	}),
	Sockets: packClass({ required: { count: ['INT', {}] }, optional: { pipe: ['OWN_PIPE'], mask: ['MASK'], more: ['STRING', {}] } }),
	Bridge: packClass({ required: { images: ['IMAGE'], image: ['STRING', {}] }, optional: { block: ['BOOLEAN', { default: false }] } }),
	'LoadImage //Inspire': packClass({ required: { image: [['a.png'], {}], image_data: ['STRING', {}] } }),
	ImageReceiver: packClass({
		required: { image: [['a.png'], {}], link_id: ['INT', {}], save: ['BOOLEAN', {}], image_data: ['STRING', {}] },
	}),
};

const convert = (nodes: Json[], links: unknown[] = []) => converted(JSON.stringify(file(nodes, links)), own);
const inputsOf = (nodes: Json[], links: unknown[] = []) =>
	Object.fromEntries(Object.entries(convert(nodes, links).output ?? {}).map(([id, { inputs }]) => [id, inputs]));
/** The inputs with a note, by node. */
const notedIn = (nodes: Json[]) =>
	convert(nodes).notes.map((note) => `${(note as Json).nodeId as string}.${(note as Json).input as string}`);

/** Values that a list of 2024 or the names of values hold are recorded in the graphs `pack-widgets/`. */
describe('widgets that the script of a pack makes', () => {
	it('never shift the values after them without a note, also if the class has gained a widget', () => {
		const nodes = [
			{ id: 1, type: 'Colour', widgets_values: ['a', '#f00', 7, 'b'] },
			{ id: 2, type: 'Colour', widgets_values: ['c', '#0f0', 8] },
		];
		expect(inputsOf(nodes)).toEqual({
			1: { text: 'a', colour: '#f00', size: 7, note: 'b' },
			2: { text: 'c', colour: '#0f0', size: 8, note: '' },
		});
		expect(notedIn(nodes)).toEqual(['1.colour', '1.size', '1.note', '2.colour', '2.size', '2.note']);
	});

	it('take the value of a link or of a primitive node', () => {
		const named = (colour: unknown, size: unknown) => [into('colour', 'OWN_COLOUR', colour, 'colour'), into('size', 'INT', size, 'size')];
		const nodes = [
			picture(1),
			{ id: 2, type: 'Colour', inputs: named(1, null), widgets_values: ['a', '#f00', 7, 'b'] },
			primitive(3, ['#00f'], 'OWN_COLOUR', [2]),
			{ id: 4, type: 'Colour', inputs: named(2, null), widgets_values: ['a', '#f00', 7, 'b'] },
		];
		expect(inputsOf(nodes, [...linked('1>2'), ...linked('3>4', 'OWN_COLOUR', 2)])).toMatchObject({
			2: { colour: ['1', 0], size: 7 },
			4: { colour: '#00f', size: 7 },
		});
	});

	it.each<[what: string, node: Json]>([
		[
			'a newer file lists only other widgets',
			{ inputs: [into('count', 'INT', null, 'count'), into('more', 'STRING', null, 'more')], widgets_values: [3, 'b', 'button'] },
		],
		['the file lists it as a socket', { inputs: [into('pipe', 'OWN_PIPE', null)], widgets_values: [3, 'b', 'button'] }],
		['a button was saved as null', { widgets_values: [3, 'b', null] }],
		['the values fit without it', {}],
	])('are not assumed if %s', (_, node) => {
		const nodes = [1, 2].map((id) => ({ id, type: 'Sockets', widgets_values: [3, 'b'], ...node }));
		expect(inputsOf(nodes)).toEqual({ 1: { count: 3, more: 'b' }, 2: { count: 3, more: 'b' } });
		expect(notedIn(nodes)).toEqual([]);
	});
});

describe('objects in the values of a pack', () => {
	const shown = (filename: string) => ({ filename, subfolder: '', type: 'temp' });

	it('are left out if they are pictures behind the values, and what they hide is reported', () => {
		const nodes = [
			{ id: 1, type: 'Bridge', widgets_values: ['$1-0', shown('a.png')] },
			{ id: 2, type: 'Bridge', widgets_values: ['$2-0', true, shown('b.png'), null] },
		];
		expect(inputsOf(nodes)).toEqual({ 1: { image: '$1-0', block: false }, 2: { image: '$2-0', block: true } });
		expect(notedIn(nodes)).toEqual(['1.block']);
	});

	it.each([
		['before other values', [shown('a.png'), '$1-0', true]],
		['that are no pictures', ['$1-0', true, { row: 1 }]],
	])('refuse the node if they are %s', (_, widgets_values) => {
		const nodes = [1, 2].map((id) => ({ id, type: 'Bridge', widgets_values }));
		expect(convert(nodes).refusals).toMatchObject([1, 2].map((id) => ({ refusal: 'unknown_widgets', nodeId: String(id) })));
	});
});

it('a placeholder of a picture is refused, and is empty where the pack sends nothing', () => {
	const data = '[IMAGE DATA]';
	const loaders = [1, 2].map((id) => ({ id, type: 'LoadImage //Inspire', widgets_values: ['a.png', data] }));
	expect(convert(loaders).refusals).toMatchObject(
		[1, 2].map((id) => ({ refusal: 'unknown_widgets', nodeId: String(id), input: 'image_data' })),
	);
	const receivers = [3, 4].map((id) => ({ id, type: 'ImageReceiver', widgets_values: ['a.png', 0, false, data] }));
	expect(inputsOf([...receivers, preview(5, null)])).toMatchObject({ 3: { image_data: '' }, 4: { image_data: '' } });
});
