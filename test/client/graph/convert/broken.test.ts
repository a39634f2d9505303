import { convertWorkflow, exactText, parseExact } from '../../../../client';
import { definitions } from './support/recordings';
import { refusalsOf as refusalsIn } from './support/converted';
import { getter, invert, picture, preview, reroute, setter } from './support/nodes';
import { file, into, type Json, linked, subgraph, withSubgraphs } from './support/sockets';

/** A class of cg-use-everywhere, as the pack declares it. */
const EVERYWHERE = { input: { optional: { anything: ['*', {}] } }, output: [], output_node: true };

const refusalsOf = (workflow: unknown) => refusalsIn(workflow, { ...definitions, 'Anything Everywhere': EVERYWHERE });

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

const broken = (detail: string): Json => ({ refusal: 'broken_file', detail });
const brokenLink = (nodeId: string, input = 'images'): Json => ({ refusal: 'broken_link', nodeId, input });

describe('files that are broken', () => {
	it.each<[string, unknown, Json]>([
		['nothing', null, broken('it has no list of nodes')],
		['nodes that are an object', file({ 1: picture(1) }), broken('it has no list of nodes')],
		['links that are an object', file([picture(1)], { 1: [1, 1, 0, 2, 0, 'IMAGE'] }), broken('its links are not a list')],
		['no nodes', file([]), { refusal: 'nothing_to_run' }],
		['only a note', file([{ id: 1, type: 'Note', widgets_values: ['a'] }]), { refusal: 'nothing_to_run' }],
		['only muted nodes', file([picture(1, { mode: 2 })]), { refusal: 'nothing_to_run' }],
		['a node that is nothing', file([null]), broken('its list of nodes contains null, which is not a node')],
		['a node without an id', file([{ type: 'EmptyImage' }]), broken('a node has no id')],
		['an id with a fraction', file([picture(1.5)]), broken('the node id "1.5" is not valid')],
		['an id of nothing', file([picture('')]), broken('the node id "" is not valid')],
		['an id that is no id', file([picture('__proto__')]), broken('the node id "__proto__" is not valid')],
		['two nodes of one id, as number and text', file([picture(1), preview('1')]), broken('two of its nodes have the id 1')],
		['a node without a type', file([{ id: 1 }]), broken('node 1 has no type')],
		['inputs that are an object', file([{ ...preview(1), inputs: { images: 1 } }]), broken('the inputs of node 1 are not a list')],
		['an input that is text', file([{ ...preview(1), inputs: ['images'] }]), broken('node 1 has an input that is not an object')],
		['outputs that are a number', file([picture(1, { outputs: 4 })]), broken('the outputs of node 1 are not a list')],
		['a link that is not there', file([picture(1), preview(2)]), brokenLink('2')],
		['a link from a node that is not there', file([preview(2)], [[1, 9, 0, 2, 0, 'IMAGE']]), brokenLink('2')],
		['a link without ends', file([picture(1), preview(2)], [[1]]), brokenLink('2')],
		['a link that is nothing', file([picture(1), preview(2)], [null, 7, 'x', {}]), brokenLink('2')],
		['a link from before the first slot', file([picture(1), preview(2)], [[1, 1, -1, 2, 0, 'IMAGE']]), brokenLink('2')],
		['a link from half a slot', file([picture(1), preview(2)], [[1, 1, 0.5, 2, 0, 'IMAGE']]), brokenLink('2')],
		[
			'a link object without an origin',
			file([picture(1), preview(2)], [{ id: 1, target_id: 2, target_slot: 0 }], { version: 1 }),
			brokenLink('2'),
		],
		['a reroute of itself', file([reroute(1, 1), preview(2, 2)], linked('1>1 1>2', '*')), brokenLink('2')],
		['reroutes in a circle', file([reroute(1, 1), reroute(2, 2), preview(3, 3)], linked('2>1 1>2 2>3', '*')), brokenLink('3')],
		['bypassed nodes in a circle', file([invert(1, 1, { mode: 4 }), preview(2, 2)], linked('1>1 1>2')), brokenLink('2')],
		['a setter of what it gets', file([setter(1, 'a', 1), getter(2, 'a'), preview(3, 2)], linked('2>1 2>3')), brokenLink('3')],
		[
			'setters of each other',
			file([setter(1, 'a', 1), getter(2, 'b'), setter(3, 'b', 2), getter(4, 'a'), preview(5, 3)], linked('2>1 4>3 4>5')),
			brokenLink('5'),
		],
		['an unknown class', file([{ id: 1, type: 'constructor' }]), { refusal: 'unknown_class', nodeId: '1', className: 'constructor' }],
		[
			'a class that is the prototype',
			file([{ id: 1, type: '__proto__', properties: { aux_id: 'a/b' } }]),
			{ refusal: 'unknown_class', nodeId: '1', className: '__proto__', pack: 'a/b' },
		],
		[
			'links that only an extension knows',
			file(
				[picture(1), { id: 2, type: 'Anything Everywhere', inputs: [{ name: 'anything', type: 'IMAGE', link: 1 }] }, preview(3, null)],
				linked('1>2'),
			),
			{ refusal: 'hidden_links', nodeId: '2' },
		],
		[
			'links that a node of any class has from an extension',
			file([picture(1, { properties: { ue_convert: true } }), preview(2, null)]),
			{ refusal: 'hidden_links', nodeId: '1' },
		],
		['subgraphs that are a number', file([picture(1)], [], { definitions: { subgraphs: 5 } }), broken('its subgraphs are not a list')],
		[
			'a subgraph whose nodes are text',
			file([picture(1)], [], withSubgraphs({ id: 's', name: 'Upscale', nodes: 'none' })),
			broken('the nodes of subgraph Upscale are not a list'),
		],
		['a subgraph without an id', file([picture(1)], [], withSubgraphs({ nodes: [] })), broken('one of its subgraphs has no id')],
		['a subgraph that is nothing', file([picture(1)], [], withSubgraphs(null)), broken('one of its subgraphs has no id')],
		['values that nest without end', file([picture(1, { type: nested(50_000) })]), broken('it has too many nested levels')],
		[
			'two subgraphs of one id',
			file([picture(1)], [], withSubgraphs(subgraph('s', []), subgraph('s', []))),
			broken('two subgraphs have the id s'),
		],
	])('are refused for %s', (_, workflow, expected) => {
		expect(refusalsOf(workflow)).toEqual([expect.objectContaining(expected)]);
	});

	it('are not refused for notes that share an id, with each other or with a node', () => {
		const note = (id: number, type: string): Json => ({ id, type, widgets_values: ['a'] });
		const notes = [note(9, 'MarkdownNote'), note(9, 'MarkdownNote'), note(2, 'Note'), note(7, 'Note')];
		const { graph } = convertWorkflow(
			file([...notes, picture(1), preview(2, 1), picture(7), note(1, 'Note'), note(7, 'MarkdownNote')], linked('1>2')),
			definitions,
		);
		expect(Object.keys(graph)).toEqual(expect.arrayContaining(['1', '2', '7']));
		expect(graph['2']?.inputs).toEqual({ images: ['1', 0] });
	});

	it('are refused with all places in one error', () => {
		const places = refusalsOf(file([preview(2), preview(3, 7), { id: 4, type: 'Nobody Knows This', title: 'Mine' }]));
		expect(places).toEqual([
			expect.objectContaining({ refusal: 'broken_link', nodeId: '2' }),
			expect.objectContaining({ refusal: 'broken_link', nodeId: '3' }),
			expect.objectContaining({ refusal: 'unknown_class', nodeId: '4', title: 'Mine' }),
		]);
	});
});

describe('names that mean something else in JavaScript', () => {
	it('stay names: inputs, setters, titles', () => {
		const target = { ...preview(4), title: 'toString', inputs: [into('images', 'IMAGE', 2), into('__proto__', 'IMAGE', 3)] };
		const nodes = [picture(1), setter(2, '__proto__', 1), getter(3, '__proto__'), target];
		const { graph } = convertWorkflow(parseExact(exactText(file(nodes, linked('1>2 3>4 1>4.1')))), definitions);
		expect(Object.entries(graph['4']?.inputs ?? {})).toEqual([
			['images', ['1', 0]],
			['__proto__', ['1', 0]],
		]);
		expect(({} as Json).images).toBeUndefined();
	});

	it('are not nodes of a graph', () => {
		expect(refusalsOf(file([preview('constructor'), picture('toString')], [[1, 'toString', 0, 'constructor', 0, 'IMAGE']]))).toEqual([]);
	});
});
