import { ApiError, ConnectionError, StoppedError, UnreadableAnswerError } from '../../../client';
import { hasNoEffect, isGateway404, isTransient, mayPass } from '../../../client/contact/failures';
import { POLICIES } from '../../../client/contact/policy';
import { readUntilFinal, retry, RetrySeries } from '../../../client/contact/retry';
import { failureOf } from '../support/bytes';
import { parseRetryAfter } from '../../../client/transport/response';
import { withGrace } from '../../../client/async/grace';
import { until } from '../../support/until';

const refusal = (status: number, retryAfterMs?: number) =>
	new ApiError({ interface: 'v2', code: 'x', status, message: 'no', ...(retryAfterMs !== undefined && { retryAfterMs }) });
const trouble = (kind: ConnectionError['trouble'], mayHaveArrived = false) =>
	new ConnectionError({ trouble: kind, origin: 'http://127.0.0.1', mayHaveArrived, message: kind });

test('a budget can start at the first failure', async () => {
	const attempt = jest.fn(async () => {
		await new Promise((resolve) => setTimeout(resolve, 150));
		throw refusal(500, 1_000);
	});
	await failureOf(retry(attempt, { policy: { ...POLICIES.read, budgetMs: 100 }, budgetStarts: 'at_first_failure' }));
	expect(attempt).toHaveBeenCalledTimes(2);
});

test.each([
	[refusal(429), true, true],
	[refusal(500), true, false],
	[refusal(503), true, false],
	[refusal(501), false, false],
	[refusal(404), false, false],
	[trouble('refused'), true, true],
	[trouble('lost', true), true, false],
	[trouble('timeout'), true, true],
	[trouble('tls'), false, false],
	[trouble('blocked'), false, false],
	[trouble('invalid_address'), false, false],
	[new StoppedError(), false, false],
	[new Error('a mistake'), false, false],
])('%s is transient (%s) and surely not received (%s)', (error, transient, unheard) => {
	expect([isTransient(error), hasNoEffect(error)]).toEqual([transient, unheard]);
});

describe('the pauses of a feed', () => {
	const unreadable = (status: number) => new UnreadableAnswerError({ status, contentType: null, reason: 'html', address: '' });

	const next = (series: RetrySeries, error: Error, lastedMs?: number): number =>
		series.pauseMsAfter(error, { lastedMs, mayHelp: mayPass(error) && !isGateway404(error) });

	/** Within a quarter of it. */
	const around = (milliseconds: number, actual: number): void => {
		expect(actual).toBeGreaterThanOrEqual(milliseconds * 0.75);
		expect(actual).toBeLessThanOrEqual(milliseconds * 1.25);
	};

	test('the pause of a feed starts over after a connection that lasted', () => {
		const series = new RetrySeries({ policy: POLICIES.socket });
		for (let failure = 0; failure < 5; failure++) next(series, trouble('lost'), 9_999);
		around(32_000, next(series, trouble('lost'), 9_999));
		expect(next(series, trouble('lost'), 10_000)).toBeLessThanOrEqual(1_000);
		around(1_000, next(series, trouble('refused')));
	});

	test.each<[string, Error]>([
		['a wrong key', refusal(401)],
		['an address that is no socket', unreadable(200)],
		['an address that must not be called', trouble('blocked')],
	])('a feed retries slowly after %s, and soon after it is gone', (_what, error) => {
		const series = new RetrySeries({ policy: POLICIES.socket });
		for (let failure = 0; failure < 3; failure++) around(300_000, next(series, error));
		around(1_000, next(series, trouble('refused')));
	});

	test.each<[string, Error]>([
		['a front without a service behind it', unreadable(502)],
		['a certificate that may be renewed', trouble('tls')],
	])('a feed retries soon after %s', (_what, error) => around(1_000, next(new RetrySeries({ policy: POLICIES.socket }), error)));

	test('a feed waits as long as the service asks for', () => {
		const series = new RetrySeries({ policy: POLICIES.socket });
		expect(next(series, refusal(503, 20_000))).toBe(20_000);
		around(2_000, next(series, refusal(503, 1_000)));
	});
});

describe('a read that a service shows late', () => {
	test.each([
		[2, [1, 2]],
		[9, [1, 2, 3]],
	])('is repeated until it is final (%d) or its pauses are over', async (final, expected) => {
		const reads: number[] = [];
		const read = async (): Promise<number> => await Promise.resolve(reads.push(reads.length + 1));
		await expect(readUntilFinal([1, 1], read, (count) => count === final)).resolves.toBe(expected.at(-1));
		expect(reads).toEqual(expected);
	});

	test.each([0, 1])('ends with a stop by either of two signals (%d)', async (nth) => {
		const stops = [new AbortController(), new AbortController()];
		const read = jest.fn(async () => await Promise.resolve(stops[nth]?.abort()));
		const signals = stops.map(({ signal }) => signal);
		expect(await failureOf(readUntilFinal([60_000], read, () => false, ...signals))).toBeInstanceOf(StoppedError);
		expect(read).toHaveBeenCalledTimes(1);
	});
});

describe('Retry-After', () => {
	const NOW = Date.parse('2026-03-04T05:06:07Z');

	test.each([
		['7', 7_000],
		['1.5', 1_500],
		[' 3 ', 3_000],
		['Wed, 04 Mar 2026 05:06:17 GMT', 10_000],
	])('a Retry-After of %j is %d ms', (header, expected) => expect(parseRetryAfter(header, NOW)).toBe(expected));

	test.each([
		['0', 1_000],
		['Wed, 04 Mar 2026 05:00:00 GMT', 1_000],
		['1800', 1_800_000],
		['7200', 3_600_000],
	])('D12: a Retry-After of %j is raised to one second, or cut to one hour, but obeyed beyond a minute', (header, expected) =>
		expect(parseRetryAfter(header, NOW)).toBe(expected),
	);

	test.each([undefined, '', 'soon', '-5', '1e3', '5 s'])('a Retry-After of %j is ignored', (header) => {
		expect(parseRetryAfter(header, NOW)).toBeUndefined();
	});
});

describe('the grace after a stop', () => {
	test('work in its grace period learns of a stop when the period is over', async () => {
		const stop = new AbortController();
		const told: boolean[] = [];
		const work = withGrace(stop.signal, 50, async (later) => {
			stop.abort();
			told.push(later.aborted);
			await until(() => later.aborted);
		});
		await work;
		expect(told).toEqual([false]);
	});
});
