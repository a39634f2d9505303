import { cpuMs } from '../../../support/cpuTime';
import { convertWorkflow, classesIn, exactText, GraphError, parseExact } from '../../../../client';
import { definitions, graphNames, graphText } from './support/recordings';
import { refusalsOf as refusalsIn } from './support/converted';
import { linked } from './support/sockets';

type Json = Record<string, unknown>;

const picture = (id: unknown, more: Json = {}): Json => ({
	id,
	type: 'EmptyImage',
	mode: 0,
	outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
	widgets_values: [64, 64, 1, 0],
	...more,
});
const preview = (id: unknown, link: unknown = 1): Json => ({
	id,
	type: 'PreviewImage',
	mode: 0,
	inputs: [{ name: 'images', type: 'IMAGE', link }],
});
const reroute = (id: unknown, link: unknown, links: unknown[], more: Json = {}): Json => ({
	id,
	type: 'Reroute',
	inputs: [{ name: '', type: '*', link }],
	outputs: [{ name: '', type: '*', links }],
	...more,
});
const setter = (id: unknown, name: unknown, link: unknown): Json => ({
	id,
	type: 'SetNode',
	inputs: [{ name: 'IMAGE', type: 'IMAGE', link }],
	outputs: [],
	widgets_values: [name],
});
const getter = (id: unknown, name: unknown, links: unknown[]): Json => ({
	id,
	type: 'GetNode',
	inputs: [],
	outputs: [{ name: 'IMAGE', type: 'IMAGE', links }],
	widgets_values: [name],
});
const file = (nodes: unknown, links: unknown = [], more: Json = {}): Json => ({ version: 0.4, nodes, links, ...more });

/** A class of cg-use-everywhere, as the pack declares it. */
const EVERYWHERE = { input: { optional: { anything: ['*', {}] } }, output: [], output_node: true };

const refusalsOf = (workflow: unknown) => refusalsIn(workflow, { ...definitions, 'Anything Everywhere': EVERYWHERE });

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

const broken = (detail: string): Json => ({ refusal: 'broken_file', detail });
const brokenLink = (nodeId: string, input = 'images'): Json => ({ refusal: 'broken_link', nodeId, input });

