import { type ApiGraph, convertWorkflow, readApp } from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';
import { picture, primitive, reroute } from '../convert/support/nodes';
import { definitions } from '../convert/support/recordings';
import { file, into, linked, subgraph, withSubgraphs } from '../convert/support/sockets';
import { recorded, withMarks } from './support';

describe('a widget of a subgraph node', () => {
	const SUBGRAPH = 'a0b1c2d3-a1b2-c3d4-e5f6-a0b1c2d3e4f5';
	const value = { class_type: 'A', inputs: { x: 1, y: 2, z: 3 } };
	const graph: ApiGraph = { '5:10': value, '5:12': value };
	const nodes = [
		{ id: 10, type: 'A', inputs: [into('x', 'INT', 1, 'x')] },
		reroute(11, 2),
		{ id: 12, type: 'A', inputs: [into('socket', 'INT', 3, 'y')] },
	];
	const inside = subgraph(SUBGRAPH, nodes, {
		links: linked('-10>10 -10.1>11 11>12 -10>77 -10>12.7', 'INT'),
		inputs: [
			{ name: 'other', type: 'INT', linkIds: [], label: 'Other' },
			{ name: 'in_x', type: 'INT', linkIds: [4, 5, 1], label: 'Shown' },
			{ name: 'in_y', type: 'INT', linkIds: [2, 99] },
			{ name: 'y', type: 'INT', linkIds: [] },
		],
	});
	const proxyWidgets = [
		['10', 'z'],
		['12', 5],
		['10', 'y'],
		['77', 'z'],
	];
	const host = { id: 5, type: SUBGRAPH, inputs: [into('in_x', 'INT', null, 'wx')], properties: { proxyWidgets } };

	it.each<[mark: unknown[], id: string | undefined, label: string]>([
		[[5, 'wx'], '5:10.x', 'Shown'],
		[[5, 'in_x'], '5:10.x', 'Shown'],
		[[5, 'in_y'], '5:12.y', 'in_y'],
		[[5, 'z'], '5:10.z', 'z'],
		[[5, 'y'], undefined, 'y'],
		[[5, 'none'], undefined, 'none'],
		[['5:10', 'z'], '5:10.z', 'z'],
		[['5:77', 'z'], undefined, 'z'],
		[['7:10', 'x'], undefined, 'x'],
		[['5:7:10', 'x'], undefined, 'x'],
		[[`${SUBGRAPH}:10`, 'z'], '5:10.z', 'z'],
		[[`${SUBGRAPH}:77`, 'z'], undefined, 'z'],
		[[`${SUBGRAPH.replace('a', 'b')}:10`, 'x'], '5:10.x', 'Shown'],
		[[10, 'x'], '5:10.x', 'Shown'],
		[[12, 'y'], '5:12.y', 'y'],
		[[10, 'z'], '5:10.z', 'z'],
		[[12, 'z'], undefined, 'z'],
	])('%j is the input %s, called %j', (mark, id, label) => {
		const marked = { ...withSubgraphs(inside), extra: { linearData: { inputs: [mark], outputs: [] } } };
		const app = readApp(file([{ id: 1, type: 'A' }, host], [], marked), graph, {})!;
		expect(app.inputs.map((one) => one.id)).toEqual(id === undefined ? [] : [id]);
		expect([...app.inputs, ...app.missing].map((one) => one.label)).toEqual([label]);
	});
});

describe('marks of hostile files', () => {
	const app = recorded('subgraph');

	const withApp = (inputs: unknown[], ...[nodes, links, more]: Parameters<typeof file>) =>
		file(nodes, links, { ...more, extra: { linearData: { inputs, outputs: [77] } } });
	/** @throws if the work takes more than two seconds of CPU time. */
	function soon<Result>(work: () => Result): Result {
		const begun = cpuMs();
		const result = work();
		expect(cpuMs() - begun).toBeLessThan(2_000);
		return result;
	}
	const marks = [
		null,
		[],
		[{}, {}],
		['', ''],
		[1.5, 'seed'],
		['%E0%A4%A:%:%', 'seed'],
		['__proto__', '__proto__'],
		['constructor', 'seed'],
	];

	it.each([null, 'text', [], ...[...marks, ['8:8:8:8:8:8', 'seed'], [5, 5]].map((mark) => [mark])].map((inputs) => [inputs]))(
		'%j is no input, and no crash',
		(inputs) => {
			expect(withMarks(app, inputs as unknown[], [7])).toMatchObject({ inputs: [], outputs: ['7'] });
		},
	);

	it.each([[null], ['text'], [[]], [{}], [{ inputs: {}, outputs: 'x' }]])('linearData %j makes no app', (linearData) => {
		expect(readApp({ ...app.workflow, extra: { linearData } }, app.output, definitions)).toBeUndefined();
	});

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
