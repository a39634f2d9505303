import { classesIn, convertWorkflow, exactText, parseExact } from '../../../../client';
import { definitions, graphText } from './support/recordings';
import { into, linked, out } from './support/sockets';

type Json = Record<string, unknown>;
type Link = [id: number, from: number, fromSlot: number, to: number, toSlot: number, type: string];

const picture = (id: number, ...links: number[]): Json => ({
	id,
	type: 'EmptyImage',
	outputs: [out('IMAGE', ...links)],
	widgets_values: [64, 64, 1, 0],
});
const preview = (id: number, link: number | null): Json => ({ id, type: 'PreviewImage', inputs: [into('images', 'IMAGE', link)] });
const setter = (id: number, name: string, link: number | null, more: Json = {}): Json => ({
	id,
	type: 'SetNode',
	title: `Set_${name}`,
	inputs: [into('IMAGE', 'IMAGE', link)],
	outputs: [out('*')],
	widgets_values: [name],
	...more,
});
const getter = (id: number, name: string, link: number, more: Json = {}): Json => ({
	id,
	type: 'GetNode',
	title: `Get_${name}`,
	inputs: [],
	outputs: [out('IMAGE', link)],
	widgets_values: [name],
	...more,
});
const link = (id: number, from: number, to: number): Link => [id, from, 0, to, 0, 'IMAGE'];
const file = (nodes: Json[], links: Link[], more: Json = {}): Json => ({ version: 0.4, nodes, links, ...more });

const inputsIn = (workflow: Json): Record<string, Json> =>
	Object.fromEntries(Object.entries(convertWorkflow(workflow, definitions).graph).map(([id, { inputs }]) => [id, inputs]));

