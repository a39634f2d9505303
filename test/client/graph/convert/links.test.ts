import { convertWorkflow, exactText, listClasses, parseExact } from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';
import { inputsIn } from './support/converted';
import { getter, invert, picture, preview, primitive, reroute, sampler, setter } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from './support/sockets';

/** What the frontend 1.49.6 exports with the script of ComfyUI-KJNodes (3f20054, 2026-08-14), by the pack's own `Set` and `Get`. */
describe('setters and getters', () => {
	it.each([[['']], [[5]], [[]], [{}], [undefined], ['photo'], [['photo'], ['1', 0]], [{ key: 'photo', more: 'other' }, ['1', 0]]])(
		'have the name that the file holds first: %j',
		(widgets_values, source: unknown = null) => {
			const nodes = [picture(1), setter(2, '', 1, { widgets_values }), getter(3, '', { widgets_values }), preview(5, 2)];
			expect(inputsIn(file(nodes, linked('1>2 3>5')))['5']).toEqual(source === null ? {} : { images: source });
		},
	);

	it('go through each other, and through reroutes and bypassed nodes between', () => {
		const between = [reroute(2, 1), setter(3, 'one', 2), getter(5, 'one'), invert(6, 3, { mode: 4 }), setter(7, 'two', 4)];
		const nodes = [picture(1), ...between, getter(8, 'two'), preview(9, 5)];
		expect(inputsIn(file(nodes, linked('1>2 2>3 5>6 6>7 8>9')))).toEqual({ 1: expect.anything(), 9: { images: ['1', 0] } });
	});

	it('a muted getter brings nothing; a setter does, muted or not, and of two the first counts', () => {
		const nodes = [picture(1), setter(2, 'a', 1, { mode: 2 }), getter(3, 'a'), preview(4, 2), getter(5, 'a', { mode: 2 }), preview(6, 3)];
		const second = [picture(7), setter(8, 'a', 4)];
		const inputs = inputsIn(file([...nodes, ...second], linked('1>2 3>4 5>6 7>8')));
		expect([inputs[4], inputs[6]]).toEqual([{ images: ['1', 0] }, {}]);
	});

	it.each([
		['takes the setter outside', [], [setter(2, 'a', 1)], '1'],
		['takes the setter beside it first', [picture(6), setter(8, 'a', 6)], [setter(2, 'a', 1)], '10:6'],
		['takes none of two setters outside', [], [setter(2, 'a', 1), setter(3, 'a', 2)], undefined],
	])('a getter in a subgraph %s', (_, beside, outside, source) => {
		const inside = subgraph('inside', [...beside, getter(5, 'a'), preview(4, 5)], { links: linkedInside('5>4 6>8', 'IMAGE', 5) });
		const workflow = file([picture(1), ...outside, { id: 10, type: 'inside' }], linked('1>2 1>3'), withSubgraphs(inside));
		expect(inputsIn(workflow)['10:4']).toEqual(source === undefined ? {} : { images: [source, 0] });
	});
});

it('nodes of the editor that packs bring are followed or left out, but run where the server has a class of that name', () => {
	const nodes = [
		picture(1),
		{ ...reroute(2, 1), type: 'Reroute (rgthree)' },
		preview(3, 2),
		{ id: 4, type: 'Fast Groups Muter (rgthree)' },
	];
	const workflow = file(nodes, linked('1>2 2>3'));
	expect(inputsIn(workflow)).toEqual({ 1: expect.anything(), 3: { images: ['1', 0] } });
	const known = { ...definitions, 'Reroute (rgthree)': { input: { required: { '': ['*', {}] } }, output: ['*'] } };
	expect(Object.keys(inputsIn(workflow, known))).toEqual(['1', '2', '3']);
});

it.each<[string, unknown[]]>([
	['with slots that are texts', [1, '1', '1', '2', '0', 'IMAGE']],
	['without a target, because the input names its link', [1, 1, 1]],
])('a link that is written %s is followed', (_, link) => {
	const nodes = [picture(1, { outputs: [out('MASK'), out('IMAGE')] }), preview(2)];
	expect(inputsIn(file(nodes, [link]))['2']).toEqual({ images: ['1', 1] });
});

describe('bypassed nodes', () => {
	it.each<[inputs: string[], output: string, wanted: string, taken?: number]>([
		[['a'], 'B', 'A'],
		[['B', 'a,c'], 'C', 'c', 1],
		[['B', ''], 'A', 'A', 1],
		[['B', 'x,*'], 'A', 'A', 1],
		[['B', 'a,b'], 'b', 'x,*', 0],
		[['C', 'B,A', 'A'], 'A,C', 'A', 2],
	])('with inputs of %j and an output of %s hand on to %s what fits', (inputs, output, wanted, taken = -1) => {
		const sockets = inputs.map((type, at) => into(`i${at}`, type, at + 10));
		const bypassed = { id: 2, type: 'Unknown', mode: 4, inputs: sockets, outputs: [out(output)] };
		const target = { id: 3, type: 'PreviewImage', inputs: [into('images', 'IMAGE', null), into('more', wanted, 1)] };
		const links = inputs.map((type, at) => [at + 10, at + 10, 0, 2, at, type]);
		const nodes = [...inputs.map((_, at) => picture(at + 10)), bypassed, target];
		expect(inputsIn(file(nodes, [...links, [1, 2, 0, 3, 1, wanted]]))['3']).toEqual(taken < 0 ? {} : { more: [String(taken + 10), 0] });
	});
});

