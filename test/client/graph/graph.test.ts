import { type ApiGraph, applyInputs, checkDigits, findInput, listInputs, parseGraph, parseInputValues } from '../../../client';
import { node } from '../../support/graphs';
import { jsonBody } from '../../../client/requests/serviceApi';
import { cpuMs } from '../../support/cpuTime';
import { faultOf } from './support';

const graph = {
	'1': node('LoadImage', 'Picture', { image: 'a.png' }),
	'2': node('CLIPTextEncode', 'Prompt', { text: 'x', clip: ['4', 1] }),
	'3': node('CLIPTextEncode', 'Prompt', { text: 'y', clip: ['4', 1] }),
};
const SEED = '18446744073709551615';
const TOO_DEEP = { detail: 'it has too many nested levels' };
const nested = (open: string, close: string): string => `${open.repeat(20_000)}{}${close.repeat(20_000)}`;
const sampler = (inputs: string): string => `{"1":{"class_type":"KSampler","inputs":${inputs}}}`;

describe('parseGraph', () => {
	it('reads an object, its text, a text with a byte order mark, and a wrapped graph', () => {
		expect(parseGraph(graph)).toBe(graph);
		const text = JSON.stringify(graph);
		for (const form of [text, `\uFEFF${text}`, { prompt: graph }, { workflow: graph }]) expect(parseGraph(form)).toEqual(graph);
	});

	const NO_GRAPH = { fault: 'not_a_graph', detail: expect.any(String) as string };
	const NO_JSON = { fault: 'not_json', detail: expect.any(String) as string };
	const ui = { last_node_id: 3, nodes: [], links: [] };
	it.each<[what: string, graph: unknown, fault: object]>([
		['the editor’s format', ui, { fault: 'ui_format' }],
		['the editor’s format in a wrapper', { workflow: ui }, { fault: 'ui_format' }],
		['half a text', '{', NO_JSON],
		['a list', '[]', NO_GRAPH],
		['an empty object', '{}', NO_GRAPH],
		['null', 'null', NO_GRAPH],
		['a node without a class', '{"1": {"inputs": {}}}', NO_GRAPH],
		['a node without inputs', '{"1": {"class_type": "A"}}', NO_GRAPH],
		['a long number', SEED, NO_GRAPH],
		['a long number for a node', `{"1": ${SEED}}`, NO_GRAPH],
		['a long number for inputs', sampler(SEED), NO_GRAPH],
		['a long number in endless lists', `{"1": ${'['.repeat(100_000)}${SEED}${']'.repeat(100_000)}}`, NO_JSON],
		['an input that nests without end', sampler(`{"x":${nested('[', ']')}}`), { ...NO_GRAPH, ...TOO_DEEP }],
		['wrappers that nest without end', nested('{"prompt":', '}'), { ...NO_GRAPH, ...TOO_DEEP }],
	])('refuses %s', (_, value, fault) => {
		expect(faultOf(() => parseGraph(value))).toEqual(fault);
	});
});

describe('applyInputs', () => {
	it('sets values by id first, then by title, and does not change the given graph', () => {
		const odd = { ...graph, '9': node('A', '2', { text: 'z' }) };
		const before = structuredClone(odd);
		const reference = { __type: 'core/ASSET', info: { id: 'a' } };
		const changed = applyInputs(odd, { '2': { text: 'fox' }, Picture: { image: reference } });
		expect([1, 2, 9].map((id) => changed[id]?.inputs)).toEqual([{ image: reference }, { text: 'fox', clip: ['4', 1] }, { text: 'z' }]);
		expect(odd).toEqual(before);
	});

	it('sets both values of a node that is named by its id and by its title', () => {
		const two = {
			'4': node('KSampler', 'Sampler', { seed: 1, steps: 20 }),
			'5': node('KSampler', 'Again', { seed: 2, steps: 30 }),
		};
		const changed = applyInputs(two, { '4': { seed: 7 }, Sampler: { steps: 8 }, Again: { seed: 9 }, '5': { steps: 10 } });
		expect([changed['4']?.inputs, changed['5']?.inputs]).toEqual([
			{ seed: 7, steps: 8 },
			{ seed: 9, steps: 10 },
		]);
	});

	it.each([
		['a node that is not there', 'Promt', { text: 'x' }, { fault: 'unknown_node', known: ['1 (Picture)', '2 (Prompt)', '3 (Prompt)'] }],
		['a title that several nodes have', 'Prompt', { text: 'x' }, { fault: 'ambiguous_title', ids: ['2', '3'] }],
		// The job would be billed with the old value.
		[
			'an input that the node does not have',
			'2',
			{ text: 'y', txt: 'x' },
			{ fault: 'unknown_input', input: 'txt', known: ['text', 'clip'] },
		],
	])('refuses %s', (_, named, values, fault) => {
		expect(faultOf(() => applyInputs(graph, { [named]: values }))).toEqual({ ...fault, node: named });
	});
});

