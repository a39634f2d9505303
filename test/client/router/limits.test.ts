import { isRouterModelId } from '../../../client';
import type { Answer } from '../support/server';
import { FAST, finished, KEY, refusal, run, useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();
const LONGEST = { provider: 'l'.repeat(64), model: 'm'.repeat(128) };

test.each([
	['20 by default', undefined, 20],
	['at most 100, clamped', 101, 100],
	['the default for a limit below one', -5, 20],
])('Router list page size is %s', async (_name, limit, size) => {
	harness.sandbox.configure({ routerExtraModels: 100 });
	const page = await harness.connect().router.page({ limit });
	expect([page.limit, page.models.length]).toEqual([size, size]);
});

describe('Router provider and model segment, and model id', () => {
	test.each([
		['a provider of 65 characters', `l${LONGEST.provider}/m`],
		['a model of 129 characters', `l/m${LONGEST.model}`],
		['an id of 194 characters', `${LONGEST.provider}/m${LONGEST.model}`],
		['a capital', 'lab/Open'],
		['no provider', 'open'],
		['an empty model', 'lab/'],
		['three segments', 'lab/open/requests'],
		['two dots', 'lab/a..b'],
		['a way out', '../admin'],
		['a query', 'lab/open?x=1'],
	])('%s is refused before anything is sent', async (_name, id) => {
		expect(isRouterModelId(id)).toBe(false);
		const router = answers.answering(finished());
		const options = { idempotencyKey: KEY, maxWaitMs: 1_000 };
		for (const call of [
			() => router.model(id),
			() => router.inputSchema(id),
			() => router.run(id, {}, options),
			() => router.runQueued(id, {}, options),
			() => router.requestStatus({ model: id, id: 'r' }),
		]) {
			const message = expect.stringContaining('<provider>/<model>') as string;
			await expect(call()).rejects.toMatchObject({ interface: 'router', code: 'invalid_input', message });
		}
		expect(answers.calls()).toHaveLength(0);
	});

	test.each(['a/b', 'fjord.ai/image-1.5', 'pebble_works/video-3_max', '0/0', `${LONGEST.provider}/${LONGEST.model}`])('%s is one', (id) => {
		expect(isRouterModelId(id)).toBe(true);
	});
});

describe('Router connection hold per call', () => {
	test('of 10 minutes is outlived: the limit is 660 s, and no other ends the wait', async () => {
		const timers = jest.spyOn(global, 'setTimeout');
		await run(answers.answering(finished()), { maxWaitMs: 3_600_000 });
		const seconds = timers.mock.calls.map(([, milliseconds]) => Number(milliseconds)).filter((milliseconds) => milliseconds >= 100_000);
		timers.mockRestore();
		// The other is what is left of Max Wait, for an answer that has begun.
		expect(seconds).toEqual([660_000, expect.closeTo(3_600_000, -5)]);
	});

	const begun: Answer = (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json' }).write('{"done":');
	};
	test.each<[string, Answer, object]>([
		['ends an attempt, not the run', () => undefined, { holdMs: 1_000 }],
		['does not save an answer that falls silent', begun, { downloadIdleMs: 80 }],
	])('%s', async (_name, silent, limits) => {
		answers.answering(silent, finished());
		const result = await run(answers.open({ limits: { ...FAST, ...limits } }), { maxWaitMs: 60_000 });
		expect(result).toMatchObject({ output: { value: { done: true } } });
		expect(answers.keys()).toEqual([KEY, KEY]);
	});

	test('does not end an answer that has begun', async () => {
		const slowly: Answer = (request, response) => {
			void begun(request, response);
			setTimeout(() => response.end('true}'), 1_500);
		};
		answers.answering(slowly);
		await expect(run(answers.open({ limits: { ...FAST, holdMs: 1_000 } }))).resolves.toMatchObject({ output: { value: { done: true } } });
		expect(answers.calls()).toHaveLength(1);
	});
});

test('Router committed-spend headers of which one is missing leave it unknown', async () => {
	const error = await answers.failure(refusal(429, 'concurrency_limit_exceeded', { headers: { 'x-committed-spend-limit': '5' } }));
	expect(error).toMatchObject({ details: { spend: { limit: 5, current: null, remaining: null } } });
});

test.each([
	['429', 429, 'rate_limited'],
	['504, the polling interval', 504, 'deadline_exceeded'],
])('Retry-After is in seconds on a %s', async (_name, status, bucket) => {
	const router = answers.answering(refusal(status, bucket, { headers: { 'retry-after': '9' } }));
	await expect(router.model('a/b')).rejects.toMatchObject({ retryAfterMs: 9_000 });
});
