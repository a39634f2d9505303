import { ApiError, ConnectionError, UnreadableAnswerError } from '../../../client';
import { confirmLimitMs, decideRetry, type FailedAttempt, growingPauseMs, POLICIES } from '../../../client/contact/policy';

const answer = (status: number, retryAfterMs?: number) => new ApiError({ interface: 'v2', code: 'x', status, message: 'no', retryAfterMs });
const noAnswer = (trouble: ConnectionError['trouble'], mayHaveArrived = false) =>
	new ConnectionError({ trouble, origin: 'http://127.0.0.1', mayHaveArrived, message: trouble });
const page = (status: number) =>
	new UnreadableAnswerError({ status, contentType: 'text/html', reason: 'html', address: 'http://127.0.0.1/' });

const NO_SPREAD = 0.5;
const decide = (use: keyof typeof POLICIES, attempt: Partial<FailedAttempt>) =>
	decideRetry(POLICIES[use], { error: answer(500), failures: 1, leftMs: 30_000, random: NO_SPREAD, ...attempt });
const retryIn = (inMs: number) => ({ kind: 'retry', inMs });
const giveUp = (because: string) => ({ kind: 'giveUp', because });

describe('the policy of a read', () => {
	test.each<[string, Partial<FailedAttempt>, object]>([
		['pauses 250 ms after the first failure', {}, retryIn(250)],
		['doubles the pause with each failure', { failures: 4 }, retryIn(2_000)],
		['never pauses longer than 8 s', { failures: 12 }, retryIn(8_000)],
		['pauses as long as the service asks', { error: answer(429, 3_000), failures: 4 }, retryIn(3_000)],
		['spreads the pause downwards', { random: 0 }, retryIn(187.5)],
		['spreads the pause upwards', { random: 1 }, retryIn(312.5)],
		['cuts the last pause to the rest of the budget', { failures: 6, leftMs: 700 }, retryIn(700)],
		['gives up when the budget is over', { leftMs: 0 }, giveUp('budget')],
		['allows a second attempt after a first timeout that used the budget', { error: noAnswer('timeout'), leftMs: -5 }, retryIn(0)],
		['allows no third attempt then', { error: noAnswer('timeout'), failures: 2, leftMs: -5 }, giveUp('budget')],
		['gives up after an error that lasts', { error: answer(403) }, giveUp('lasting')],
		['gives up after a web page with status 200', { error: page(200) }, giveUp('lasting')],
		['repeats what its caller says may help', { error: page(404), mayHelp: true }, retryIn(250)],
		['gives up what its caller says cannot help', { mayHelp: false }, giveUp('lasting')],
		[
			'repeats beyond its budget while the server may be silent',
			{ error: noAnswer('refused'), leftMs: -1, silentLeftMs: 100_000 },
			retryIn(250),
		],
		['gives up when the server was silent for too long', { error: noAnswer('refused'), silentLeftMs: 0 }, giveUp('silence')],
		['cuts the last pause to the rest of the silence', { error: noAnswer('refused'), failures: 9, silentLeftMs: 40 }, retryIn(40)],
		[
			'starts no attempt that would end after the silence',
			{ error: noAnswer('timeout'), failures: 3, silentLeftMs: 900 },
			giveUp('silence'),
		],
	])('%s', (_name, attempt, expected) => expect(decide('read', attempt)).toEqual(expected));
});

describe('the policy of each loop without an end', () => {
	test.each(['socket', 'trigger', 'search', 'stream', 'resume', 'fullService'] as const)('%s never ends by itself', (use) => {
		expect(decide(use, { failures: 500, leftMs: Infinity })).toMatchObject({ kind: 'retry' });
		expect(POLICIES[use].budgetMs).toBe(Infinity);
	});

	test.each(['socket', 'trigger', 'search'] as const)('%s tries again after five minutes if the error lasts', (use) => {
		expect(decide(use, { error: answer(401), failures: 3, leftMs: Infinity })).toEqual(retryIn(300_000));
	});

	test.each<[keyof typeof POLICIES, number[]]>([
		['socket', [1_000, 2_000, 4_000, 32_000, 60_000]],
		['trigger', [1_000, 2_000, 4_000, 32_000, 60_000]],
		['search', [10_000, 10_000, 10_000, 10_000, 10_000]],
		['stream', [100, 200, 400, 3_200, 5_000]],
		['resume', [100, 200, 400, 1_600, 1_600]],
	])('%s pauses %j ms after 1, 2, 3, 6 and 9 failures', (use, pauses) => {
		expect([1, 2, 3, 6, 9].map((failures) => growingPauseMs(POLICIES[use], failures, NO_SPREAD))).toEqual(pauses);
	});

	test('a loop never pauses less than its own pause, however little the service asks for', () => {
		expect(decide('socket', { error: answer(503, 0), failures: 4, leftMs: Infinity })).toEqual(retryIn(8_000));
	});
});

describe('the time to confirm a submission', () => {
	const limits = { waitMs: 60_000, lostLimitMs: 300_000 };

	test.each<[string, unknown, object, number]>([
		['is a minute if the service answered 500', answer(500), limits, 60_000],
		['is a minute if a gateway answered 502', page(502), limits, 60_000],
		['is the time for a server that is still starting, if that is longer', answer(503), { ...limits, waitMs: 600_000 }, 600_000],
		['is the limit for a lost server if the answer was lost', noAnswer('lost', true), limits, 300_000],
		['is the limit for a lost server after a web page of success', page(200), limits, 300_000],
		['is the limit for a lost server if an earlier try sent it', undefined, limits, 300_000],
		['has no limit if a server is never lost', noAnswer('timeout', true), { ...limits, lostLimitMs: Infinity }, Infinity],
	])('%s', (_name, error, chosen, expected) => expect(confirmLimitMs(error, chosen as typeof limits)).toBe(expected));
});
