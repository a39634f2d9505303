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

test.each([
	['90', 90_000],
	['1800', 1_800_000],
])('D12: %j, more than a minute, is obeyed', (header, expected) => expect(parseRetryAfter(header, NOW)).toBe(expected));

test.each([['7200'], ['Thu, 05 Mar 2026 05:06:07 GMT']])('D12: %j is cut to one hour', (header) => {
	expect(parseRetryAfter(header, NOW)).toBe(3_600_000);
});

test.each([[undefined], [''], ['soon'], ['-5'], ['1e3'], ['5 s']])('%j says nothing', (header) => {
	expect(parseRetryAfter(header, NOW)).toBeUndefined();
});
