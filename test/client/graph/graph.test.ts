import { applyInputs, parseGraph, parseInputValues } from '../../../client';
import { jsonBody } from '../../../client/api';
import { faultOf } from './support';

const graph = {
	'1': { class_type: 'LoadImage', _meta: { title: 'Picture' }, inputs: { image: 'a.png' } },
	'2': { class_type: 'CLIPTextEncode', _meta: { title: 'Prompt' }, inputs: { text: 'x', clip: ['4', 1] } },
	'3': { class_type: 'CLIPTextEncode', _meta: { title: 'Prompt' }, inputs: { text: 'y', clip: ['4', 1] } },
};

describe('parseGraph', () => {
	it('takes an object, its text, and text with a byte order mark', () => {
		expect(parseGraph(graph)).toBe(graph);
		expect(parseGraph(JSON.stringify(graph))).toEqual(graph);
		expect(parseGraph(`\uFEFF${JSON.stringify(graph)}`)).toEqual(graph);
	});

	it.each(['prompt', 'workflow'])('unwraps {"%s": graph}', (key) => {
		expect(parseGraph({ [key]: graph })).toEqual(graph);
	});

	it('tells the editor’s format, bare or wrapped', () => {
		const ui = { last_node_id: 3, nodes: [], links: [] };
		expect(faultOf(() => parseGraph(ui))).toEqual({ fault: 'ui_format' });
		expect(faultOf(() => parseGraph({ workflow: ui }))).toEqual({ fault: 'ui_format' });
	});

	it.each([
		['{', 'not_json'],
		['[]', 'not_a_graph'],
		['{}', 'not_a_graph'],
		['null', 'not_a_graph'],
		['{"1": {"inputs": {}}}', 'not_a_graph'],
		['{"1": {"class_type": "A"}}', 'not_a_graph'],
	])('refuses %s as %s', (text, fault) => {
		expect(faultOf(() => parseGraph(text))).toMatchObject({ fault });
	});
});

describe('what nests without end', () => {
	const nested = (open: string, close: string): string => `${open.repeat(20_000)}{}${close.repeat(20_000)}`;

	it.each([
		['in an input', `{"1":{"class_type":"A","inputs":{"x":${nested('[', ']')}}}}`],
		['as wrappers', nested('{"prompt":', '}')],
	])('is no graph: %s', (_, text) => {
		expect(faultOf(() => parseGraph(text))).toEqual({ fault: 'not_a_graph', detail: 'it nests too deep' });
	});

	it('is no value of an input', () => {
		expect(faultOf(() => parseInputValues(`{"1":{"x":${nested('[', ']')}}}`))).toEqual({
			fault: 'bad_values',
			detail: 'it nests too deep',
		});
	});
});

describe('applyInputs', () => {
	it('sets by id and by title, and leaves the given graph alone', () => {
		const before = structuredClone(graph);
		const changed = applyInputs(graph, { '2': { text: 'fox' }, Picture: { image: { __type: 'core/ASSET', info: { id: 'a' } } } });
		expect(changed['2']?.inputs).toEqual({ text: 'fox', clip: ['4', 1] });
		expect(changed['1']?.inputs.image).toEqual({ __type: 'core/ASSET', info: { id: 'a' } });
		expect(graph).toEqual(before);
	});

	it('prefers an id to a title', () => {
		const odd = { ...graph, '9': { class_type: 'A', _meta: { title: '1' }, inputs: { image: 'z' } } };
		expect(applyInputs(odd, { '1': { image: 'b.png' } })['9']?.inputs.image).toBe('z');
	});

	it('refuses a node that is not there, and lists those that are', () => {
		expect(faultOf(() => applyInputs(graph, { Promt: { text: 'x' } }))).toEqual({
			fault: 'unknown_node',
			node: 'Promt',
			known: ['1 (Picture)', '2 (Prompt)', '3 (Prompt)'],
		});
	});

	it('refuses a title that several nodes have', () => {
		expect(faultOf(() => applyInputs(graph, { Prompt: { text: 'x' } }))).toEqual({
			fault: 'ambiguous_title',
			node: 'Prompt',
			ids: ['2', '3'],
		});
	});

	it('refuses an input that the node does not have: the job would be billed with the old value', () => {
		expect(faultOf(() => applyInputs(graph, { '2': { txt: 'x' } }))).toEqual({
			fault: 'unknown_input',
			node: '2',
			input: 'txt',
			known: ['text', 'clip'],
		});
	});
});

describe('parseInputValues', () => {
	it.each([[undefined], [''], ['{}'], [{}]])('takes %j as none', (input) => {
		expect(parseInputValues(input)).toEqual({});
	});

	it.each([['{'], ['[]'], ['{"6": "text"}'], [5]])('refuses %j', (input) => {
		expect(faultOf(() => parseInputValues(input))).toMatchObject({ fault: 'bad_values' });
	});
});

describe('numbers that a double cannot hold', () => {
	const SEED = '18446744073709551615';
	const graph = (inputs: string): string => `{"1":{"class_type":"KSampler","inputs":${inputs}}}`;
	const sent = (text: string, values = '{}'): unknown => jsonBody(applyInputs(parseGraph(text), parseInputValues(values))).body;

	test.each([SEED, '-9007199254740993', '12345678901234567890', '0.1234567890123456789012', '1e999', '-1E-999'])(
		'D10: %s goes out as it came, in a graph and in input values',
		(number) => {
			const text = graph(`{"seed":${number},"list":[${number},{"deep":${number}}],"text":"${number}"}`);
			expect(sent(text)).toBe(text);
			expect(sent(`\uFEFF{"prompt": ${text}}`)).toBe(text);
			expect(sent(graph('{"seed":1}'), `{"1": {"seed": ${number}}}`)).toBe(graph(`{"seed":${number}}`));
		},
	);

	test('what is left of a long number goes out as it came', () => {
		expect(sent(graph('{"seed":18446744073709552000}'))).toBe(graph('{"seed":18446744073709552000}'));
	});

	test.each(['9007199254740991', '0.1', '1e-7', '-5'])('%s is a number', (number) => {
		expect(parseGraph(graph(`{"n":${number}, "long": ${SEED}}`))['1']?.inputs.n).toBe(Number(number));
	});

	test('D10: of a name that comes twice the last counts, beside long numbers too', () => {
		expect(sent(graph(`{"seed":${SEED},"a":1,"a":2}`))).toBe(graph(`{"seed":${SEED},"a":2}`));
	});

	test('a number is no node and no inputs', () => {
		expect(faultOf(() => parseGraph(`{"1": ${SEED}}`)).fault).toBe('not_a_graph');
		expect(faultOf(() => parseGraph(graph(SEED))).fault).toBe('not_a_graph');
		expect(faultOf(() => parseGraph(SEED)).fault).toBe('not_a_graph');
		expect(faultOf(() => parseGraph(`{"1": ${'['.repeat(100_000)}${SEED}${']'.repeat(100_000)}}`)).fault).toBe('not_json');
	});
});
