import { applyInputs, type GraphError, parseGraph, parseInputValues } from '../../../client';
import { jsonBody } from '../../../client/api';

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
	const faultOf = (text: string) => {
		try {
			parseGraph(text);
		} catch (error) {
			return (error as GraphError).facts.fault;
		}
		return undefined;
	};
	expect(faultOf(`{"1": ${SEED}}`)).toBe('not_a_graph');
	expect(faultOf(graph(SEED))).toBe('not_a_graph');
	expect(faultOf(SEED)).toBe('not_a_graph');
	expect(faultOf(`{"1": ${'['.repeat(100_000)}${SEED}${']'.repeat(100_000)}}`)).toBe('not_json');
});
