import { mayHoldLongNumbers } from '../../../client/json/exactJson';
import { parseJson } from '../../../client/transport/parseJson';

test('NaN and Infinity, as Python writes them, are read as null', () => {
	expect(parseJson('{"is_changed": [NaN], "far": Infinity, "near": -Infinity, "one": 1}')).toEqual({
		is_changed: [null],
		far: null,
		near: null,
		one: 1,
	});
});

test('NaN and Infinity inside a text stay', () => {
	expect(parseJson('{"a": NaN, "NaN": "NaN, \\"Infinity\\" and -Infinity\\\\"}')).toEqual({
		a: null,
		NaN: 'NaN, "Infinity" and -Infinity\\',
	});
	expect(parseJson('"NaN"')).toBe('NaN');
});

test.each(['', '{"a": NaN', 'NaN!', 'Infinity and beyond', '{"a": "NaN}'])('invalid JSON is refused: %p', (text) => {
	expect(() => parseJson(text)).toThrow(SyntaxError);
});

test.each(['9007199254740993', '18446744073709551615', '-12345678901234567890', '0.1234567890123456789012', '1e999', '-1e999', '1e-400'])(
	'D10: the number %s, which no double holds, is read as text',
	(number) => {
		expect(parseJson(`{"n": [${number}], "text": "${number}"}`)).toEqual({ n: [number], text: number });
		expect(parseJson(`{"n": ${number}, "none": NaN}`)).toEqual({ n: number, none: null });
	},
);

test.each([
	'0',
	'-0.0',
	'1.0',
	'1E+2',
	'9007199254740991',
	'0.1',
	'0.10000000000000001',
	'0.30000000000000004',
	'1.7976931348623157e+308',
	'5e-324',
	'2128827827057133.2',
	'1732233600.1234567',
])('the number %s, which a double holds, stays a number', (number) => {
	expect(parseJson(`[${number}, 12345678901234567890]`)).toEqual([Number(number), '12345678901234567890']);
});

test('every double is read as itself in each notation', () => {
	const bytes = new DataView(new ArrayBuffer(8));
	const wrong: string[] = [];
	for (let round = 0; round < 20_000; round++) {
		bytes.setUint32(0, Math.imul(round, 2_654_435_761));
		bytes.setUint32(4, Math.imul(round, 40_503));
		const double = bytes.getFloat64(0);
		if (!Number.isFinite(double) || Number.isInteger(double)) continue;
		for (const written of [String(double), double.toPrecision(17), double.toExponential(16)])
			if (!Object.is((parseJson(`[${written}]`) as unknown[])[0], double)) wrong.push(written);
	}
	expect(wrong).toEqual([]);
});

test('D10: long numbers beside long texts and deep lists are read', () => {
	const long = 'a\\n"\\\\'.repeat(1_000_000);
	expect(parseJson(`{"long": ${JSON.stringify(long)}, "none": NaN, "n": 18446744073709551615}`)).toEqual({
		long,
		none: null,
		n: '18446744073709551615',
	});
	const levels = 5_000;
	let inner = parseJson('['.repeat(levels) + '18446744073709551615' + ']'.repeat(levels));
	while (Array.isArray(inner)) inner = inner[0] as unknown;
	expect(inner).toBe('18446744073709551615');
});

describe('a closer look at numbers is taken', () => {
	const LONG = '18446744073709551615';

	it.each([
		`[${LONG}]`,
		`{"n":${LONG}}`,
		`{"n": ${LONG}}`,
		`[1,${LONG}]`,
		`[1,\n\t-${LONG}]`,
		`[${LONG}\n]`,
		LONG,
		`-${LONG}`,
		` ${LONG}`,
		'1e999',
		'[1.5E-400]',
	])('a closer look is taken wherever a long number may stand: %s', (text) => {
		expect(mayHoldLongNumbers(text)).toBe(true);
		expect(JSON.stringify(parseJson(text))).toMatch(/"-?[\d.]+(E-400|e999)?"/);
	});

	it.each(['{"id":"c2383e27-8663-5627-869c-d539ee4a2721"}', '["1234567890123456789"]', '{"12345678901234567890":1}', '[0.5,1e5]'])(
		'no closer look is taken at the ids and texts of a frame: %s',
		(text) => expect(mayHoldLongNumbers(text)).toBe(false),
	);
});
