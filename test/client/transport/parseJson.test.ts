import { parseJson } from '../../../client/transport/parseJson';

test('what Python writes for numbers that are none reads as null', () => {
	expect(parseJson('{"is_changed": [NaN], "far": Infinity, "near": -Infinity, "one": 1}')).toEqual({ is_changed: [null], far: null, near: null, one: 1 });
});

test('the same letters in a text stay', () => {
	expect(parseJson('{"a": NaN, "NaN": "NaN, \\"Infinity\\" and -Infinity\\\\"}')).toEqual({ a: null, NaN: 'NaN, "Infinity" and -Infinity\\' });
	expect(parseJson('"NaN"')).toBe('NaN');
});

test('long texts beside them are read', () => {
	const long = 'a\\n"'.repeat(1_000_000);
	expect(parseJson(`{"n": NaN, "long": ${JSON.stringify(long)}}`)).toEqual({ n: null, long });
});

test.each(['', '{"a": NaN', 'NaN!', 'Infinity and beyond', '{"a": "NaN}'])('what is no JSON is none: %p', (text) => {
	expect(() => parseJson(text)).toThrow(SyntaxError);
});