/** What the frontend 1.49.6 exports with the script of ComfyUI-KJNodes (3f20054, 2026-08-14), by the pack's own `Set` and `Get`. */
describe('setters and getters', () => {
	it('a getter stands for what came into the setter of its name', () => {
		const nodes = [
			picture(1, 1),
			setter(2, 'photo', 1),
			getter(3, 'photo', 2),
			getter(4, 'photo', 3),
			preview(5, 2),
			preview(6, 3),
			getter(7, 'nobody', 4),
			preview(8, 4),
		];
		expect(inputsIn(file(nodes, [link(1, 1, 2), link(2, 3, 5), link(3, 4, 6), link(4, 7, 8)]))).toMatchObject({
			5: { images: ['1', 0] },
			6: { images: ['1', 0] },
			8: {},
		});
		expect(Object.keys(inputsIn(file(nodes, [link(1, 1, 2), link(2, 3, 5), link(3, 4, 6), link(4, 7, 8)])))).toEqual(['1', '5', '6', '8']);
	});

	it.each([[['']], [[5]], [[]], [{}], [undefined], ['photo'], [['photo'], ['1', 0]], [{ key: 'photo', more: 'other' }, ['1', 0]]])(
		'have the name that the file holds first: %j',
		(widgets_values, source: unknown = null) => {
			const nodes = [picture(1, 1), setter(2, '', 1, { widgets_values }), getter(3, '', 2, { widgets_values }), preview(5, 2)];
			expect(inputsIn(file(nodes, [link(1, 1, 2), link(2, 3, 5)]))['5']).toEqual(source === null ? {} : { images: source });
		},
	);

	it('go through each other, and through reroutes and bypassed nodes between', () => {
		const bypassed = { id: 6, type: 'ImageInvert', mode: 4, inputs: [into('image', 'IMAGE', 3)], outputs: [out('IMAGE', 4)] };
		const reroute = { id: 2, type: 'Reroute', inputs: [into('', '*', 1)], outputs: [out('*', 2)] };
		const nodes = [
			picture(1, 1),
			reroute,
			setter(3, 'one', 2),
			getter(5, 'one', 3),
			bypassed,
			setter(7, 'two', 4),
			getter(8, 'two', 5),
			preview(9, 5),
		];
		expect(inputsIn(file(nodes, [link(1, 1, 2), link(2, 2, 3), link(3, 5, 6), link(4, 6, 7), link(5, 8, 9)]))).toEqual({
			1: expect.anything(),
			9: { images: ['1', 0] },
		});
	});

	it('a muted getter brings nothing; a setter does, muted or not', () => {
		const nodes = [
			picture(1, 1),
			setter(2, 'a', 1, { mode: 2 }),
			getter(3, 'a', 2),
			preview(4, 2),
			getter(5, 'a', 3, { mode: 2 }),
			preview(6, 3),
		];
		expect(inputsIn(file(nodes, [link(1, 1, 2), link(2, 3, 4), link(3, 5, 6)]))).toMatchObject({ 4: { images: ['1', 0] }, 6: {} });
		expect(inputsIn(file(nodes, [link(1, 1, 2), link(2, 3, 4), link(3, 5, 6)]))[6]).toEqual({});
	});

	it('of two setters of one name the first counts', () => {
		const nodes = [picture(1, 1), picture(2, 2), setter(3, 'a', 1), setter(4, 'a', 2), getter(5, 'a', 3), preview(6, 3)];
		expect(inputsIn(file(nodes, [link(1, 1, 3), link(2, 2, 4), link(3, 5, 6)]))).toMatchObject({ 6: { images: ['1', 0] } });
	});

	const inside = (nodes: Json[], links: Link[]): Json => ({
		definitions: {
			subgraphs: [
				{
					id: '7c1e6d52-7a53-4c8e-9d0a-4f1c64f5be01',
					version: 1,
					name: 'Inside',
					state: {},
					inputNode: { id: -10, bounding: [0, 0, 1, 1] },
					outputNode: { id: -20, bounding: [0, 0, 1, 1] },
					inputs: [],
					outputs: [],
					widgets: [],
					nodes,
					links: links.map(([id, origin_id, origin_slot, target_id, target_slot, type]) => ({
						id,
						origin_id,
						origin_slot,
						target_id,
						target_slot,
						type,
					})),
				},
			],
		},
	});
	const instance = { id: 10, type: '7c1e6d52-7a53-4c8e-9d0a-4f1c64f5be01', inputs: [], outputs: [], properties: {} };

	it('a getter in a subgraph takes the setter outside, unless there is one beside it', () => {
		const outside = [picture(1, 1), setter(2, 'a', 1), instance];
		expect(inputsIn(file(outside, [link(1, 1, 2)], inside([getter(3, 'a', 5), preview(4, 5)], [link(5, 3, 4)])))).toMatchObject({
			'10:4': { images: ['1', 0] },
		});
		const beside = inside([picture(6, 7), setter(8, 'a', 7), getter(3, 'a', 5), preview(4, 5)], [link(5, 3, 4), link(7, 6, 8)]);
		expect(inputsIn(file(outside, [link(1, 1, 2)], beside))).toMatchObject({ '10:4': { images: ['10:6', 0] } });
	});

	it('of two setters outside neither counts', () => {
		const outside = [picture(1, 1, 2), setter(2, 'a', 1), setter(3, 'a', 2), instance];
		expect(
			inputsIn(file(outside, [link(1, 1, 2), link(2, 1, 3)], inside([getter(5, 'a', 5), preview(6, 5)], [link(5, 5, 6)])))['10:6'],
		).toEqual({});
	});
});

describe('nodes of the editor that packs bring', () => {
	const nodes = [
		picture(1, 1),
		{ id: 2, type: 'Reroute (rgthree)', inputs: [into('', '*', 1)], outputs: [out('*', 2)] },
		preview(3, 2),
		{ id: 4, type: 'Fast Groups Muter (rgthree)', properties: {} },
	];
	const links = [link(1, 1, 2), link(2, 2, 3)];

	it('are followed or left out', () => {
		expect(inputsIn(file(nodes, links))).toEqual({ 1: expect.anything(), 3: { images: ['1', 0] } });
	});

	it('run where the server has a class of that name', () => {
		const known = { ...definitions, 'Reroute (rgthree)': { input: { required: { '': ['*', {}] } }, output: ['*'] } };
		expect(Object.keys(convertWorkflow(file(nodes, links), known).graph)).toEqual(['1', '2', '3']);
	});
});