describe('files that are broken', () => {
	it.each<[string, unknown, Json]>([
		['nothing', null, broken('it has no list of nodes')],
		['a number', 5, broken('it has no list of nodes')],
		['text', '{"nodes":[]}', broken('it has no list of nodes')],
		['a list', [], broken('it has no list of nodes')],
		['an empty object', {}, broken('it has no list of nodes')],
		['nodes that are an object', file({ 1: picture(1) }), broken('it has no list of nodes')],
		['links that are an object', file([picture(1)], { 1: [1, 1, 0, 2, 0, 'IMAGE'] }), broken('its links are not a list')],
		['no nodes', file([]), { refusal: 'nothing_to_run' }],
		['only a note', file([{ id: 1, type: 'Note', widgets_values: ['a'] }]), { refusal: 'nothing_to_run' }],
		['only muted nodes', file([picture(1, { mode: 2 })]), { refusal: 'nothing_to_run' }],
		['a node that is nothing', file([null]), broken('its nodes hold null where a node should be')],
		['a node that is a list', file([[1, 2]]), broken('its nodes hold [1,2] where a node should be')],
		['a node without an id', file([{ type: 'EmptyImage' }]), broken('a node has no id')],
		['an id that is an object', file([picture({})]), broken('a node has {} for an id')],
		['an id with a fraction', file([picture(1.5)]), broken('a node has 1.5 for an id')],
		['an id of nothing', file([picture('')]), broken('a node has  for an id')],
		['an id that is no id', file([picture('__proto__')]), broken('a node has __proto__ for an id')],
		['two nodes of one id', file([picture(1), preview(1)]), broken('two of its nodes have the id 1')],
		['two nodes of one id, as number and text', file([picture(1), preview('1')]), broken('two of its nodes have the id 1')],
		['a node without a type', file([{ id: 1 }]), broken('node 1 has no type')],
		['a type that is a number', file([{ id: 1, type: 7 }]), broken('node 1 has no type')],
		['inputs that are an object', file([{ ...preview(1), inputs: { images: 1 } }]), broken('the inputs of node 1 are not a list')],
		['an input that is text', file([{ ...preview(1), inputs: ['images'] }]), broken('node 1 has an input that is not an object')],
		['outputs that are a number', file([picture(1, { outputs: 4 })]), broken('the outputs of node 1 are not a list')],
		['a link that is not there', file([picture(1), preview(2)]), brokenLink('2')],
		['a link from a node that is not there', file([preview(2)], [[1, 9, 0, 2, 0, 'IMAGE']]), brokenLink('2')],
		['a link without ends', file([picture(1), preview(2)], [[1]]), brokenLink('2')],
		['a link that is nothing', file([picture(1), preview(2)], [null, 7, 'x', {}]), brokenLink('2')],
		['a link from before the first slot', file([picture(1), preview(2)], [[1, 1, -1, 2, 0, 'IMAGE']]), brokenLink('2')],
		[
			'a link object without an origin',
			file([picture(1), preview(2)], [{ id: 1, target_id: 2, target_slot: 0 }], { version: 1 }),
			brokenLink('2'),
		],
		['a reroute of itself', file([reroute(1, 1, [1, 2]), preview(2, 2)], linked('1>1 1>2', '*')), brokenLink('2')],
		['reroutes in a circle', file([reroute(1, 1, [2]), reroute(2, 2, [1, 3]), preview(3, 3)], linked('2>1 1>2 2>3', '*')), brokenLink('3')],
		[
			'bypassed nodes in a circle',
			file(
				[
					{
						id: 1,
						type: 'ImageInvert',
						mode: 4,
						inputs: [{ name: 'image', type: 'IMAGE', link: 1 }],
						outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1, 2] }],
					},
					preview(2, 2),
				],
				linked('1>1 1>2'),
			),
			brokenLink('2'),
		],
		['a setter of what it gets', file([setter(1, 'a', 1), getter(2, 'a', [1, 2]), preview(3, 2)], linked('2>1 2>3')), brokenLink('3')],
		[
			'setters of each other',
			file([setter(1, 'a', 1), getter(2, 'b', [1]), setter(3, 'b', 2), getter(4, 'a', [2, 3]), preview(5, 3)], linked('2>1 4>3 4>5')),
			brokenLink('5'),
		],
		[
			'a class that nobody knows',
			file([{ id: 1, type: 'constructor' }]),
			{ refusal: 'unknown_class', nodeId: '1', className: 'constructor' },
		],
		[
			'a class that is the prototype',
			file([{ id: 1, type: '__proto__', properties: { aux_id: 'a/b' } }]),
			{ refusal: 'unknown_class', nodeId: '1', className: '__proto__', pack: 'a/b' },
		],
		[
			'links that only an extension knows',
			file(
				[picture(1), { id: 2, type: 'Anything Everywhere', inputs: [{ name: 'anything', type: 'IMAGE', link: 1 }] }],
				[[1, 1, 0, 2, 0, 'IMAGE']],
			),
			{ refusal: 'hidden_links', nodeId: '2' },
		],
		[
			'links that a node of any class has from an extension',
			file([picture(1, { properties: { ue_convert: true } })]),
			{ refusal: 'hidden_links', nodeId: '1' },
		],
		['subgraphs that are a number', file([picture(1)], [], { definitions: { subgraphs: 5 } }), broken('its subgraphs are not a list')],
		[
			'a subgraph whose nodes are text',
			file([picture(1)], [], { definitions: { subgraphs: [{ id: 's', name: 'Upscale', nodes: 'none' }] } }),
			broken('the nodes of subgraph Upscale are not a list'),
		],
		[
			'a subgraph without an id',
			file([picture(1)], [], { definitions: { subgraphs: [{ nodes: [] }] } }),
			broken('a subgraph of it has no id'),
		],
		['values that nest without end', file([picture(1, { type: nested(50_000) })]), broken('it nests too deep')],
		[
			'two subgraphs of one id',
			file([picture(1)], [], {
				definitions: {
					subgraphs: [
						{ id: 's', nodes: [] },
						{ id: 's', nodes: [] },
					],
				},
			}),
			broken('two subgraphs have the id s'),
		],
	])('%s', (_, workflow, expected) => {
		expect(refusalsOf(workflow)).toEqual([expect.objectContaining(expected)]);
	});

	it('tells every place at once', () => {
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
		const nodes = [
			picture(1),
			setter(2, '__proto__', 1),
			getter(3, '__proto__', [2]),
			{
				...preview(4),
				title: 'toString',
				inputs: [
					{ name: 'images', type: 'IMAGE', link: 2 },
					{ name: '__proto__', type: 'IMAGE', link: 3 },
				],
			},
		];
		const { graph } = convertWorkflow(parseExact(exactText(file(nodes, linked('1>2 3>4 1>4.1')))), definitions);
		expect(Object.entries(graph['4']?.inputs ?? {})).toEqual([
			['images', ['1', 0]],
			['__proto__', ['1', 0]],
		]);
		expect(({} as Json).images).toBeUndefined();
	});

	it('are no node of a graph', () => {
		expect(refusalsOf(file([preview('constructor'), picture('toString')], [[1, 'toString', 0, 'constructor', 0, 'IMAGE']]))).toEqual([]);
	});
});

