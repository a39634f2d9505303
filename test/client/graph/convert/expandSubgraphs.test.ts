import { cpuMs } from '../../../support/cpuTime';
import { convertWorkflow, listClasses } from '../../../../client';
import { refusalsOf as refusalsIn } from './support/converted';
import { picture, preview, sampler } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from './support/sockets';

/** A subgraph node or a group node. */
const host = (id: number, type: string, more: Json = {}): Json => ({ id, type, inputs: [], outputs: [], ...more });
const workflow = (nodes: Json[], subgraphs: Json[], links: unknown[] = []): Json => file(nodes, links, withSubgraphs(...subgraphs));
const refusalsOf = (...parts: Parameters<typeof workflow>) => refusalsIn(workflow(...parts), definitions);
const sockets = (length: number): Json[] => Array.from({ length }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] }));
const TOO_LARGE = [{ refusal: 'too_large' }];

describe('subgraphs that cannot be expanded', () => {
	it('refuses one that contains itself, directly or through others', () => {
		expect(refusalsOf([host(1, 'a', { title: 'Mine' })], [subgraph('a', [host(2, 'a')])])).toMatchObject([
			{ refusal: 'cyclic_subgraph', nodeId: '2', title: 'Subgraph a' },
		]);
		const each = [subgraph('a', [host(2, 'b')]), subgraph('b', [host(3, 'a', { title: 'Again' })])];
		expect(refusalsOf([host(1, 'a')], each)).toMatchObject([{ refusal: 'cyclic_subgraph', nodeId: '3', title: 'Again' }]);
	});

	it('refuses an instance whose definition the file lacks, unless it would not run', () => {
		const lost = '0b0e0001-7c3b-4d0e-9a51-0c0ffee00001';
		expect(refusalsOf([host(1, lost, { title: 'Upscale' }), picture(2)], [])).toMatchObject([
			{ refusal: 'unknown_subgraph', nodeId: '1', title: 'Upscale' },
		]);
		expect(refusalsOf([host(1, 'a')], [subgraph('a', [host(7, lost), picture(8)])])).toMatchObject([
			{ refusal: 'unknown_subgraph', nodeId: '1:7' },
		]);
		expect(refusalsOf([host(1, lost, { mode: 2 }), picture(2)], [])).toEqual([]);
	});

	it('follows the next link of an output whose first link is not in the file', () => {
		const inside = subgraph('a', [picture(11), picture(12)], {
			links: linkedInside('11>-20 12>-20.1'),
			outputs: [
				{ name: 'one', type: 'IMAGE', linkIds: [77, 1] },
				{ name: 'two', type: 'IMAGE', linkIds: [78, 79, 2] },
			],
		});
		const nodes = [host(1, 'a', { outputs: [out('IMAGE', 1), out('IMAGE', 2)] }), preview(2, 1), preview(3, 2)];
		const { graph } = convertWorkflow(workflow(nodes, [inside], linked('1>2 1.1>3')), definitions);
		expect([graph['2']?.inputs.images, graph['3']?.inputs.images]).toEqual([
			['1:11', 0],
			['1:12', 0],
		]);
	});

	it('gives ids that are used twice new ones, which follow the ids of the file, and finds the widgets of such nodes', () => {
		const proxies = (id: number, type: string, value: number) =>
			host(id, type, { properties: { proxyWidgets: [['1', 'width']] }, widgets_values: [value] });
		const odd = host(7, 'a', { properties: { proxyWidgets: [null] } });
		const subgraphs = [subgraph('a', [picture(1)]), subgraph('b', [picture(1)]), subgraph('outer', [proxies(8, 'b', 22)])];
		const { graph } = convertWorkflow(
			workflow([picture(1), picture(2), proxies(5, 'a', 11), host(6, 'outer'), odd], subgraphs),
			definitions,
		);
		expect(Object.entries(graph).map(([id, { inputs }]) => [id, inputs.width])).toEqual([
			['1', 64],
			['2', 64],
			['5:3', 11],
			['7:3', 64],
			['6:8:4', 22],
		]);
	});

	const levels = Array.from({ length: 30 }, (_, depth) => {
		const next = (at: number) => host(2 * depth + at, `level ${depth + 1}`);
		return subgraph(`level ${depth}`, depth === 29 ? [picture(99)] : [next(100), next(101)]);
	});
	const proxyWidgets = Array.from({ length: 50_000 }, () => ['6', 'width']);

	it.each<[string, nodes: Json[], subgraphs: Json[], withinMs: number]>([
		['30 levels of two instances each', [host(1, 'level 0')], levels, 1_000],
		[
			'thousands of instances with thousands of sockets each',
			[...Array.from({ length: 5_000 }, (_, at) => host(at + 10, 'a', { widgets_values: [] })), picture(5)],
			[subgraph('a', [], { inputs: sockets(5_000) })],
			1_000,
		],
		[
			'hundreds of thousands of sockets of a bypassed instance',
			[host(1, 'a', { mode: 4, inputs: sockets(300_000) }), picture(5)],
			[subgraph('a', [], { inputs: sockets(15_000) })],
			3_000,
		],
		['tens of thousands of widgets outside', [host(1, 'a', { properties: { proxyWidgets } })], [subgraph('a', [picture(6)])], 6_000],
	])('refuses %s soon', (_, nodes, subgraphs, withinMs) => {
		const before = cpuMs();
		expect(refusalsOf(nodes, subgraphs)).toMatchObject(TOO_LARGE);
		expect(cpuMs() - before).toBeLessThan(withinMs);
	});

	it('finds no classes soon where there are too many levels', () => {
		const before = cpuMs();
		expect(listClasses(workflow([host(1, 'level 0')], levels))).toEqual([]);
		expect(cpuMs() - before).toBeLessThan(1_000);
	});

	it('reads a name of a widget that is all prefixes', () => {
		const node = host(1, 'a', { properties: { proxyWidgets: [['5', `${'1:'.repeat(300_000)}width`]] } });
		const before = cpuMs();
		expect(refusalsOf([node], [subgraph('a', [picture(5)])])).toEqual([]);
		expect(cpuMs() - before).toBeLessThan(1_000);
	});

	it('refuses a chain of 5,000 in each other, and takes one of 50', () => {
		const chain = (length: number): Parameters<typeof workflow> => [
			[host(1, 'level 0')],
			Array.from({ length }, (_, depth) =>
				subgraph(`level ${depth}`, [depth === length - 1 ? picture(depth + 100) : host(depth + 100, `level ${depth + 1}`)]),
			),
		];
		expect(refusalsOf(...chain(5_000))).toMatchObject(TOO_LARGE);
		const { graph } = convertWorkflow(workflow(...chain(50)), definitions);
		expect(Object.keys(graph)).toEqual([['1', ...Array.from({ length: 50 }, (_, depth) => String(depth + 100))].join(':')]);
	});
});