it.each<[what: string, first: Json, values: unknown, width: number, notes: Json[]]>([
	['to a number without a widget first', { ...preview(4), inputs: [into('gone', 'INT', 1)] }, [7], 7, []],
	['to a reroute first', reroute(4, 1), [7], 7, [{ note: 'widget_guessed', nodeId: '3', input: 'width', value: 7 }]],
	['without a value to a reroute first', reroute(4, 1), undefined, 64, []],
])('a primitive node that leads %s hands on what the frontend would', (_, first, values, width, notes) => {
	const nodes = [primitive(2, values, 'INT', [1, 2]), first, picture(3, { inputs: [into('width', 'INT', 2, 'width')] })];
	const converted = convertWorkflow(file(nodes, linked('2>4 2>3', 'INT')), definitions);
	expect(converted.graph['3']?.inputs).toMatchObject({ width, height: 64 });
	expect(converted.notes).toMatchObject(notes);
});

describe('numbers that a double cannot hold', () => {
	const SEED = '18446744073709551615';
	const seeded = (id: number, seed: unknown, link: number | null = null): Json =>
		sampler(id, [seed, 'fixed', 20, 8, 'euler', 'normal', 1], { inputs: [into('seed', 'INT', link, 'seed')] });
	/** Replaces each text `'%n%'` by a number. */
	const read = (workflow: Json, number: string) => inputsIn(parseExact(JSON.stringify(workflow).replaceAll('"%n%"', number)) as Json);

	it('keep every digit: of a widget, of a primitive within the limits of its target, as ids', () => {
		const nodes = [primitive(2, ['%n%', 'fixed']), seeded(3, 0, 1)];
		const kept = exactText(read(file([seeded(1, '%n%'), ...nodes], linked('2>3', 'INT')), SEED));
		for (const id of ['1', '3']) expect(kept).toContain(`"${id}":{"seed":${SEED},`);
		expect(exactText(read(file(nodes, linked('2>3', 'INT')), '99999999999999999999'))).toContain(`"3":{"seed":${SEED},`);
		const byLongId = file([picture('%n%'), preview(2)], [[1, '%n%', 0, 2, 0, 'IMAGE']]);
		expect(read(byLongId, SEED)).toMatchObject({ 2: { images: [SEED, 0] } });
	});
});

it('a conversion lists the numbers that the editor changes after each run, and the texts with choices', () => {
	const [seed, prompt] = [
		['INT', { control_after_generate: true }],
		['STRING', { multiline: true, dynamicPrompts: true }],
	];
	const known = { ...definitions, Two: { input: { required: { a: seed, b: seed, c: prompt, d: prompt } }, output: [] } };
	const nodes = [7, 8].map((id) => ({ id, type: 'Two', widgets_values: [5, 'randomize', 6, 'increment', '{x|y}', 'a {z|w}'] }));
	const both = (...inputs: string[]) => ['7', '8'].flatMap((nodeId) => inputs.map((input) => ({ nodeId, input })));
	const { changedByEditor, dynamicPrompts } = convertWorkflow(file(nodes), known);
	expect([changedByEditor, dynamicPrompts]).toEqual([both('a', 'b'), both('c', 'd')]);
});

describe('classes whose definitions are needed', () => {
	it('are those of active and of bypassed nodes, each once', () => {
		const types = ['Note', 'Reroute', 'PrimitiveNode', 'constructor'].map((type, at) => ({ id: at + 9, type }));
		const nodes = [picture(1), picture(2), invert(3, null, { mode: 4 }), { id: 4, type: 'Muted', mode: 2 }, setter(8, 'a', null), ...types];
		expect(listClasses(file(nodes))).toEqual(['EmptyImage', 'ImageInvert', 'constructor']);
	});

	it('include those of muted nodes if a file name contains the value of another node', () => {
		const muted = { id: 3, type: 'EmptyLatentImage', mode: 2, widgets_values: [512, 768, 1] };
		const saved = (prefix: string): Json => ({ ...preview(2), type: 'SaveImage', widgets_values: [prefix] });
		const workflow = file([picture(1), saved('%EmptyLatentImage.height% high'), muted], linked('1>2'));
		const asked = Object.fromEntries(listClasses(workflow).map((name) => [name, definitions[name] ?? {}]));
		expect(inputsIn(workflow, asked)['2']).toMatchObject({ filename_prefix: '768 high' });
		expect(listClasses(file([picture(1), saved('%date:yyyy.MM.dd% 100%'), muted], linked('1>2')))).toEqual(['EmptyImage', 'SaveImage']);
	});
});

