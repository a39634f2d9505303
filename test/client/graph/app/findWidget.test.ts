import { type ApiGraph, type App, convertWorkflow, readApp } from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';
import { picture, primitive, reroute } from '../convert/support/nodes';
import { definitions } from '../convert/support/recordings';
import { file, into, type Json, linked, subgraph, withSubgraphs } from '../convert/support/sockets';
import { recorded } from './support';

const SUBGRAPH = 'a0b1c2d3-a1b2-c3d4-e5f6-a0b1c2d3e4f5';
const numbers = { class_type: 'A', inputs: { x: 1, y: 2, z: 3 } };
const withMarks = (inputs: unknown[], outputs: unknown[] = []): Json => ({ extra: { linearData: { inputs, outputs } } });
/** By input of the app, all inputs that receive its value. */
const targetsIn = ({ inputs }: App): string[] => inputs.map(({ input, also }) => [input, ...also].map(({ name }) => name).join(' '));

describe('a widget of a subgraph node', () => {
	const graph: ApiGraph = Object.fromEntries([10, 12, 13, 14].map((id) => [`5:${id}`, numbers]));
	const nodes = [
		{ id: 10, type: 'A', inputs: [into('x', 'INT', 1, 'x')] },
		reroute(11, 2),
		{ id: 12, type: 'A', inputs: [into('socket', 'INT', 3, 'y')] },
		{ id: 13, type: 'A', inputs: [into('x', 'INT', 6, 'x'), into('y', 'INT', 8, 'y')] },
		{ id: 14, type: 'A', inputs: [into('x', 'INT', 7, 'x')] },
	];
	const inside = subgraph(SUBGRAPH, nodes, {
		links: linked('-10>10 -10.1>11 11>12 -10>77 -10>12.7 -10>13 -10>14 11>13.1', 'INT'),
		inputs: [
			{ name: 'other', type: 'INT', linkIds: [], label: 'Other' },
			{ name: 'in_x', type: 'INT', linkIds: [4, 5, 1, 6, 7], label: 'Shown' },
			{ name: 'in_y', type: 'INT', linkIds: [2, 99] },
			{ name: 'y', type: 'INT', linkIds: [] },
		],
	});
	const proxyWidgets = [
		['10', 'z'],
		['12', 5],
		['13', 'z'],
		['10', 'y'],
		['77', 'z'],
	];
	const host = { id: 5, type: SUBGRAPH, inputs: [into('in_x', 'INT', null, 'wx')], properties: { proxyWidgets } };
	const ALL_X = '5:10.x 5:13.x 5:14.x';

	it.each<[mark: unknown[], targets: string | undefined, label: string]>([
		[[5, 'wx'], ALL_X, 'Shown'],
		[[5, 'in_y'], '5:13.y 5:12.y', 'in_y'],
		[[5, 'z'], '5:10.z 5:13.z', 'z'],
		[[5, 'y'], undefined, 'y'],
		[['5:10', 'z'], '5:10.z', 'z'],
		[['5:77', 'z'], undefined, 'z'],
		[['7:10', 'x'], undefined, 'x'],
		[['5:7:10', 'x'], undefined, 'x'],
		[[`${SUBGRAPH}:10`, 'z'], '5:10.z', 'z'],
		[[`${SUBGRAPH}:77`, 'z'], undefined, 'z'],
		[[`${SUBGRAPH.replace('a', 'b')}:10`, 'x'], ALL_X, 'Shown'],
		[[10, 'x'], ALL_X, 'Shown'],
		[[12, 'y'], '5:13.y 5:12.y', 'y'],
		[[10, 'z'], '5:10.z 5:13.z', 'z'],
	])('%j is %s, called %j', (mark, targets, label) => {
		const app = readApp(file([{ id: 1, type: 'A' }, host], [], { ...withSubgraphs(inside), ...withMarks([mark]) }), graph, {})!;
		expect(targetsIn(app)).toEqual(targets === undefined ? [] : [targets]);
		expect([...app.inputs, ...app.missing].map((one) => one.label)).toEqual([label]);
	});

	it('of the second of two instances is that of its own inside', () => {
		const both = Object.fromEntries([5, 6].flatMap((id) => [10, 13, 14].map((inner) => [`${id}:${inner}`, numbers])));
		const workflow = file([host, { ...host, id: 6 }], [], {
			...withSubgraphs(inside),
			...withMarks([
				[6, 'in_x'],
				[5, 'wx'],
				[10, 'x'],
			]),
		});
		const app = readApp(workflow, both, {})!;
		expect(targetsIn(app)).toEqual(['6:10.x 6:13.x 6:14.x', ALL_X]);
		expect(app.missing).toMatchObject([{ label: 'x', why: 'gone' }]);
	});
});

