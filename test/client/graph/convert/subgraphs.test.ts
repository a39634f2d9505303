import { cpuMs } from '../../../support/cpuTime';
import { classesIn, convertWorkflow } from '../../../../client';
import { definitions } from './support/recordings';
import { refusalsOf as refusalsIn } from './support/converted';
import { linked } from './support/sockets';

/** A node with sockets, as a file holds it. */
const node = (
	id: number,
	type: string,
	{
		inputs = [],
		outputs = [],
		...more
	}: { inputs?: object[]; outputs?: object[]; widgets_values?: unknown; mode?: number; title?: string; properties?: object } = {},
): object => ({ id, type, mode: 0, inputs, outputs, ...more });
const link = (id: number, from: [number, number], to: [number, number], type: string): object => ({
	id,
	origin_id: from[0],
	origin_slot: from[1],
	target_id: to[0],
	target_slot: to[1],
	type,
});
const image = { name: 'image', type: 'IMAGE' };

interface Inside {
	id: string;
	nodes: object[];
	links?: object[];
	inputs?: object[];
	outputs?: object[];
}
const subgraph = ({ id, ...inside }: Inside): object => ({
	version: 1,
	id,
	name: `Subgraph ${id}`,
	links: [],
	inputs: [],
	outputs: [],
	...inside,
});
const workflow = (nodes: object[], subgraphs: object[], links: unknown[] = []): object => ({
	version: 0.4,
	nodes,
	links,
	definitions: { subgraphs },
});

const empty = (id: number): object =>
	node(id, 'EmptyImage', { outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [] }], widgets_values: [64, 64, 1, 0] });

const refusalsOf = (file: unknown) => refusalsIn(file, definitions);

describe('subgraphs that nobody can expand', () => {
	it('refuses one that contains itself, directly or through others', () => {
		expect(refusalsOf(workflow([node(1, 'a', { title: 'Mine' })], [subgraph({ id: 'a', nodes: [node(2, 'a')] })]))).toMatchObject([
			{ refusal: 'cyclic_subgraph', nodeId: '2', title: 'Subgraph a' },
		]);
		expect(
			refusalsOf(
				workflow(
					[node(1, 'a')],
					[subgraph({ id: 'a', nodes: [node(2, 'b')] }), subgraph({ id: 'b', nodes: [node(3, 'a', { title: 'Again' })] })],
				),
			),
		).toMatchObject([{ refusal: 'cyclic_subgraph', nodeId: '3', title: 'Again' }]);
	});

	it('refuses an instance whose definition the file lacks, unless it would not run', () => {
		const lost = '0b0e0001-7c3b-4d0e-9a51-0c0ffee00001';
		expect(refusalsOf(workflow([node(1, lost, { title: 'Upscale' }), empty(2)], []))).toMatchObject([
			{ refusal: 'unknown_subgraph', nodeId: '1', title: 'Upscale' },
		]);
		expect(refusalsOf(workflow([node(1, 'a')], [subgraph({ id: 'a', nodes: [node(7, lost), empty(8)] })]))).toMatchObject([
			{ refusal: 'unknown_subgraph', nodeId: '1:7' },
		]);
		expect(refusalsOf(workflow([node(1, lost, { mode: 2 }), empty(2)], []))).toEqual([]);
	});

	it('refuses 30 levels of two instances each at once', () => {
		const levels = Array.from({ length: 30 }, (_, depth) =>
			subgraph({
				id: `level ${depth}`,
				nodes: depth === 29 ? [empty(99)] : [node(2 * depth + 100, `level ${depth + 1}`), node(2 * depth + 101, `level ${depth + 1}`)],
			}),
		);
		const file = workflow([node(1, 'level 0')], levels);
		const before = cpuMs();
		expect(refusalsOf(file)).toMatchObject([{ refusal: 'too_large' }]);
		expect(classesIn(file)).toEqual([]);
		expect(cpuMs() - before).toBeLessThan(1_000);
	});

	it('refuses thousands of instances with thousands of sockets each', () => {
		const sockets = Array.from({ length: 5_000 }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] }));
		const hosts = Array.from({ length: 5_000 }, (_, at) => node(at + 10, 'a', { widgets_values: [] }));
		const file = workflow([...hosts, empty(5)], [subgraph({ id: 'a', nodes: [], inputs: sockets })]);
		const before = cpuMs();
		expect(refusalsOf(file)).toMatchObject([{ refusal: 'too_large' }]);
		expect(cpuMs() - before).toBeLessThan(1_000);
	});

	it('reads thousands of sockets of a bypassed instance, or refuses them', () => {
		const sockets = (length: number): Array<{ name: string; type: string; linkIds: number[] }> =>
			Array.from({ length }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] }));
		const host = node(1, 'a', { mode: 4, inputs: sockets(300_000) });
		const before = cpuMs();
		expect(refusalsOf(workflow([host, empty(5)], [subgraph({ id: 'a', nodes: [], inputs: sockets(15_000) })]))).toMatchObject([
			{ refusal: 'too_large' },
		]);
		expect(cpuMs() - before).toBeLessThan(3_000);
	});

	it('refuses to show tens of thousands of widgets outside', () => {
		const proxyWidgets = Array.from({ length: 50_000 }, () => ['6', 'width']);
		const before = cpuMs();
		expect(
			refusalsOf(workflow([node(1, 'a', { properties: { proxyWidgets } })], [subgraph({ id: 'a', nodes: [empty(6)] })])),
		).toMatchObject([{ refusal: 'too_large' }]);
		expect(cpuMs() - before).toBeLessThan(6_000);
	});

	it('reads a name of a widget that is all prefixes', () => {
		const host = node(1, 'a', { properties: { proxyWidgets: [['5', `${'1:'.repeat(300_000)}width`]] } });
		const before = cpuMs();
		expect(refusalsOf(workflow([host], [subgraph({ id: 'a', nodes: [empty(5)] })]))).toEqual([]);
		expect(cpuMs() - before).toBeLessThan(1_000);
	});

	it('refuses a chain of 5,000 in each other, and takes one of 50', () => {
		const chain = (length: number): object =>
			workflow(
				[node(1, 'level 0')],
				Array.from({ length }, (_, depth) =>
					subgraph({ id: `level ${depth}`, nodes: [depth === length - 1 ? empty(depth + 100) : node(depth + 100, `level ${depth + 1}`)] }),
				),
			);
		expect(refusalsOf(chain(5_000))).toMatchObject([{ refusal: 'too_large' }]);
		const { graph } = convertWorkflow(chain(50), definitions);
		expect(Object.keys(graph)).toEqual([['1', ...Array.from({ length: 50 }, (_, depth) => String(depth + 100))].join(':')]);
	});

	it('refuses a subgraph that is linked to itself in a circle', () => {
		const inside = subgraph({
			id: 'a',
			inputs: [{ name: 'image', type: 'IMAGE', linkIds: [1] }],
			outputs: [{ name: 'image', type: 'IMAGE', linkIds: [1] }],
			nodes: [],
			links: [link(1, [-10, 0], [-20, 0], 'IMAGE')],
		});
		const file = workflow(
			[
				node(1, 'a', { inputs: [{ ...image, link: 5 }], outputs: [{ ...image, links: [5, 6] }] }),
				node(2, 'PreviewImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 6 }] }),
			],
			[inside],
			linked('1>1 1>2', 'IMAGE', 5),
		);
		expect(refusalsOf(file)).toMatchObject([{ refusal: 'broken_link', nodeId: '2', input: 'images' }]);
	});
});

