import { ApiError, ConnectionError, StoppedError } from '../../../client';
import { isTransient, isUnheard, retry } from '../../../client/transport/retry';
import { failureOf } from '../support/bytes';

const refusal = (status: number, retryAfterMs?: number) =>
	new ApiError({ interface: 'v2', code: 'x', status, message: 'no', ...(retryAfterMs !== undefined && { retryAfterMs }) });
const trouble = (kind: ConnectionError['trouble'], mayHaveArrived = false) =>
	new ConnectionError({ trouble: kind, origin: 'http://127.0.0.1', mayHaveArrived, message: kind });

test('gives the first success', async () => {
	const outcomes = [trouble('lost', true), refusal(503), undefined];
	const attempt = jest.fn(() => {
		const failure = outcomes.shift();
		return failure ? Promise.reject(failure) : Promise.resolve('done');
	});
	await expect(retry(attempt, { budgetMs: 10_000 })).resolves.toBe('done');
	expect(attempt).toHaveBeenCalledTimes(3);
});

test('a final failure is not repeated', async () => {
	const attempt = jest.fn(() => Promise.reject(refusal(403)));
	await expect(retry(attempt, { budgetMs: 10_000 })).rejects.toMatchObject({ status: 403 });
	expect(attempt).toHaveBeenCalledTimes(1);
});

test('the last pause is cut to what remains, then the failure is thrown', async () => {
	const attempt = jest.fn(() => Promise.reject(refusal(429, 60_000)));
	await expect(retry(attempt, { budgetMs: 1_000 })).rejects.toMatchObject({ status: 429 });
	expect(attempt).toHaveBeenCalledTimes(2);
});

test('a budget of nothing is one attempt', async () => {
	const attempt = jest.fn(() => Promise.reject(refusal(500)));
	await failureOf(retry(attempt, { budgetMs: 0 }));
	expect(attempt).toHaveBeenCalledTimes(1);
});

test('a budget may start at the first failure', async () => {
	const attempt = jest.fn(async () => {
		await new Promise((resolve) => setTimeout(resolve, 150));
		throw refusal(500, 1_000);
	});
	await failureOf(retry(attempt, { budgetMs: 100, budgetStarts: 'at_first_failure' }));
	expect(attempt).toHaveBeenCalledTimes(2);
});

test('a signal ends the pause at once', async () => {
	const controller = new AbortController();
	setTimeout(() => controller.abort(), 50);
	const failure = await failureOf(retry(() => Promise.reject(refusal(500, 60_000)), { budgetMs: 90_000, signal: controller.signal }));
	expect(failure).toBeInstanceOf(StoppedError);
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
])('%s: transient %s, unheard %s', (error, transient, unheard) => {
	expect([isTransient(error), isUnheard(error)]).toEqual([transient, unheard]);
});

describe('silence at the first attempt, which takes up the whole budget', () => {
	const silentFirst = (budgetMs: number) => {
		const attempt = jest.fn(async () => {
			if (attempt.mock.calls.length > 1) return 'done';
			await new Promise((resolve) => setTimeout(resolve, 60));
			throw trouble('timeout', true);
		});
		return { attempt, outcome: retry(attempt, { budgetMs }) };
	};

	it('is followed by another: the connection may have died unseen', async () => {
		await expect(silentFirst(50).outcome).resolves.toBe('done');
	});

	it('is the only one where one is all that was wanted', async () => {
		const { attempt, outcome } = silentFirst(0);
		await expect(outcome).rejects.toMatchObject({ trouble: 'timeout' });
		expect(attempt).toHaveBeenCalledTimes(1);
	});
});

test('silence again ends it', async () => {
	const attempt = jest.fn(async () => {
		await new Promise((resolve) => setTimeout(resolve, 60));
		throw trouble('timeout', true);
	});
	await failureOf(retry(attempt, { budgetMs: 50 }));
	expect(attempt).toHaveBeenCalledTimes(2);
});
