import { failureOf } from '../support/bytes';
import { RUN, useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox({ routerRetryAfterSeconds: 5 });
const newKey = () => crypto.randomUUID();
const keysSent = () => harness.sandbox.requests(RUN).map(({ headers }) => headers['idempotency-key']);
const options = (idempotencyKey = newKey(), maxWaitMs = 10_000) => ({ idempotencyKey, maxWaitMs });
const minutes = (count: number) => count * 60_000;

test('each attempt sends the key of the caller, and the result reports it although the service does not return it', async () => {
	const key = newKey();
	harness.sandbox.inject({ on: RUN, fault: { kind: 'drop_before' } });
	harness.sandbox.inject({ on: RUN, fault: { kind: 'drop_after' } });
	await expect(harness.connect().router.run('lab/open', {}, options(key))).resolves.toMatchObject({
		facts: { idempotency_key: key, replayed: true, credits_used: null },
	});
	expect(keysSent()).toEqual([key, key, key]);
	expect(harness.billed(key)).toBe(1);
});

test('while the first call of a key runs, a second call waits for its result, and two keys do not affect each other', async () => {
	const keys = [newKey(), newKey()];
	const runs = keys.flatMap((key, index) =>
		[harness.connect(), harness.connect()].map(async ({ router }) => await router.run('lab/slow', { ms: 300 + index }, options(key))),
	);
	const results = await Promise.all(runs);
	expect(results.map(({ output }) => output)).toMatchObject([300, 300, 301, 301].map((waited_ms) => ({ value: { waited_ms } })));
	for (const pair of [results.slice(0, 2), results.slice(2)]) expect(pair.map(({ facts }) => facts.replayed).sort()).toEqual([false, true]);
	expect(harness.sandbox.requests(RUN).some(({ status }) => status === 409)).toBe(true);
	expect(keys.map(harness.billed)).toEqual([1, 1]);
});

test('a run that outlasts its connection (504 with Retry-After) is collected by the same key', async () => {
	harness.sandbox.configure({ routerHoldMs: 60 });
	const key = newKey();
	const { output } = await harness.connect().router.run('lab/slow', { ms: 250 }, options(key));
	harness.sandbox.configure({ routerHoldMs: 600_000 });
	expect(output).toMatchObject({ value: { waited_ms: 250 } });
	expect(new Set(harness.sandbox.requests(RUN).map(({ status }) => status))).toEqual(new Set([504, 200]));
	expect(harness.billed(key)).toBe(1);
});

test('a run whose caller has stopped is collected later, on another connection', async () => {
	const key = newKey();
	const run = async (more: object) => await harness.connect().router.run('lab/slow', { ms: 300 }, { ...options(key), ...more });
	expect(await failureOf(run({ signal: AbortSignal.timeout(100) }))).toMatchObject({ name: 'StoppedError' });
	await expect(run({})).resolves.toMatchObject({ output: { value: { waited_ms: 300 } } });
	expect(harness.billed(key)).toBe(1);
});

test('a key is sent no more once its life ends, however long the caller waits', async () => {
	const { router } = harness.connect();
	const firstSentAt = Date.now() - minutes(24 * 60) + minutes(5) + 1_500;
	harness.sandbox.inject({ on: RUN, answer: { status: 429, code: 'rate_limited', retryAfter: 1 }, times: 10_000 });
	const run = router.run('lab/open', {}, { ...options(newKey(), minutes(10)), firstSentAt });
	await expect(run).rejects.toMatchObject({ status: 429 });
});
