import { resolveDynamicPrompt } from '../../../../../client/graph/convert/widgets/dynamicPrompts';

const first = (): number => 0;
const last = (count: number): number => count - 1;

describe('dynamic prompts', () => {
	it.each([
		// The exports of frontend 1.49.6 for a CLIPTextEncode with each text, with fixed choices.
		['a {red|blue} car', 'a red car', 'a blue car'],
		['{a|{b|c}} d', 'a d', 'c d'],
		['{a|b}{c|d}', 'ac', 'bd'],
		['\\{a|b\\} c', '{a|b} c', '{a|b} c'],
		['{a\\|b|c}', 'a|b', 'c'],
		['{a\\}|c} d', 'a} d', 'c d'],
		['a // note\nb', 'a \nb', 'a \nb'],
		['a /* x | { */ b', 'a  b', 'a  b'],
		['a {b|c', 'a b', 'a c'],
		['a } b | c', 'a } b | c', 'a } b | c'],
		['a {} b', 'a  b', 'a  b'],
		['(a\\:1.2) \\n', '(a\\:1.2) \\n', '(a\\:1.2) \\n'],
		['a {b /* c */|d}', 'a b ', 'a d'],
		['{{{a}}}', 'a', 'a'],
		['{a|b|}', 'a', ''],
		['x\\\\{a|b}', 'x\\\\a', 'x\\\\b'],
		['{\\{a|b\\}}', '{a', 'b}'],
		['http://x.y/z {a|b}', 'http:', 'http:'],
		['{a|{b|{c|d}e}f}g', 'ag', 'defg'],
		['a \\', 'a \\', 'a \\'],
	])('%j becomes %j with the first choices, and %j with the last', (text, ...drawn) => {
		expect([first, last].map((choose) => resolveDynamicPrompt(text, choose))).toEqual(drawn);
	});

	it('calls the function once for each block that it resolves, with the number of choices', () => {
		const counts: number[] = [];
		resolveDynamicPrompt('{a|{b|c|d}} {e|f}', (count) => (counts.push(count), count - 1));
		expect(counts).toEqual([2, 3, 2]);
	});

	it('ends for a text of nothing but braces', () => {
		expect(resolveDynamicPrompt('{'.repeat(999_999), first)).toBe('{'.repeat(999_949));
		expect(resolveDynamicPrompt('{'.repeat(1_000_001), first)).toHaveLength(1_000_001);
	});
});
