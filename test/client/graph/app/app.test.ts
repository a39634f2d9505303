import { cpuMs } from '../../../support/cpuTime';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ApiGraph, type App, appOf, convertWorkflow, exactText, parseExact } from '../../../../client';
import { markedIn } from '../../../../client/graph/app';
import { picture, primitive, reroute } from '../convert/support/nodes';
import { definitions } from '../convert/support/recordings';
import { file, into, linked, subgraph, withSubgraphs } from '../convert/support/sockets';

const ROOM = join(__dirname, 'recorded');

/** What ComfyUI's own frontend made of an app: for each marked input what it shows, and where a changed value went. */
interface Recorded {
	workflow: { extra?: { linearData?: { inputs: Array<[id: unknown, widget: string, config?: object]>; outputs: unknown[] } } };
	output: ApiGraph;
	shown: Array<null | { unknown: true } | { hidden: string } | { label: string; places: string[] }>;
	outputs: string[];
}

const recorded = (name: string): Recorded => parseExact(readFileSync(join(ROOM, `${name}.json`), 'utf8')) as Recorded;
const names = readdirSync(ROOM).map((file) => file.replace('.json', ''));

const appIn = ({ workflow, output }: Recorded): App => appOf(workflow, output, definitions)!;
const withMarks = ({ workflow, output }: Recorded, inputs: unknown[], outputs: unknown[] = []): App | undefined =>
	appOf({ ...workflow, extra: { ...workflow.extra, linearData: { inputs, outputs } } }, output, definitions);

const placesOf = ({ inputs }: App): string[][] => inputs.map(({ input, also }) => [input, ...also].map(({ name }) => name));

/** A primitive's widget: the frontend has lost it when the file is opened again, and its value still goes somewhere. */
const LOST_PRIMITIVE = '2.text';

/** What a mark alone is to become, by what ComfyUI shows of it. */
function expectedOf(shown: Recorded['shown'][number]): { places: string[][]; labels?: string[]; missing: number } {
	if (shown !== null && 'unknown' in shown) return { places: [[LOST_PRIMITIVE]], missing: 0 };
	if (shown === null || !('label' in shown) || shown.places.length === 0) return { places: [], missing: 1 };
	// A choice that others stand behind changes which of them there are.
	const places = shown.places.filter((place) => !shown.places.some((other) => place.startsWith(`${other}.`)));
	return { places: [places], labels: [shown.label], missing: 0 };
}

test.each(names)('the app %s has the inputs and outputs that ComfyUI shows, also in the graph that our converter makes', (name) => {
	const app = recorded(name);
	const marked = app.workflow.extra?.linearData?.inputs ?? [];
	const alone = marked.map((mark) => withMarks(app, [mark])!);
	const labels = alone.map(({ inputs }) => inputs.map(({ label }) => label));
	expect(alone.map((one, at) => ({ places: placesOf(one), labels: labels[at], missing: one.missing.length }))).toMatchObject(
		app.shown.map(expectedOf),
	);
	const whole = appOf(app.workflow, app.output, definitions);
	expect(appOf(app.workflow, convertWorkflow(app.workflow, definitions).graph, definitions)).toEqual(whole);
	expect(whole === undefined).toBe(name === 'empty');
	expect(whole?.inputs.map(({ id }) => id) ?? []).toEqual(app.shown.flatMap((shown) => expectedOf(shown).places.map(([first]) => first)));
	for (const id of whole?.outputs ?? []) expect(app.output).toHaveProperty([id]);
});

test('ids that stand in several subgraphs, as after pasting one, are those of the converted graph', () => {
	const { workflow } = recorded('subgraph');
	const twice: Record<number, number> = { 3: 1, 4: 6, 5: 2 };
	const renamed = JSON.parse(exactText(workflow), (key, value: unknown) =>
		['origin_id', 'target_id'].includes(key) ? (twice[Number(value)] ?? value) : value,
	) as typeof workflow & { definitions: { subgraphs: Array<{ nodes: Array<{ id: number }> }> } };
	for (const node of renamed.definitions.subgraphs[0]!.nodes) node.id = twice[node.id]!;
	const app = appOf(renamed, convertWorkflow(renamed, definitions).graph, definitions)!;
	const valuesOf = ({ inputs }: App) => inputs.map(({ label, input: { value } }) => [label, value]);
	expect([app.missing, valuesOf(app)]).toEqual([[], valuesOf(appIn(recorded('subgraph')))]);
});

test('the author’s description comes along, and what a definition says', () => {
	const [words, , steps, sampler] = appIn(recorded('renamed')).inputs;
	expect(words).toMatchObject({
		id: '2.text',
		label: 'What to draw',
		description: 'One sentence',
		input: { value: 'a red fox in the snow', kind: 'text' },
	});
	expect(steps!.input).toMatchObject({ kind: 'integer', limits: { min: 1, max: 10000 } });
	expect(sampler!.input.limits!.choices).toContain('euler');
});