describe('parseInputValues', () => {
	it.each([[undefined], [''], ['{}'], [{}]])('takes %j as none', (input) => {
		expect(parseInputValues(input)).toEqual({});
	});

	it.each([['{'], ['[]'], ['{"6": "text"}'], [5]])('refuses %j', (input) => {
		expect(faultOf(() => parseInputValues(input))).toMatchObject({ fault: 'bad_values' });
	});

	it('refuses a value that nests without end', () => {
		expect(faultOf(() => parseInputValues(`{"1":{"x":${nested('[', ']')}}}`))).toEqual({ fault: 'bad_values', ...TOO_DEEP });
	});
});

describe('numbers that a double cannot hold', () => {
	const sent = (text: string, values = '{}'): unknown => jsonBody(applyInputs(parseGraph(text), parseInputValues(values))).body;

	test.each([SEED, '-9007199254740993', '12345678901234567890', '0.1234567890123456789012', '1e999', '-1E-999'])(
		'D10: %s goes out as it came, in a graph and in input values',
		(number) => {
			const text = sampler(`{"seed":${number},"list":[${number},{"deep":${number}}],"text":"${number}"}`);
			expect(sent(text)).toBe(text);
			expect(sent(`\uFEFF{"prompt": ${text}}`)).toBe(text);
			expect(sent(sampler('{"seed":1}'), `{"1": {"seed": ${number}}}`)).toBe(sampler(`{"seed":${number}}`));
		},
	);

	test('a number that has lost digits in the second node is refused with its place', () => {
		const lost = { class_type: 'KSampler', inputs: { seed: 1, list: [1, { deep: 18446744073709552000 }] } };
		const facts = { fault: 'lost_digits', id: '2', name: 'KSampler', input: 'list > 1 > deep', left: '18446744073709552000' };
		expect(faultOf(() => checkDigits({ ...parseGraph(sampler('{"seed":1}')), '2': lost }))).toEqual(facts);
	});

	test.each(['9007199254740991', '0.1', '1e-7', '-5'])('%s is a number', (number) => {
		expect(parseGraph(sampler(`{"n":${number}, "long": ${SEED}}`))['1']?.inputs.n).toBe(Number(number));
	});

	test('D10: the last of two equal names counts, also beside long numbers', () => {
		expect(sent(sampler(`{"seed":${SEED},"a":1,"a":2}`))).toBe(sampler(`{"seed":${SEED},"a":2}`));
	});
});

test('a graph of 10 MB is listed, searched and refused without delay or overflow', () => {
	const text = { string_b: 'b'.repeat(200), delimiter: ' ' };
	const joining = (at: number) => node('StringConcatenate', `Join ${at}`, { string_a: at === 0 ? 'a' : [String(at - 1), 0], ...text });
	const chain = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [String(at), joining(at)]));
	const large: ApiGraph = { ...chain, last: node('CLIPTextEncode', 'Prompt', { text: ['29999', 0], note: 'x'.repeat(1_000_000) }) };
	const began = cpuMs();
	expect(listInputs(large).filter(({ role }) => role === 'prompt').length).toBe(30_001);
	expect(findInput(large, '29999.string_b').role).toBe('prompt');
	expect(faultOf(() => findInput(large, 'y'.repeat(1_000_000)))).toMatchObject({ fault: 'no_such_input' });
	// It takes a second or two. With quadratic growth, it would take minutes.
	expect(cpuMs() - began).toBeLessThan(30_000);
}, 60_000);
