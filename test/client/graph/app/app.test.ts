import { cpuMs } from '../../../support/cpuTime';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ApiGraph, type App, appOf, convertWorkflow, exactText, parseExact } from '../../../../client';
import { markedIn } from '../../../../client/graph/app';
import { definitions } from '../convert/support/recordings';

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

describe.each(names)('the app %s, as ComfyUI shows it', (name) => {
	const app = recorded(name);
	const marked = app.workflow.extra?.linearData?.inputs ?? [];

	const each = marked.map((entry, index) => [JSON.stringify(entry), entry, app.shown[index]] as const);
	if (each.length > 0)
		it.each(each)('%s', (_, entry, shown) => {
			const one = withMarks(app, [entry]);
			if (shown === null || shown === undefined || !('label' in shown) || shown.places.length === 0) {
				const isOurs = shown !== null && shown !== undefined && 'unknown' in shown;
				// A primitive's widget: the frontend has lost it when the file is opened again, and its value still goes somewhere.
				expect(one!.inputs.map(({ id }) => id)).toEqual(isOurs ? ['2.text'] : []);
				expect(one!.missing).toHaveLength(isOurs ? 0 : 1);
				return;
			}
			// A choice that others stand behind changes which of them there are.
			const places = shown.places.filter((place) => !shown.places.some((other) => place.startsWith(`${other}.`)));
			expect(placesOf(one!)).toEqual([places]);
			expect(one!.inputs[0]!.label).toBe(shown.label);
		});

	it('has its inputs in the order of its author, and outputs that are in the graph', () => {
		const whole = appOf(app.workflow, app.output, definitions);
		if (name === 'empty') {
			expect(whole).toBeUndefined();
			return;
		}
		const order = app.shown.flatMap((shown) =>
			shown !== null && 'places' in shown && shown.places.length > 0
				? [shown.places[0]]
				: shown !== null && 'unknown' in shown
					? ['2.text']
					: [],
		);
		expect(whole!.inputs.map(({ id }) => id)).toEqual(order);
		for (const id of whole!.outputs) expect(app.output).toHaveProperty([id]);
	});
});

test.each(names.filter((name) => name !== 'empty'))('the app %s has the same form in the graph that our converter makes', (name) => {
	const app = recorded(name);
	const { graph } = convertWorkflow(app.workflow, definitions);
	expect(appOf(app.workflow, graph, definitions)).toEqual(appIn(app));
});

test('ids that stand in several subgraphs, as after pasting one, are those of the converted graph', () => {
	const { workflow } = recorded('subgraph');
	const twice = new Map([
		[3, 1],
		[4, 6],
		[5, 2],
	]);
	const renamed = JSON.parse(exactText(workflow), (key, value: unknown) =>
		typeof value === 'number' && ['origin_id', 'target_id'].includes(key) ? (twice.get(value) ?? value) : value,
	) as typeof workflow & { definitions: { subgraphs: Array<{ nodes: Array<{ id: number }> }> } };
	for (const node of renamed.definitions.subgraphs[0]!.nodes) node.id = twice.get(node.id)!;
	const { graph } = convertWorkflow(renamed, definitions);
	const app = appOf(renamed, graph, definitions)!;
	expect(app.missing).toEqual([]);
	expect(app.inputs.map(({ label, input: { value } }) => [label, value])).toEqual(
		appIn(recorded('subgraph')).inputs.map(({ label, input: { value } }) => [label, value]),
	);
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
	const INT = { type: 'INT', link: null };
	const inside = {
		id: SUBGRAPH,
		nodes: [
			{ id: 10, type: 'A', inputs: [{ ...INT, name: 'x', widget: { name: 'x' }, link: 1 }] },
			{ id: 11, type: 'Reroute', inputs: [{ ...INT, name: '', link: 2 }], outputs: [{ type: '*', links: [3] }] },
			{ id: 12, type: 'A', inputs: [{ ...INT, name: 'socket', widget: { name: 'y' }, link: 3 }] },
		],
		links: [
			[1, -10, 0, 10, 0, 'INT'],
			[2, -10, 1, 11, 0, 'INT'],
			[3, 11, 0, 12, 0, 'INT'],
			[4, -10, 0, 77, 0, 'INT'],
			[5, -10, 0, 12, 7, 'INT'],
		],
		inputs: [
			{ name: 'other', type: 'INT', linkIds: [], label: 'Other' },
			{ name: 'in_x', type: 'INT', linkIds: [4, 5, 1], label: 'Shown' },
			{ name: 'in_y', type: 'INT', linkIds: [2, 99] },
			{ name: 'y', type: 'INT', linkIds: [] },
		],
		outputs: [],
	};
	const proxyWidgets = [
		['10', 'z'],
		['12', 5],
		['10', 'y'],
		['77', 'z'],
	];
	const host = { id: 5, type: SUBGRAPH, inputs: [{ ...INT, name: 'in_x', widget: { name: 'wx' } }], properties: { proxyWidgets } };
	const file = { nodes: [{ id: 1, type: 'A' }, host], links: [], definitions: { subgraphs: [inside] } };

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
		const app = appOf({ ...file, extra: { linearData: { inputs: [mark], outputs: [] } } }, graph, {})!;
		expect(app.inputs.map((one) => one.id)).toEqual(id === undefined ? [] : [id]);
		expect([...app.inputs, ...app.missing].map((one) => one.label)).toEqual([label]);
	});
});