describe('bypassed nodes', () => {
	it.each<[inputs: string[], output: string, wanted: string, taken?: number]>([
		[['A'], 'A', 'A', 0],
		[['B', 'A'], 'A', 'A', 1],
		[['B'], 'A', 'A'],
		[['a'], 'B', 'A'],
		[['A'], 'B', 'A', 0],
		[['B', 'a,c'], 'C', 'c', 1],
		[['B', 'C'], 'A,c', 'c', 1],
		[['*'], 'A', 'A', 0],
		[['B', ''], 'A', 'A', 1],
		[['B', '0'], 'A', 'A', 1],
		[['B', 'x,*'], 'A', 'A', 1],
		[['B', 'A'], '*', 'A', 1],
		[['B', 'a,b'], 'b', 'x,*', 0],
		[['C', 'B,A', 'A'], 'A,C', 'A', 2],
		[['B,A', 'A'], 'A', 'A', 0],
		[['C', 'B'], 'A', '*', 0],
		[[], 'A', 'A'],
	])('with inputs of %j and an output of %s hand on to %s what fits', (inputs, output, wanted, taken = -1) => {
		const sources = inputs.map((_, at) => picture(at + 10, at + 10));
		const sockets = inputs.map((type, at) => into(`i${at}`, type, at + 10));
		const bypassed = { id: 2, type: 'Unknown', mode: 4, inputs: sockets, outputs: [out(output, 1)] };
		const target = { id: 3, type: 'PreviewImage', inputs: [into('images', 'IMAGE', null), into('more', wanted, 1)] };
		const links = inputs.map((type, at): Link => [at + 10, at + 10, 0, 2, at, type]);
		expect(inputsIn(file([...sources, bypassed, target], [...links, [1, 2, 0, 3, 1, wanted]]))['3']).toEqual(
			taken < 0 ? {} : { more: [String(taken + 10), 0] },
		);
	});
});

describe('primitives', () => {
	const size = (id: number, linkId: number, more: Json[] = []): Json => ({
		...picture(id),
		inputs: [into('width', 'INT', linkId, 'width'), ...more],
	});
	const reroute = { id: 4, type: 'Reroute', inputs: [into('', '*', 1)], outputs: [out('*')] };
	it.each<[string, unknown, Json[], Json, Json[]?]>([
		['nothing', undefined, [size(3, 1)], { width: 64 }],
		['a value', [7], [size(3, 1)], { width: 7, height: 64 }],
		['a value below what its input takes', [-7], [size(3, 1)], { width: 1 }],
		['a value by name', { value: 7 }, [size(3, 1)], { width: 64 }],
		['a value for a socket without a widget first', [7], [preview(4, 1), size(3, 2)], { width: 64 }],
		[
			'a value for a number without a widget first',
			[7],
			[{ ...preview(4, 1), inputs: [into('gone', 'INT', 1)] }, size(3, 2)],
			{ width: 7 },
		],
		['a value for two inputs', [9999], [size(3, 1, [into('batch_size', 'INT', 2, 'batch_size')])], { width: 4096, batch_size: 4096 }],
		['a value for a reroute first', [7], [reroute, size(3, 2)], { width: 7 }, [{ note: 'widget_guessed', input: 'width', value: 7 }]],
		['nothing for a reroute first', undefined, [reroute, size(3, 2)], { width: 64 }],
		['a value for a node that is gone', [7], [size(3, 2)], { width: 64 }],
	])('hand on %s', (_, widgets_values, nodes, inputs, notes = []) => {
		const primitive = { id: 2, type: 'PrimitiveNode', outputs: [out('INT', 1, 2)], widgets_values };
		const targets = nodes.flatMap(({ id, inputs: sockets }) =>
			(sockets as Array<{ link: number | null }>).flatMap((socket, at): Link[] =>
				socket.link === null ? [] : [[socket.link, 2, 0, id as number, at, 'INT']],
			),
		);
		const { graph, notes: told } = convertWorkflow(file([primitive, ...nodes], targets), definitions);
		expect(graph['3']?.inputs).toMatchObject(inputs);
		expect(told).toEqual(notes.map((note) => expect.objectContaining(note) as unknown));
	});
});

describe('inputs that a class has no more', () => {
	it('stay where they were sockets, and go with their widgets, broken links as well', () => {
		const changed = {
			...preview(3, 1),
			inputs: [into('images', 'IMAGE', 1), into('gone', 'IMAGE', 2), into('old', 'INT', 3, 'old'), into('older', 'INT', 77, 'older')],
		};
		expect(inputsIn(file([picture(1, 1, 2, 3), changed], [link(1, 1, 3), link(2, 1, 3), link(3, 1, 3)]))).toMatchObject({
			3: { images: ['1', 0], gone: ['1', 0] },
		});
		expect(Object.keys(inputsIn(file([picture(1, 1, 2, 3), changed], [link(1, 1, 3), link(2, 1, 3), link(3, 1, 3)]))[3] ?? {})).toEqual([
			'images',
			'gone',
		]);
	});

	it('stay behind a choice that brings them', () => {
		const chosen = {
			id: 2,
			type: 'GeminiVideoOmni',
			inputs: [into('model.temperature', 'FLOAT', 1, 'model.temperature')],
			outputs: [],
			widgets_values: ['Omni Flash', '', 1, 0.95, 42, 'randomize'],
		};
		expect(
			inputsIn(
				file([{ id: 1, type: 'PrimitiveFloat', outputs: [out('FLOAT', 1)], widgets_values: [0.5] }, chosen], [[1, 1, 0, 2, 0, 'FLOAT']]),
			),
		).toMatchObject({ 2: { 'model.temperature': ['1', 0] } });
	});
});