describe('files that are too large to be drawn', () => {
	const chain = (length: number, type: (id: number) => Json): Json => {
		const nodes = [
			picture(0, { outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }] }),
			...Array.from({ length }, (_, at) => type(at + 1)),
		];
		return file(
			[...nodes, preview(length + 1, length + 1)],
			Array.from({ length: length + 1 }, (_, at) => [at + 1, at, 0, at + 1, 0, 'IMAGE']),
		);
	};

	it('reads fifty thousand links', () => {
		const { graph } = convertWorkflow(
			chain(50_000, (id) => reroute(id, id, [id + 1])),
			definitions,
		);
		expect(graph).toMatchObject({ 50001: { inputs: { images: ['0', 0] } } });
	});

	it('reads fifty thousand links of one primitive', () => {
		const at = Array.from({ length: 50_000 }, (_, index) => index);
		const before = cpuMs();
		const { graph } = convertWorkflow(
			file(
				[
					{ id: 1, type: 'PrimitiveNode', outputs: [{ name: 'INT', type: 'INT', links: at }], widgets_values: [5] },
					{ id: 2, type: 'EmptyImage', inputs: [...at].reverse().map((link) => ({ name: `x${link}`, type: 'INT', link })) },
				],
				at.map((link) => [link, 1, 0, 2, link, 'INT']),
			),
			definitions,
		);
		expect(Object.keys(graph)).toEqual(['2']);
		expect(cpuMs() - before).toBeLessThan(3_000);
	});

	const longWay = (length: number, targets: Json[]): unknown => {
		const workflow = chain(length, (id) => reroute(id, id, [id + 1]));
		return { ...workflow, nodes: [...(workflow.nodes as Json[]), ...targets] };
	};

	it('goes a long way once, however many inputs lead there', () => {
		const targets = Array.from({ length: 5_000 }, (_, at) => preview(10_000 + at, 5_001));
		expect(refusalsOf(longWay(5_000, targets))).toEqual([]);
	});

	it('ends where it would have to go it for thousands of types', () => {
		const inputs = Array.from({ length: 1_000 }, (_, at) => ({ name: `i${at}`, type: `T${at}`, link: 2_001 }));
		expect(refusalsOf(longWay(2_000, [{ ...preview(10_000), inputs }]))).toEqual([expect.objectContaining({ refusal: 'too_large' })]);
	});

	it('reads ten megabytes in one value, and as many names', () => {
		const text = 'a'.repeat(10_000_000);
		const { graph } = convertWorkflow(
			file([
				{ id: 1, type: 'PrimitiveString', widgets_values: [text] },
				{
					id: 2,
					type: 'SaveImage',
					inputs: [{ name: 'images', type: 'IMAGE' }],
					widgets_values: ['%PrimitiveString.value%'.repeat(400_000)],
				},
			]),
			definitions,
		);
		expect(graph['1']?.inputs.value).toHaveLength(text.length);
		expect(refusalsOf(file([{ id: 1, type: text }]))).toHaveLength(1);
		expect(
			refusalsOf(
				file([
					{ id: text, type: 'Note' },
					{ id: text, type: 'Note' },
				]),
			),
		).toEqual([broken(`two of its nodes have the id ${'a'.repeat(60)}…`)]);
	});
});