it('a list of a widget is no link', () => {
	const known = { ...definitions, Listing: { input: { required: { chosen: [['a', 'b'], { multi_select: true }] } }, output: [] } };
	const workflow = file([picture(1), { id: 2, type: 'Listing', widgets_values: [['1', 0]] }]);
	expect(inputsIn(workflow, known)['2']).toEqual({ chosen: { __value__: ['1', 0] } });
});

it('a conversion does not change the file', () => {
	const nodes = [primitive(2, [5, 'fixed']), picture(3, { inputs: [into('width', 'INT', 1, 'width')] }), preview(4, 2)];
	const workflow = file(nodes, linked('2>3 3>4'));
	const before = structuredClone(workflow);
	expect(inputsIn(workflow)).toMatchObject({ 3: { width: 5, height: 64 } });
	expect(workflow).toEqual(before);
});

/** What ComfyUI's own frontends make of them is recorded in the graphs `matching/`. */
describe('types that match', () => {
	const switches = (count: number, mode: number): Json[] =>
		Array.from({ length: count }, (_, at) => ({
			id: at + 2,
			type: 'ComfySwitchNode',
			mode,
			inputs: [into('on_false', '*', at + 1)],
			outputs: [{ ...out('*'), name: 'output' }],
			widgets_values: [false],
		}));

	it.each([0, 4])('C1: reads a chain of 10,000 switches (mode %i) without running out of stack', (mode) => {
		const count = 10_000;
		const links = Array.from({ length: count + 1 }, (_, at) => [at + 1, at + 1, 0, at + 2, 0, 'IMAGE']);
		const inputs = inputsIn(file([picture(1), ...switches(count, mode), preview(count + 2, count + 1)], links));
		expect(inputs[String(count + 2)]).toEqual({ images: [String(mode === 0 ? count + 1 : 1), 0] });
	});

	it('C1: reads switches that are linked in a circle', () => {
		const workflow = file([...switches(2, 4), preview(4, 3)], linked('3>2 2>3 3>4', '*'));
		expect(() => convertWorkflow(workflow, definitions)).toThrow('not_convertible');
	});

	it('C1: reads 5,000 links of different types into one node in less than three seconds', () => {
		const all = Array.from({ length: 5_000 }, (_, at) => at);
		const list = { id: 1, type: 'CreateList', inputs: all.map((at) => into(`inputs.input${at}`, '*', at + 1)) };
		const unknown = all.map((at) => ({ id: at + 2, type: 'Reroute', outputs: [{ ...out(`T${at}`), name: '' }] }));
		const links = all.map((at) => [at + 1, at + 2, 0, 1, at, `T${at}`]);
		const before = cpuMs();
		expect(inputsIn(file([list, ...unknown], links))['1']).toEqual({});
		expect(cpuMs() - before).toBeLessThan(3_000);
	});
});

it('an input inside of a subgraph whose link the file contradicts is reported with the id that the editor shows', () => {
	const inside = subgraph('a', [picture(11), preview(12, 1), preview(13, 1)], { links: linkedInside('11>12') });
	const { graph, notes } = convertWorkflow(file([{ id: 5, type: 'a' }], [], withSubgraphs(inside)), definitions);
	expect([graph['5:12']?.inputs, graph['5:13']?.inputs]).toEqual([{ images: ['5:11', 0] }, {}]);
	expect(notes).toMatchObject([{ note: 'link_contested', nodeId: '13', value: null }]);
});

it('patterns in the file names of a pack are kept where nothing shows that its script replaces them, and this is reported', () => {
	const input = { required: { filename_prefix: ['STRING', {}], note: ['STRING', {}] } };
	const own = { ...definitions, OwnSaver: { input, output: [], python_module: 'custom_nodes.own' } };
	const texts = ['%date:yyyy%_x', '%EmptyImage.width%', '%year%_x'];
	const nodes = texts.map((text, at) => ({ id: at + 2, type: 'OwnSaver', widgets_values: { filename_prefix: text, note: text } }));
	const { graph, notes } = convertWorkflow(file([picture(1), ...nodes]), own);
	expect([2, 3, 4].map((id) => graph[id]?.inputs.filename_prefix)).toEqual(texts);
	expect(notes).toMatchObject(
		['2', '3'].map((nodeId, at) => ({ note: 'widget_guessed', nodeId, input: 'filename_prefix', value: texts[at] })),
	);
});

it('a seed of -1 stays in the graph, and each is reported', () => {
	const samplers = [5, 6].map((id) => sampler(id, [-1, 'fixed', 20, 8, 'euler', 'normal', 1]));
	const { graph, notes } = convertWorkflow(file(samplers), definitions);
	expect([graph['5']?.inputs.seed, graph['6']?.inputs.seed]).toEqual([-1, -1]);
	expect(notes).toMatchObject(['5', '6'].map((nodeId) => ({ note: 'random_seed', nodeId, input: 'seed', value: -1 })));
});
