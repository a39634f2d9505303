import { ApiError, StoppedError, UnknownOutcomeError } from '../../../client';
import { ServerContact } from '../../../client/contact/serverContact';
import { failureOf } from '../support/bytes';
import { deadOrigin } from '../support/deadOrigin';
import { type Answer } from '../support/server';
import { raw } from '../support/answering';
import { pausesOf } from '../support/pauses';
import { cut, finished, KEY, lost, refusal, run, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const after = (seconds: number) => ({ headers: { 'retry-after': String(seconds) } });
const wait = { maxWaitMs: 60_000 };

const RETRIED: Array<[row: string, answer: Answer, mayHaveRun: boolean]> = [
	['409 concurrency_limit_exceeded with Retry-After collects the running call', refusal(409, 'concurrency_limit_exceeded', after(2)), true],
	['504 deadline_exceeded with Retry-After collects', refusal(504, 'deadline_exceeded', after(2)), true],
	['504 deadline_exceeded without a time', refusal(504, 'deadline_exceeded'), true],
	['504 provider_timeout', refusal(504, 'provider_timeout'), true],
	['502 provider_error', refusal(502, 'provider_error'), true],
	['500 internal_error', refusal(500, 'internal_error'), true],
	['599 of a bucket of tomorrow', refusal(599, 'bucket_of_tomorrow'), true],
	["502, a gateway's page", raw(502, 'text/html', '<html></html>'), true],
	['no response: lost after it was sent', lost, true],
	['no response: cut in the middle', cut, true],
	['503 with Retry-After is a refusal for want of capacity', refusal(503, 'service_unavailable', after(2)), false],
	['503 without', refusal(503, 'service_unavailable'), true],
	['429 concurrency_limit_exceeded', refusal(429, 'concurrency_limit_exceeded'), false],
	['429 rate_limited with Retry-After', refusal(429, 'rate_limited', after(2)), false],
	['429 rate_limited without', refusal(429, 'rate_limited'), false],
	['429 queue_backlog_full', refusal(429, 'queue_backlog_full'), false],
];

test.each(RETRIED)('%s: sent again with the same key, body and query', async (_row, answer, mayHaveRun) => {
	const query = { strict_mode: 'true', model_provider: 'lab' };
	await expect(run(answers.answering(answer, answer, finished()), { ...wait, query })).resolves.toMatchObject({
		output: { value: { done: true } },
		facts: { idempotency_key: KEY },
	});
	expect(answers.calls()).toEqual(Array(3).fill('POST /v2/models/lab/open?strict_mode=true&model_provider=lab'));
	expect(answers.keys()).toEqual([KEY, KEY, KEY]);
	expect(new Set(answers.server.seen.map(({ body }) => body.toString()))).toEqual(new Set(['{"prompt":"2024"}']));

	const failure = await failureOf(run(answers.answering(answer), { maxWaitMs: 20 }));
	expect(failure).toBeInstanceOf(mayHaveRun ? UnknownOutcomeError : ApiError);
	if (mayHaveRun) expect(failure).toMatchObject({ idempotencyKey: KEY, cause: expect.any(Error) });
});

/** The kinds that are final with any status. */
const FINAL = [
	'invalid_input',
	'unauthorized',
	'insufficient_credits',
	'forbidden',
	'not_enabled',
	'model_not_found',
	'content_policy_violation',
	'cancelled',
	'request_not_found',
];

test.each<[status: number, what: string, answer?: Answer]>([
	...FINAL.map((bucket): [number, string] => [500, bucket]),
	[409, 'invalid_input'],
	[418, 'bucket_of_tomorrow'],
	[300, 'with a page', raw(300, 'text/html', '<html></html>')],
])('%d %s ends the run at once, even with a Retry-After', async (status, what, answer = refusal(status, what, after(1))) => {
	await expect(run(answers.answering(answer), wait)).rejects.toMatchObject({ status, requestId: 'req-1' });
	expect(answers.calls()).toHaveLength(1);
});

describe('after a lost answer', () => {
	test.each([
		[422, 'invalid_input', true],
		[400, 'content_policy_violation', true],
		[410, 'request_not_found', true],
		[401, 'unauthorized', false],
		[402, 'insufficient_credits', false],
		[403, 'not_enabled', false],
		[404, 'model_not_found', false],
	])('%d %s says how the run ended: %s', async (status, bucket, isEnd) => {
		const refused = { code: bucket };
		const failure = await failureOf(run(answers.answering(lost, refusal(status, bucket)), wait));
		expect(failure).toMatchObject(isEnd ? { ...refused, status } : { idempotencyKey: KEY, cause: refused });
	});

	test('a refusal until the end leaves it unknown', async () => {
		await expect(run(answers.answering(lost, refusal(429, 'rate_limited')), { maxWaitMs: 60 })).rejects.toBeInstanceOf(UnknownOutcomeError);
	});
});

describe('the pause', () => {
	test.each([
		['is what Retry-After says', 30, 300],
		['is at least one second', 0, 10],
		['is more than a minute, where the router says so', 90, 900],
	])('%s', async (_name, seconds, pause) => {
		const router = answers.answering(refusal(503, 'service_unavailable', after(seconds)), finished());
		const startedAt = performance.now();
		await expect(pausesOf(async () => await run(router, wait))).resolves.toEqual([pause]);
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(pause);
	});

	test('is cut to what remains, then asked once more', async () => {
		const router = answers.answering(refusal(409, 'concurrency_limit_exceeded', after(3_600)), finished());
		const startedAt = performance.now();
		const [pause] = await pausesOf(async () => await run(router, { maxWaitMs: 1_500 }));
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_500);
		expect(pause).toBeLessThanOrEqual(1_500);
		expect(answers.calls()).toHaveLength(2);
	});
});