describe('marks from anybody', () => {
	const app = recorded('subgraph');

	it.each([
		[null],
		[[]],
		[[null]],
		[[[]]],
		[[[{}, {}]]],
		[[['', '']]],
		[[[1.5, 'seed']]],
		[[['%E0%A4%A:%:%', 'seed']]],
		[
			[
				['__proto__', '__proto__'],
				['constructor', 'seed'],
			],
		],
		[[['8:8:8:8:8:8', 'seed']]],
		['text'],
		[[[5, 5]]],
	])('%j is no input, and no crash', (inputs) => {
		const found = appOf({ ...app.workflow, extra: { linearData: { inputs, outputs: [7] } } }, app.output, definitions)!;
		expect(found.inputs).toEqual([]);
		expect(found.outputs).toEqual(['7']);
	});

	it.each([[null], ['text'], [[]], [{}], [{ inputs: {}, outputs: 'x' }]])('linearData %j makes no app', (linearData) => {
		expect(appOf({ ...app.workflow, extra: { linearData } }, app.output, definitions)).toBeUndefined();
	});

	it('ends where subgraphs are knotted', () => {
		const node = (id: number, type: string) => ({
			id,
			type,
			inputs: [
				{ name: 'a', type: 'INT', widget: { name: 'a' }, link: id },
				{ name: 'b', type: 'INT', widget: { name: 'b' }, link: id + 10 },
			],
			outputs: [],
		});
		const links = [
			[1, -10, 0, 1, 0, 'INT'],
			[11, -10, 1, 1, 1, 'INT'],
			[12, -10, 0, 1, 1, 'INT'],
			[13, -10, 1, 1, 0, 'INT'],
		];
		const subgraph = {
			id: 'knot',
			name: 'knot',
			nodes: [node(1, 'knot')],
			links,
			inputs: [
				{ name: 'a', type: 'INT', linkIds: [1, 12] },
				{ name: 'b', type: 'INT', linkIds: [11, 13] },
			],
			outputs: [],
		};
		const workflow = {
			nodes: [node(1, 'knot')],
			links: [],
			definitions: { subgraphs: [subgraph] },
			extra: {
				linearData: {
					inputs: [
						[1, 'a'],
						[77, 'a'],
					],
					outputs: [77],
				},
			},
		};
		const begun = cpuMs();
		expect(appOf(workflow, app.output, definitions)!.inputs).toEqual([]);
		expect(cpuMs() - begun).toBeLessThan(2_000);
	});

	it('ends soon where many subgraph nodes could show what is marked', () => {
		const subgraph = {
			id: 'shown',
			nodes: [{ id: 90_000, type: 'EmptyImage' }],
			links: [],
			inputs: Array.from({ length: 20 }, (_, at) => ({ name: `i${at}`, type: 'INT', linkIds: [] })),
			outputs: [],
		};
		const workflow = {
			nodes: Array.from({ length: 1_000 }, (_, at) => ({ id: at, type: 'shown' })),
			links: [],
			definitions: { subgraphs: [subgraph] },
			extra: { linearData: { inputs: Array.from({ length: 1_000 }, (_, at) => [90_000 + at, 'width']), outputs: [] } },
		};
		const begun = cpuMs();
		expect(appOf(workflow, {}, definitions)!.missing).toHaveLength(1_000);
		expect(cpuMs() - begun).toBeLessThan(2_000);
	});

	it('ends soon where reroutes lead a long way', () => {
		const length = 2_000;
		const reroutes = Array.from({ length }, (_, at) => ({
			id: at + 2,
			type: 'Reroute',
			inputs: [{ name: '', type: '*', link: at }],
			outputs: [{ name: '', type: '*', links: [at + 1] }],
		}));
		const workflow = {
			nodes: [
				{ id: 1, type: 'PrimitiveNode', outputs: [{ name: 'INT', type: 'INT', links: [0] }], widgets_values: [5] },
				...reroutes,
				{ id: length + 2, type: 'EmptyImage', inputs: [{ name: 'width', type: 'INT', link: length, widget: { name: 'width' } }] },
			],
			links: Array.from({ length: length + 1 }, (_, at) => [at, at + 1, 0, at + 2, 0, 'INT']),
			extra: { linearData: { inputs: Array.from({ length: 100 }, () => [1, 'value']), outputs: [] } },
		};
		const { graph } = convertWorkflow(workflow, definitions);
		const begun = cpuMs();
		expect(appOf(workflow, graph, definitions)!.inputs.map(({ id }) => id)).toEqual([`${length + 2}.width`]);
		expect(cpuMs() - begun).toBeLessThan(2_000);
	});
});