test('words that several inputs have are told apart by the nodes that show them', () => {
	expect(appIn(recorded('same-words')).inputs.map(({ label }) => label)).toEqual([
		'text (Negative)',
		'text (Positive)',
		'filename_prefix (Second #7)',
		'filename_prefix (Second #8)',
	]);
});

test('outputs inside subgraphs are found, by the node that holds them or by their own id', () => {
	expect(appIn(recorded('nested')).outputs).toEqual(['9:7']);
	expect(appIn(recorded('output-inside')).outputs).toEqual(['8:7']);
});

test('what is not there any more is told, and why', () => {
	expect(appIn(recorded('plain-ids')).missing).toEqual([
		{ is: 'input', label: 'text', why: 'gone' },
		{ is: 'input', label: 'colour', why: 'gone' },
		{ is: 'input', label: 'control_after_generate', why: 'not_sent' },
		{ is: 'output', label: '77', why: 'gone' },
	]);
	expect(appIn(recorded('muted')).missing.map(({ why }) => why)).toEqual(['inactive', 'inactive', 'inactive']);
	expect(appIn(recorded('primitive')).missing).toEqual([{ is: 'input', label: 'width', why: 'linked' }]);
});

describe('a mark', () => {
	const LONG_ID = '18446744073709551615';
	const inputs = { x: 5, named: 5, blank: 5, odd: 5, upload: 'image', linked: ['2', 0] };
	const known = { named: ['INT', { display_name: 'Luck' }], blank: ['INT', { display_name: ' ' }], odd: ['INT', { display_name: 5 }] };
	const graph: ApiGraph = { 1: { class_type: 'A', inputs }, [LONG_ID]: { class_type: 'A', inputs } };
	const file = {
		nodes: [
			{ id: 1, type: 'A' },
			{ id: 3, type: 'A', mode: 2 },
			{ id: LONG_ID, type: 'A' },
		],
		links: [],
	};
	const appWith = (marked: unknown[], outputs: unknown[] = []): App | undefined =>
		appOf({ ...file, extra: { linearData: { inputs: marked, outputs } } }, graph, { A: { input: { required: known } } });

	it.each<[mark: unknown[], id: string, label: string, description?: string]>([
		[[1, 'x'], '1.x', 'x'],
		[['1', 'x'], '1.x', 'x'],
		[[parseExact(LONG_ID), 'x'], `${LONG_ID}.x`, 'x'],
		[[1, 'named'], '1.named', 'Luck'],
		[[1, 'blank'], '1.blank', 'blank'],
		[[1, 'odd'], '1.odd', 'odd'],
		[['%31:1:x', 'x'], '1.x', 'x'],
		[[1, 'x', { description: '  two\n\nlines ' }], '1.x', 'x', 'two lines'],
		[[1, 'x', { description: 'y'.repeat(121) }], '1.x', 'x', 'y'.repeat(120)],
		[[1, 'x', { description: ' ' }], '1.x', 'x'],
		[[1, 'x', { description: 5 }], '1.x', 'x'],
		[[1, 'x', 'text'], '1.x', 'x'],
	])('%j is the input %s, called %j', (mark, id, label, ...description) => {
		const { inputs: found, missing } = appWith([mark])!;
		expect(found.map((one) => [one.id, one.label, one.description])).toEqual([[id, label, description[0]]]);
		expect(missing).toEqual([]);
	});

	it.each<[mark: unknown[], label: string, why: string]>([
		[[1, 'upload'], 'upload', 'not_sent'],
		[[1, 'linked'], 'linked', 'linked'],
		[[1, 'gone'], 'gone', 'gone'],
		[[1, 'control_after_generate'], 'control_after_generate', 'not_sent'],
		[[3, 'x'], 'x', 'inactive'],
		[[4, 'x'], 'x', 'gone'],
	])('%j is missing as %j, because it is %s', (mark, label, why) => {
		expect(appWith([mark])).toMatchObject({ inputs: [], missing: [{ is: 'input', label, why }] });
	});

	it('without an id or a name is none', () => {
		expect(appWith([[1.5, 'x'], ['', 'x'], [1, ''], [1], [null, 'x'], [{}, 'x'], ['1:1', '']])).toBeUndefined();
	});

	it('of the same input a second time is left out', () => {
		expect(
			appWith([
				[1, 'x'],
				['1', 'x'],
			])!.inputs.map(({ id }) => id),
		).toEqual(['1.x']);
	});

	it('of an output stands for any node of the graph, and else says what has become of it', () => {
		expect(appWith([], [1, '1', 3, 4, 1.5])).toMatchObject({
			outputs: ['1'],
			missing: [
				{ is: 'output', label: '3', why: 'inactive' },
				{ is: 'output', label: '4', why: 'gone' },
			],
		});
	});
});

