import { type ApiGraph, findInput, inputsOf } from '../../../client';
import { cpuMs } from '../../support/cpuTime';
import * as graphs from '../../support/graphs';
import { faultOf } from './support';

test('a graph of 10 MB is listed, searched and refused without delay or overflow', () => {
	const chain = Object.fromEntries(
		Array.from({ length: 30_000 }, (_, index) => [
			String(index),
			graphs.node('StringConcatenate', `Join ${index}`, {
				string_a: index === 0 ? 'a' : [String(index - 1), 0],
				string_b: 'b'.repeat(200),
				delimiter: ' ',
			}),
		]),
	);
	const graph: ApiGraph = { ...chain, last: graphs.node('CLIPTextEncode', 'Prompt', { text: ['29999', 0], note: 'x'.repeat(1_000_000) }) };
	const began = cpuMs();
	expect(inputsOf(graph).filter(({ role }) => role === 'prompt').length).toBe(30_001);
	expect(findInput(graph, '29999.string_b').role).toBe('prompt');
	expect(faultOf(() => findInput(graph, 'y'.repeat(1_000_000)))).toMatchObject({ fault: 'no_such_input' });
	// A second or two; what grows with the square would be minutes.
	expect(cpuMs() - began).toBeLessThan(30_000);
}, 60_000);