describe('numbers that a double cannot hold', () => {
	const SEED = '18446744073709551615';
	const sampler = (id: number, seed: unknown, linkId: number | null = null): Json => ({
		id,
		type: 'KSampler',
		inputs: [into('seed', 'INT', linkId, 'seed')],
		widgets_values: [seed, 'fixed', 20, 8, 'euler', 'normal', 1],
	});

	it('keep every digit: of a widget, of a primitive, as ids', () => {
		const primitive = { id: 2, type: 'PrimitiveNode', outputs: [out('INT', 1)], widgets_values: ['%seed%', 'fixed'] };
		const text = JSON.stringify(file([sampler(1, '%seed%'), primitive, sampler(3, 0, 1)], [[1, 2, 0, 3, 0, 'INT']])).replaceAll(
			'"%seed%"',
			SEED,
		);
		expect(exactText(inputsIn(parseExact(text) as Json))).toContain(`"1":{"seed":${SEED},`);
		expect(exactText(inputsIn(parseExact(text) as Json))).toContain(`"3":{"seed":${SEED},`);
		const longIds = JSON.stringify(file([{ ...picture(1, 1), id: '%id%' }, preview(2, 1)], [link(1, 1, 2)]))
			.replace('"%id%"', SEED)
			.replace('[1,1,0', `[1,${SEED},0`);
		expect(inputsIn(parseExact(longIds) as Json)).toMatchObject({ 2: { images: [SEED, 0] } });
	});

	it('of a primitive stay within the limits of its target', () => {
		const primitive = { id: 2, type: 'PrimitiveNode', outputs: [out('INT', 1)], widgets_values: ['%seed%', 'fixed'] };
		const text = JSON.stringify(file([primitive, sampler(3, 0, 1)], [[1, 2, 0, 3, 0, 'INT']])).replace('"%seed%"', '99999999999999999999');
		expect(exactText(inputsIn(parseExact(text) as Json))).toContain(`"3":{"seed":${SEED},`);
	});
});

it('numbers that the editor changes after each run are named', () => {
	const sampler = { id: 7, type: 'KSampler', widgets_values: [5, 'randomize', 20, 8, 'euler', 'normal', 1] };
	expect(convertWorkflow(file([sampler], []), definitions).changedByEditor).toEqual([{ nodeId: '7', input: 'seed' }]);
});

describe('classes whose definitions are needed', () => {
	it('are those that would run, and those of bypassed nodes, each once', () => {
		const nodes = [
			picture(1),
			picture(2),
			{ id: 3, type: 'ImageInvert', mode: 4 },
			{ id: 4, type: 'Muted', mode: 2 },
			{ id: 5, type: 'Note' },
			{ id: 6, type: 'Reroute' },
			{ id: 7, type: 'PrimitiveNode' },
			setter(8, 'a', null),
			{ id: 9, type: 'constructor' },
		];
		expect(classesIn(file(nodes, []))).toEqual(['EmptyImage', 'ImageInvert', 'constructor']);
	});

	it('are those of muted nodes too, where the name of a file takes another node’s value', () => {
		const muted = { id: 3, type: 'EmptyLatentImage', mode: 2, widgets_values: [512, 768, 1] };
		const saved = (prefix: string): Json => ({ id: 2, type: 'SaveImage', inputs: [into('images', 'IMAGE', 1)], widgets_values: [prefix] });
		const workflow = file([picture(1, 1), saved('%EmptyLatentImage.height% high'), muted], [link(1, 1, 2)]);
		const asked = Object.fromEntries(classesIn(workflow).map((name) => [name, definitions[name] ?? {}]));
		expect(convertWorkflow(workflow, asked).graph['2']?.inputs).toMatchObject({ filename_prefix: '768 high' });
		expect(classesIn(file([picture(1, 1), saved('%date:yyyy.MM.dd% 100%'), muted], [link(1, 1, 2)]))).toEqual(['EmptyImage', 'SaveImage']);
	});
});