it('a primitive node stands for all inputs that it feeds, also behind reroutes', () => {
	const target = (id: number, link: number) => ({ id, type: 'A', inputs: [into('x', 'INT', link, 'x')] });
	const nodes = [primitive(1, [7]), target(2, 1), target(3, 2), reroute(4, 3), target(5, 4), target(6, 5)];
	const graph = Object.fromEntries([2, 3, 5, 6].map((id) => [id, numbers]));
	const app = readApp(file(nodes, linked('1>2 1>3 1>4 4>5 4>6', 'INT'), withMarks([[1, 'value']])), graph, {})!;
	expect(targetsIn(app)).toEqual(['2.x 3.x 6.x 5.x']);
});

it('a marked output is each output node inside, and an id inside is that node of each instance', () => {
	const inside = subgraph('inside', [picture(10), { id: 12, type: 'SaveImage' }, { id: 13, type: 'PreviewImage' }]);
	const save = { class_type: 'SaveImage', inputs: {} };
	const instances = [5, 6].flatMap((id) => [
		[`${id}:10`, { class_type: 'EmptyImage', inputs: {} }],
		[`${id}:12`, save],
		[`${id}:13`, { ...save, class_type: 'PreviewImage' }],
	]);
	const outputsOf = (marked: unknown) => {
		const hosts = [5, 6].map((id) => ({ id, type: 'inside' }));
		const workflow = file(hosts, [], { ...withSubgraphs(inside), ...withMarks([], [marked]) });
		return readApp(workflow, Object.fromEntries(instances) as ApiGraph, {})!.outputs;
	};
	expect([outputsOf(6), outputsOf(12), outputsOf('5:13')]).toEqual([['6:12', '6:13'], ['5:12', '6:12'], ['5:13']]);
});

describe('marks of hostile files', () => {
	const app = recorded('subgraph');

	const withApp = (inputs: unknown[], ...[nodes, links, more]: Parameters<typeof file>) =>
		file(nodes, links, { ...more, ...withMarks(inputs, [77]) });
	/** @throws if the work takes more than two seconds of CPU time. */
	function soon<Result>(work: () => Result): Result {
		const begun = cpuMs();
		const result = work();
		expect(cpuMs() - begun).toBeLessThan(2_000);
		return result;
	}

	it('ends if subgraphs contain each other', () => {
		const knot = { id: 1, type: 'knot', inputs: [into('a', 'INT', 11, 'a'), into('b', 'INT', 12, 'b')] };
		const links = [...linked('-10>1 -10.1>1.1', 'INT', 11), ...linked('-10>1.1 -10.1>1', 'INT', 21)];
		const inputs = [
			{ name: 'a', type: 'INT', linkIds: [11, 21] },
			{ name: 'b', type: 'INT', linkIds: [12, 22] },
		];
		const marks = [
			[1, 'a'],
			[77, 'a'],
		];
		const workflow = withApp(marks, [knot], [], withSubgraphs(subgraph('knot', [knot], { links, inputs })));
		expect(soon(() => readApp(workflow, app.output, definitions))!.inputs).toEqual([]);
	});

	it('ends soon if many subgraph nodes could show the marked widget', () => {
		const inputs = Array.from({ length: 20 }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] }));
		const hosts = Array.from({ length: 1_000 }, (_, at) => ({ id: at, type: 'shown' }));
		const marks = Array.from({ length: 1_000 }, (_, at) => [90_000 + at, 'width']);
		const workflow = withApp(marks, hosts, [], withSubgraphs(subgraph('shown', [picture(90_000)], { inputs })));
		expect(soon(() => readApp(workflow, {}, definitions))!.missing).toHaveLength(marks.length + 1);
	});

	it('ends soon if a link leads through thousands of reroutes', () => {
		const reroutes = Array.from({ length: 2_000 }, (_, at) => reroute(at + 2, at));
		const nodes = [primitive(1, [5], 'INT', [0]), ...reroutes, picture(2_002, { inputs: [into('width', 'INT', 2_000, 'width')] })];
		const links = Array.from({ length: 2_001 }, (_, at) => [at, at + 1, 0, at + 2, 0, 'INT']);
		const marks = Array.from({ length: 100 }, () => [1, 'value']);
		const workflow = withApp(marks, nodes, links);
		const { graph } = convertWorkflow(workflow, definitions);
		expect(soon(() => readApp(workflow, graph, definitions))!.inputs.map(({ id }) => id)).toEqual(['2002.width']);
	});
});