it('junk in what an instance of a subgraph holds changes no graph', () => {
	const inside = subgraph('__proto__', [picture(5, { inputs: [into('width', 'INT', 1, 'width')] })], {
		inputs: [{ name: '__proto__', type: 'INT', linkIds: [1] }],
		links: linkedInside('-10>5', 'INT'),
	});
	for (const junk of [
		null,
		7,
		'x',
		[],
		{},
		[[null]],
		[['1']],
		[['1', 2]],
		[{ originalEntry: ['-1', 2] }],
		{ __proto__: null, length: 3 },
	]) {
		const properties = { proxyWidgets: junk, proxyWidgetErrorQuarantine: junk };
		const hosts = [1, 2].map((id) => host(id, '__proto__', { widgets_values: junk, properties }));
		expect(Object.keys(convertWorkflow(workflow(hosts, [inside]), definitions).graph)).toEqual(['1:5', '2:5']);
	}
});

/** The frontend cannot export these workflows. */
describe('an input border that is linked to an output border', () => {
	const border = [{ name: 'image', type: 'IMAGE', linkIds: [1] }];
	const passing = subgraph('a', [], { inputs: border, outputs: border, links: linkedInside('-10>-20') });
	const node = host(1, 'a', { inputs: [into('image', 'IMAGE', 5)], outputs: [out('IMAGE')] });

	it('is joined', () => {
		const { graph } = convertWorkflow(workflow([picture(3), node, preview(2, 6)], [passing], linked('3>1 1>2', 'IMAGE', 5)), definitions);
		expect(graph['2']?.inputs).toMatchObject({ images: ['3', 0] });
	});

	it('is refused where it is linked to itself in a circle', () => {
		expect(refusalsOf([node, preview(2, 6)], [passing], linked('1>1 1>2', 'IMAGE', 5))).toMatchObject([
			{ refusal: 'broken_link', nodeId: '2', input: 'images' },
		]);
	});
});

describe('the classes of subgraphs', () => {
	it('are named, the muted ones among them: values outside are counted by their widgets', () => {
		const subgraphs = [subgraph('a', [picture(5), sampler(6, [], { mode: 2 })]), subgraph('b', [{ id: 7, type: 'SaveImage' }])];
		expect(listClasses(workflow([host(1, 'a'), host(2, 'b', { mode: 2 })], subgraphs)).sort()).toEqual(['EmptyImage', 'KSampler']);
	});
});