test('no connection at all is retried, and is no unknown outcome', async () => {
	const router = answers.open({ baseUrl: await deadOrigin() });
	await expect(run(router, { maxWaitMs: 50 })).rejects.toMatchObject({ trouble: 'refused', mayHaveArrived: false });
});

test('a server that has never answered is given up when the time for a first answer is over', async () => {
	const router = answers.open({ baseUrl: await deadOrigin(), contact: new ServerContact(100) });
	await expect(run(router, wait)).rejects.toMatchObject({ trouble: 'refused', silence: { limitMs: 100 } });
});

describe('failures that name no time', () => {
	const bounded = () => answers.open({ limits: { pauseScale: 0.01, failuresMs: 80 } });

	test.each([
		['a refusal', refusal(502, 'provider_error'), { code: 'provider_error' }],
		['what is no finished run', raw(201, 'application/json', '{}'), { status: 201 }],
	])('are not tried for as long as one waits: %s', async (_name, answer, cause) => {
		answers.answering(answer);
		const startedAt = performance.now();
		await expect(run(bounded(), wait)).rejects.toMatchObject({ idempotencyKey: KEY, cause });
		expect(performance.now() - startedAt).toBeLessThan(wait.maxWaitMs / 2);
	});

	test('are counted from zero after the router has answered differently', async () => {
		const fails = refusal(500, 'internal_error');
		answers.answering(fails, refusal(409, 'concurrency_limit_exceeded', after(12)), fails, finished());
		await expect(run(bounded(), wait)).resolves.toMatchObject({ output: { kind: 'json' } });
	});

	test.each([
		['a 503', refusal(503, 'service_unavailable')],
		['no response', lost],
		['half a result', raw(200, 'application/json', '{"done":')],
		["a gateway's page", raw(502, 'text/html', '<html></html>')],
	])('are others than %s', async (_name, answer) => {
		answers.answering(answer);
		const startedAt = performance.now();
		await failureOf(run(bounded(), { maxWaitMs: 300 }));
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
	});
});

test('all attempts and pauses share one max wait', async () => {
	const router = answers.answering(refusal(500, 'internal_error'));
	const startedAt = performance.now();
	const pauses = await pausesOf(async () => await run(router, { maxWaitMs: 300 }));
	// A timer may fire some milliseconds before its time.
	expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290);
	expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(300);
});

describe('a stop', () => {
	test.each([
		['while the answer is awaited', (() => undefined) as Answer],
		['in a pause', refusal(503, 'service_unavailable', after(3_600))],
	])('%s ends the run at once', async (_name, answer) => {
		const stopping = new AbortController();
		setTimeout(() => stopping.abort(), 50);
		answers.answering(answer);
		const router = answers.open({ limits: { pauseScale: 1 } });
		expect(await failureOf(run(router, { maxWaitMs: 60_000, signal: stopping.signal }))).toBeInstanceOf(StoppedError);
	});

	test('before the first request sends nothing', async () => {
		await expect(run(answers.answering(finished()), { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toHaveLength(0);
	});
});

test.each([
	['empty', ''],
	['of 256 characters', 'k'.repeat(256)],
	['that no header can hold', 'schlüssel'],
])('a key %s is refused before sending', async (_name, idempotencyKey) => {
	await expect(run(answers.answering(finished()), { idempotencyKey })).rejects.toMatchObject({ code: 'invalid_input' });
	expect(answers.calls()).toHaveLength(0);
});
