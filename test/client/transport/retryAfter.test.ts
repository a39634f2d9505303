import { parseRetryAfter } from '../../../client/transport/retryAfter';

const NOW = Date.parse('2026-03-04T05:06:07Z');

test.each([
	['7', 7_000],
	['1.5', 1_500],
	[' 3 ', 3_000],
	['Wed, 04 Mar 2026 05:06:17 GMT', 10_000],
])('%j is %d ms', (header, expected) => expect(parseRetryAfter(header, NOW)).toBe(expected));

test.each([['0'], ['0.2'], ['Wed, 04 Mar 2026 05:00:00 GMT']])('%j is raised to one second', (header) => {
	expect(parseRetryAfter(header, NOW)).toBe(1_000);
});

test.each([['3600'], ['Thu, 05 Mar 2026 05:06:07 GMT']])('%j is cut to one minute', (header) => {
	expect(parseRetryAfter(header, NOW)).toBe(60_000);
});

test.each([[undefined], [''], ['soon'], ['-5'], ['1e3'], ['5 s']])('%j says nothing', (header) => {
	expect(parseRetryAfter(header, NOW)).toBeUndefined();
});