describe('what the frontend itself cannot export', () => {
	it('joins a border that is passed straight on', () => {
		const inside = subgraph({
			id: 'a',
			inputs: [{ name: 'image', type: 'IMAGE', linkIds: [1] }],
			outputs: [{ name: 'image', type: 'IMAGE', linkIds: [1] }],
			nodes: [],
			links: [link(1, [-10, 0], [-20, 0], 'IMAGE')],
		});
		const file = workflow(
			[
				empty(3),
				node(1, 'a', { inputs: [{ ...image, link: 5 }], outputs: [{ ...image, links: [6] }] }),
				node(2, 'PreviewImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 6 }] }),
			],
			[inside],
			linked('3>1 1>2', 'IMAGE', 5),
		);
		expect(convertWorkflow(file, definitions).graph['2']?.inputs).toMatchObject({ images: ['3', 0] });
	});
});

describe('groups of the older kind', () => {
	const group = (data: object, host: object, more: object[] = [], links: unknown[] = []): object => ({
		version: 0.4,
		last_node_id: 9,
		nodes: [node(4, 'workflow>Mine', host), ...more],
		links,
		extra: { groupNodes: { Mine: data } },
	});

	it('links a widget that was made an input, which the frontend of today cannot export', () => {
		const inside = {
			nodes: [{ type: 'EmptyImage', inputs: [{ name: 'width', type: 'INT', widget: { name: 'width' } }], widgets_values: [64, 64, 1, 0] }],
			links: [],
			external: [],
		};
		const file = group(
			inside,
			{ inputs: [{ name: 'width', type: 'INT', link: 1, widget: { name: 'width' } }], widgets_values: [32, 3, 7] },
			[node(5, 'PrimitiveInt', { outputs: [{ name: 'INT', type: 'INT', links: [1] }], widgets_values: [99] })],
			[[1, 5, 0, 4, 0, 'INT']],
		);
		const { graph, notes } = convertWorkflow(file, definitions);
		expect(graph['11:10']?.inputs).toEqual({ width: ['5', 0], height: 32, batch_size: 3, color: 7 });
		expect(notes.map(({ note, input }) => [note, input])).toEqual([
			['widget_guessed', 'height'],
			['widget_guessed', 'batch_size'],
			['widget_guessed', 'color'],
		]);
	});

	it('M12: gives values to widgets that were made inputs in the order of their places as texts: the tenth before the second', () => {
		const widgets = [
			'width',
			'height',
			'start_x',
			'start_y',
			'end_x',
			'end_y',
			'num_frames',
			'num_tracks',
			'track_spread',
			'bezier',
			'mid_x',
		];
		const inputs = widgets.map((name) => ({ name, type: 'FLOAT', widget: { name } }));
		const inside = { nodes: [{ type: 'GenerateTracks', inputs, widgets_values: [] }], links: [] };
		// First the widgets that are no inputs (`mid_y`, `interpolation`), then places 0, 1, 10, 2, …
		const { graph } = convertWorkflow(group(inside, { widgets_values: [0.9, 'ease_in', 100, 200, 0.3, 0.11, 0.12] }), definitions);
		expect(graph['11:10']?.inputs).toMatchObject({
			mid_y: 0.9,
			interpolation: 'ease_in',
			width: 100,
			height: 200,
			mid_x: 0.3,
			start_x: 0.11,
			start_y: 0.12,
		});
	});

	it('names a class inside that the server lacks', () => {
		expect(refusalsOf(group({ nodes: [{ type: 'Gone', title: 'Magic' }], links: [] }, {}))).toMatchObject([
			{ refusal: 'unknown_class', nodeId: '11:10', className: 'Gone', title: 'Magic' },
		]);
	});

	it('refuses more nodes than anybody draws', () => {
		const inside = { nodes: Array.from({ length: 300 }, () => ({ type: 'EmptyImage' })), links: [] };
		expect(
			refusalsOf(
				group(
					inside,
					{},
					Array.from({ length: 100 }, (_, index) => node(index + 10, 'workflow>Mine')),
				),
			),
		).toMatchObject([{ refusal: 'too_large' }]);
	});

	it('reads thousands of instances between thousands of links', () => {
		const hosts = Array.from({ length: 2_000 }, (_, at) => node(at + 10, 'workflow>Mine'));
		const links = Array.from({ length: 20_000 }, (_, at) => [at, (at % 2_000) + 10, 0, ((at + 1) % 2_000) + 10, 0, 'IMAGE']);
		const before = cpuMs();
		expect(refusalsOf(group({ nodes: [], links: [] }, {}, [...hosts, empty(5)], links))).toEqual([]);
		expect(cpuMs() - before).toBeLessThan(3_000);
	});

	it.each(
		[null, 7, 'x', [], [null], [[null, null, 0, 0]], [[0, 0, 0, 0, 1]], [['x', {}, [], -1]], { 0: { input: null } }].map((value, index) => [
			index,
			value,
		]),
	)('takes no harm from junk (%i)', (_, value) => {
		const file = group(
			{
				nodes: [{ type: 'EmptyImage', inputs: [] }, { type: 'PrimitiveNode' }, { type: 'Reroute' }],
				links: value,
				external: value,
				config: value,
			},
			{ widgets_values: value },
		);
		expect(Object.keys(convertWorkflow(file, definitions).graph)).toEqual(['13:10']);
		expect(
			refusalsOf(group({ nodes: value, links: value }, { widgets_values: value })).every(
				({ refusal }) => refusal === 'broken_file' || refusal === 'nothing_to_run',
			),
		).toBe(true);
	});
});

describe('subgraphs of a hostile file', () => {
	const junk = [null, 7, 'x', [], {}, [[null]], [['1']], [['1', 2]], { __proto__: null, length: 3 }];

	it.each(junk.map((value, index) => [index, value]))('takes no harm from junk in what an instance holds (%i)', (_, value) => {
		const inside = subgraph({
			id: '__proto__',
			inputs: [{ name: '__proto__', type: 'INT', linkIds: [1] }],
			nodes: [
				node(5, 'EmptyImage', {
					inputs: [{ name: 'width', type: 'INT', link: 1, widget: { name: 'width' } }],
					widgets_values: [64, 64, 1, 0],
				}),
			],
			links: [link(1, [-10, 0], [5, 0], 'INT')],
		});
		const file = workflow(
			[node(1, '__proto__', { widgets_values: value, properties: { proxyWidgets: value, proxyWidgetErrorQuarantine: value } })],
			[inside],
		);
		expect(Object.keys(convertWorkflow(file, definitions).graph)).toEqual(['1:5']);
	});

	it('names every class inside, the muted ones among them: values outside are counted by their widgets', () => {
		expect(
			classesIn(
				workflow(
					[node(1, 'a'), node(2, 'b', { mode: 2 })],
					[
						subgraph({ id: 'a', nodes: [empty(5), node(6, 'KSampler', { mode: 2 })] }),
						subgraph({ id: 'b', nodes: [node(7, 'SaveImage')] }),
					],
				),
			).sort(),
		).toEqual(['EmptyImage', 'KSampler']);
	});
});
