import { drawPrompt } from '../../../../../client/graph/convert/widgets';

const first = (): number => 0;
const last = (count: number): number => count - 1;

describe('dynamic prompts', () => {
	it.each([
		// What frontend 1.49.6 exports of a CLIPTextEncode with each text, its draws fixed.
		['a {red|blue} car', first, 'a red car'],
		['a {red|blue} car', last, 'a blue car'],
		['{a|{b|c}} d', first, 'a d'],
		['{a|{b|c}} d', last, 'c d'],
		['{a|b}{c|d}', first, 'ac'],
		['{a|b}{c|d}', last, 'bd'],
		['\\{a|b\\} c', first, '{a|b} c'],
		['\\{a|b\\} c', last, '{a|b} c'],
		['{a\\|b|c}', first, 'a|b'],
		['{a\\|b|c}', last, 'c'],
		['{a\\}|c} d', first, 'a} d'],
		['{a\\}|c} d', last, 'c d'],
		['a // note\nb', first, 'a \nb'],
		['a // note\nb', last, 'a \nb'],
		['a /* x | { */ b', first, 'a  b'],
		['a /* x | { */ b', last, 'a  b'],
		['a {b|c', first, 'a b'],
		['a {b|c', last, 'a c'],
		['a } b | c', first, 'a } b | c'],
		['a } b | c', last, 'a } b | c'],
		['a {} b', first, 'a  b'],
		['a {} b', last, 'a  b'],
		['(a\\:1.2) \\n', first, '(a\\:1.2) \\n'],
		['(a\\:1.2) \\n', last, '(a\\:1.2) \\n'],
		['a {b /* c */|d}', first, 'a b '],
		['a {b /* c */|d}', last, 'a d'],
		['{{{a}}}', first, 'a'],
		['{{{a}}}', last, 'a'],
		['{a|b|}', first, 'a'],
		['{a|b|}', last, ''],
		['x\\\\{a|b}', first, 'x\\\\a'],
		['x\\\\{a|b}', last, 'x\\\\b'],
		['{\\{a|b\\}}', first, '{a'],
		['{\\{a|b\\}}', last, 'b}'],
		['http://x.y/z {a|b}', first, 'http:'],
		['http://x.y/z {a|b}', last, 'http:'],
		['{a|{b|{c|d}e}f}g', first, 'ag'],
		['{a|{b|{c|d}e}f}g', last, 'defg'],
	])('%j, %p: %j', (text, choose, drawn) => {
		expect(drawPrompt(text, choose)).toBe(drawn);
	});

	it('keeps a backslash at the end', () => {
		expect(drawPrompt('a \\', first)).toBe('a \\');
	});

	it('asks once for each block that is taken, with its number of choices', () => {
		const counts: number[] = [];
		drawPrompt('{a|{b|c|d}} {e|f}', (count) => (counts.push(count), count - 1));
		expect(counts).toEqual([2, 3, 2]);
	});

	it('ends for a text of nothing but braces', () => {
		expect(drawPrompt('{'.repeat(999_999), first)).toBe('{'.repeat(999_949));
		expect(drawPrompt('{'.repeat(1_000_001), first)).toHaveLength(1_000_001);
	});
});