describe('the id of a mark', () => {
	const UUID = 'a0b1c2d3-a1b2-c3d4-e5f6-a0b1c2d3e4f5';
	const marked = (inputs: unknown[], outputs: unknown[] = []) => markedIn({ extra: { linearData: { inputs, outputs } } });

	it.each<unknown[]>([
		[`${UUID}:5`, 'seed', ['5'], UUID, 'seed'],
		[`${UUID.toUpperCase()}:5`, 'seed', ['5'], UUID.toUpperCase(), 'seed'],
		[`${UUID}:5:my%20seed`, 'seed', ['5'], UUID, 'my seed'],
		[`${UUID}:5:a:b`, 'seed', ['5'], UUID, 'a:b'],
		[`${UUID}:%E0`, 'seed', ['%E0'], UUID, 'seed'],
		['g:5:seed', 'seed', ['5'], 'g', 'seed'],
		['g:5:seed', 'other', ['g', '5', 'seed'], undefined, 'other'],
		['g:5:seed:a', 'seed', ['g', '5', 'seed', 'a'], undefined, 'seed'],
		['12:3', 'seed', ['12', '3'], undefined, 'seed'],
		[12, 'seed', ['12'], undefined, 'seed'],
		...[`x${UUID}`, `${UUID}x`, UUID.slice(1), UUID.slice(0, -1), UUID.replace('a1b2-', ''), UUID.replace('-a1b2', '-1b2')].map((other) => [
			`${other}:5`,
			'seed',
			[other, '5'],
			undefined,
			'seed',
		]),
	])('%j with the name %j leads to %j in the graph %j, widget %j', (id, name, path, graphId, widget) => {
		expect(marked([[id, name]])!.inputs).toEqual([{ path, graphId, widget }]);
	});

	it('counts once for an output, and a thousand times at most for inputs', () => {
		expect(marked([], [1, '1', 2])).toEqual({ inputs: [], outputs: ['1', '2'] });
		expect(marked(Array.from({ length: 1_001 }, (_, at) => [at, 'x']))!.inputs).toHaveLength(1_000);
	});
});

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
		const app = appOf(file([{ id: 1, type: 'A' }, host], [], marked), graph, {})!;
		expect(app.inputs.map((one) => one.id)).toEqual(id === undefined ? [] : [id]);
		expect([...app.inputs, ...app.missing].map((one) => one.label)).toEqual([label]);
	});
});

describe('marks from anybody', () => {
	const app = recorded('subgraph');

	const withApp = (inputs: unknown[], ...[nodes, links, more]: Parameters<typeof file>) =>
		file(nodes, links, { ...more, extra: { linearData: { inputs, outputs: [77] } } });
	/** @throws if the work takes seconds. */
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
		expect(appOf({ ...app.workflow, extra: { linearData } }, app.output, definitions)).toBeUndefined();
	});

	it('ends where subgraphs are knotted', () => {
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
		expect(soon(() => appOf(workflow, app.output, definitions))!.inputs).toEqual([]);
	});

	it('ends soon where many subgraph nodes could show what is marked', () => {
		const inputs = Array.from({ length: 20 }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] }));
		const hosts = Array.from({ length: 1_000 }, (_, at) => ({ id: at, type: 'shown' }));
		const marks = Array.from({ length: 1_000 }, (_, at) => [90_000 + at, 'width']);
		const workflow = withApp(marks, hosts, [], withSubgraphs(subgraph('shown', [picture(90_000)], { inputs })));
		expect(soon(() => appOf(workflow, {}, definitions))!.missing).toHaveLength(marks.length + 1);
	});

	it('ends soon where reroutes lead a long way', () => {
		const reroutes = Array.from({ length: 2_000 }, (_, at) => reroute(at + 2, at));
		const nodes = [primitive(1, [5], 'INT', [0]), ...reroutes, picture(2_002, { inputs: [into('width', 'INT', 2_000, 'width')] })];
		const links = Array.from({ length: 2_001 }, (_, at) => [at, at + 1, 0, at + 2, 0, 'INT']);
		const marks = Array.from({ length: 100 }, () => [1, 'value']);
		const workflow = withApp(marks, nodes, links);
		const { graph } = convertWorkflow(workflow, definitions);
		expect(soon(() => appOf(workflow, graph, definitions))!.inputs.map(({ id }) => id)).toEqual(['2002.width']);
	});
});