it('a list of a widget is no link', () => {
	const known = { ...definitions, Listing: { input: { required: { chosen: [['a', 'b'], { multi_select: true }] } }, output: [] } };
	const workflow = file([picture(1), { id: 2, type: 'Listing', widgets_values: [['1', 0]] }], []);
	expect(convertWorkflow(workflow, known).graph['2']?.inputs).toEqual({ chosen: { __value__: ['1', 0] } });
});

it('the file is left as it was', () => {
	const workflow = file(
		[
			{ id: 2, type: 'PrimitiveNode', outputs: [out('INT', 1)], widgets_values: [5, 'fixed'] },
			{ ...picture(3, 2), inputs: [into('width', 'INT', 1, 'width')] },
			preview(4, 2),
		],
		[[1, 2, 0, 3, 0, 'INT'], link(2, 3, 4)],
	);
	const before = structuredClone(workflow);
	expect(inputsIn(workflow)).toMatchObject({ 3: { width: 5, height: 64 } });
	expect(workflow).toEqual(before);
});

describe('types that match', () => {
	const inputsOf = (name: string, id: string): unknown =>
		convertWorkflow(JSON.parse(graphText(name)) as object, definitions).graph[id]?.inputs;

	/** The frontends' own answers for these graphs are recorded. */
	it.each([
		['matching/bypassed-picture', '3', { images: ['1', 0] }],
		['matching/bypassed-mask', '3', { mask: ['1', 0] }],
		['matching/bypassed-between-reroutes', '5', { images: ['1', 0] }],
		['matching/switch-bypassed', '4', { images: ['1', 0] }],
		['matching/subgraph-inside-bypassed', '3', { images: ['1', 0] }],
		['matching/nested-bypassed', '3', { images: ['1', 0] }],
		['matching/muted', '3', {}],
	])('C1: %s: node %s takes what a node of matching types hands on', (name, id, inputs) => expect(inputsOf(name, id)).toEqual(inputs));

	const switches = (count: number, mode: number): object[] =>
		Array.from({ length: count }, (_, at) => ({
			id: at + 2,
			type: 'ComfySwitchNode',
			mode,
			inputs: [{ name: 'on_false', type: '*', link: at + 1 }],
			outputs: [{ name: 'output', type: '*', links: [at + 2] }],
			widgets_values: [false],
		}));

	it.each([0, 4])('C1: reads a chain of 10,000 switches (mode %i) without running out of stack', (mode) => {
		const count = 10_000;
		const start = { id: 1, type: 'EmptyImage', outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }], widgets_values: [64, 64, 1, 0] };
		const end = { id: count + 2, type: 'PreviewImage', inputs: [{ name: 'images', type: 'IMAGE', link: count + 1 }] };
		const links = Array.from({ length: count + 1 }, (_, at) => [at + 1, at + 1, 0, at + 2, 0, 'IMAGE']);
		const { graph } = convertWorkflow({ version: 0.4, nodes: [start, ...switches(count, mode), end], links }, definitions);
		expect(graph[String(count + 2)]?.inputs).toEqual({ images: [String(mode === 0 ? count + 1 : 1), 0] });
	});

	it('C1: reads switches that are linked in a circle', () => {
		const [first, second] = switches(2, 4);
		const preview = { id: 4, type: 'PreviewImage', inputs: [{ name: 'images', type: 'IMAGE', link: 3 }] };
		const links = linked('3>2 2>3 3>4', '*');
		expect(() => convertWorkflow({ version: 0.4, nodes: [first, second, preview], links }, definitions)).toThrow('not_convertible');
	});

	it('C1: reads 5,000 links of different types into one node in less than three seconds', () => {
		const count = 5_000;
		const inputs = Array.from({ length: count }, (_, at) => ({ name: `inputs.input${at}`, type: '*', link: at + 1 }));
		const unknown = Array.from({ length: count }, (_, at) => ({
			id: at + 2,
			type: 'Reroute',
			outputs: [{ name: '', type: `T${at}`, links: [at + 1] }],
		}));
		const links = unknown.map(({ id }, at) => [at + 1, id, 0, 1, at, `T${at}`]);
		const before = process.cpuUsage().user;
		const { graph } = convertWorkflow({ version: 0.4, nodes: [{ id: 1, type: 'CreateList', inputs }, ...unknown], links }, definitions);
		expect(graph['1']?.inputs).toEqual({});
		expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
	});
});