it('names of files that name each other’s long values stay short', () => {
	const { graph } = convertWorkflow(
		file([
			{ id: 1, type: 'PrimitiveString', widgets_values: ['x'.repeat(10_000)] },
			...Array.from({ length: 50 }, (_, at) => ({
				id: at + 2,
				type: 'SaveImage',
				inputs: [{ name: 'images', type: 'IMAGE' }],
				widgets_values: ['%PrimitiveString.value%'.repeat(400)],
			})),
		]),
		definitions,
	);
	expect(exactText(graph).length).toBeLessThan(50 * 25_000);
});

/** The same numbers for the same seed. */
function numbersOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

const ODD: unknown[] = [
	null,
	true,
	0,
	-1,
	1e308,
	0.5,
	'',
	'0',
	'__proto__',
	'constructor',
	[],
	{},
	[[]],
	[null],
	{ nodes: [] },
	'Reroute',
	'PrimitiveNode',
	'SetNode',
	'GetNode',
	-10,
	-20,
	'12:3',
	JSON.parse('{"__proto__":{"name":"x"}}'),
	2,
	4,
	'*',
];

/** Every place of a file at which something stands. */
function placesIn(value: unknown): Array<[Json, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value).flatMap((key): Array<[Json, string]> => [[value as Json, key], ...placesIn((value as Json)[key])]);
}

function spoilt(text: string, next: () => number): unknown {
	const workflow = JSON.parse(text) as Json;
	for (let changes = 1 + Math.floor(next() * 4); changes > 0; changes--) {
		const places = placesIn(workflow);
		const [holder, key] = places[Math.floor(next() * places.length)] ?? [workflow, 'nodes'];
		const [other] = places[Math.floor(next() * places.length)] ?? [workflow];
		if (next() < 0.2) delete holder[key];
		else holder[key] = next() < 0.3 ? structuredClone(other) : ODD[Math.floor(next() * ODD.length)];
	}
	return JSON.parse(JSON.stringify(workflow));
}

describe('files that were spoilt at random', () => {
	it.each(graphNames().map((name, at) => [name, at] as const))('%s: becomes a graph or is refused', (name, at) => {
		const next = numbersOf(at + 1);
		const text = graphText(name);
		// As much work for each, large or small.
		const turns = Math.min(60, Math.ceil(60_000 / text.length));
		for (let turn = 0; turn < turns; turn++) {
			const workflow = spoilt(text, next);
			for (const use of [() => convertWorkflow(workflow, definitions), () => classesIn(workflow)]) {
				try {
					use();
				} catch (error) {
					if (!(error instanceof GraphError))
						throw new Error(`${name}, turn ${turn}: ${JSON.stringify(workflow).slice(0, 2_000)}`, { cause: error });
				}
			}
		}
	});
});
