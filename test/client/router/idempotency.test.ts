import { UnknownOutcomeError } from '../../../client';
import { failureOf } from '../support/bytes';
import { RUN, useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox({ routerRetryAfterSeconds: 5 });
const newKey = () => crypto.randomUUID();
const keysSent = () => harness.sandbox.requests(RUN).map(({ headers }) => headers['idempotency-key']);
const options = (idempotencyKey = newKey(), maxWaitMs = 10_000) => ({ idempotencyKey, maxWaitMs });
const minutes = (count: number) => count * 60_000;

test('rule 1: every attempt carries the key of the caller, and the result reports it although the service does not return it', async () => {
	const key = newKey();
	harness.sandbox.inject({ on: RUN, fault: { kind: 'drop_before' } });
	harness.sandbox.inject({ on: RUN, fault: { kind: 'drop_after' } });
	await expect(harness.connect().router.run('lab/open', {}, options(key))).resolves.toMatchObject({
		facts: { idempotency_key: key, replayed: true, credits_used: null },
	});
	expect(keysSent()).toEqual([key, key, key]);
	expect(harness.billed(key)).toBe(1);
});

test('rule 2: keys belong to the workspace, whichever of its credentials is used; every attempt uses the same one', async () => {
	const key = newKey();
	const { jwt, keys } = harness.sandbox;
	harness.sandbox.inject({ on: RUN, fault: { kind: 'drop_after' } });
	await harness.connect().router.run('lab/open', {}, options(key));
	expect(new Set(harness.sandbox.requests(RUN).map(({ headers }) => headers['x-api-key']))).toEqual(new Set([keys.apiKey]));
	const sameWorkspace = harness.connect({ credential: { kind: 'jwt', token: jwt({ expiresInSeconds: 60 }) } });
	await expect(sameWorkspace.router.run('lab/open', {}, options(key))).resolves.toMatchObject({ facts: { replayed: true } });
	const other = harness.connect({ credential: { kind: 'jwt', token: jwt({ expiresInSeconds: 60, account: 'other' }) } });
	await expect(other.router.run('lab/open', {}, options(key))).resolves.toMatchObject({ facts: { replayed: false } });
	expect(harness.billed(key)).toBe(2);
});

test('rule 3: while the original call runs, 409 concurrency_limit_exceeded is waited out, and its result collected', async () => {
	const key = newKey();
	const input = { ms: 300 };
	const runs = [harness.connect(), harness.connect()].map(({ router }) => router.run('lab/slow', input, options(key)));
	const facts = (await Promise.all(runs)).map((run) => run.facts.replayed);
	expect(facts.sort()).toEqual([false, true]);
	expect(harness.sandbox.requests(RUN).some(({ status }) => status === 409)).toBe(true);
	expect(harness.billed(key)).toBe(1);
});

describe('rule 5: 504 deadline_exceeded', () => {
	afterEach(() => harness.sandbox.configure({ routerHoldMs: 600_000 }));

	test('with Retry-After is collected by the same key', async () => {
		harness.sandbox.configure({ routerHoldMs: 60 });
		const key = newKey();
		const { output } = await harness.connect().router.run('lab/slow', { ms: 250 }, options(key));
		expect(output).toMatchObject({ value: { waited_ms: 250 } });
		const statuses = harness.sandbox.requests(RUN).map(({ status }) => status);
		expect(statuses).toContain(504);
		expect(statuses.at(-1)).toBe(200);
		expect(harness.billed(key)).toBe(1);
	});

	test('without one, before the provider took it, is sent again and runs once', async () => {
		harness.sandbox.configure({ routerHoldMs: 60 });
		const key = newKey();
		const { router } = harness.connect();
		const failure = await failureOf(router.run('lab/slow', { ms: 10, accept_after_ms: 1_500 }, options(key, 100)));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: key, cause: { code: 'deadline_exceeded', retryAfterMs: undefined } });
		harness.sandbox.configure({ routerHoldMs: 600_000 });
		await router.run('lab/slow', { ms: 10, accept_after_ms: 1_500 }, options(key));
		expect(harness.billed(key)).toBe(1);
	});
});

test('rule 6: a key is free again after a refusal before dispatch', async () => {
	const key = newKey();
	const { router } = harness.connect();
	harness.sandbox.setCredits('main', 0);
	await expect(router.run('lab/open', {}, options(key))).rejects.toMatchObject({ code: 'insufficient_credits' });
	harness.sandbox.setCredits('main', Infinity);
	await expect(router.run('lab/open', { another: 'body' }, options(key))).resolves.toMatchObject({ facts: { replayed: false } });
	expect(harness.billed(key)).toBe(1);
});

test('rule 7: state is kept 24 hours from its first use, and a retry does not extend them', async () => {
	const key = newKey();
	const { router } = harness.connect();
	await router.run('lab/open', {}, options(key));
	harness.sandbox.advanceClock(minutes(23 * 60));
	await expect(router.run('lab/open', {}, options(key))).resolves.toMatchObject({ facts: { replayed: true } });
	harness.sandbox.advanceClock(minutes(61));
	await expect(router.run('lab/open', {}, options(key))).resolves.toMatchObject({ facts: { replayed: false } });
});

test('rule 8: no attempt ever has a new key, though the time runs out', async () => {
	const key = newKey();
	harness.sandbox.inject({ on: RUN, times: Infinity, fault: { kind: 'drop_after' } });
	await expect(harness.connect().router.run('lab/open', {}, options(key, 1_500))).rejects.toMatchObject({ idempotencyKey: key });
	expect(keysSent().length).toBeGreaterThan(1);
	expect(new Set(keysSent())).toEqual(new Set([key]));
	expect(harness.billed(key)).toBe(1);
});

describe('rule 9: billed is', () => {
	test('not what a 422 refuses', async () => {
		const key = newKey();
		await expect(harness.connect().router.run('lab/image', {}, options(key))).rejects.toMatchObject({
			status: 422,
			details: { detail: [expect.objectContaining({ loc: ['body', 'prompt'], type: 'missing', path: 'prompt' })] },
		});
		expect(harness.billed(key)).toBe(0);
	});

	test('a run that completes after its caller has left is collected later, on another connection', async () => {
		const key = newKey();
		const stopping = new AbortController();
		setTimeout(() => stopping.abort(), 100);
		const run = async (more: object) => await harness.connect().router.run('lab/slow', { ms: 300 }, { ...options(key), ...more });
		await expect(run({ signal: stopping.signal })).rejects.toMatchObject({ name: 'StoppedError' });
		await expect(run({})).resolves.toMatchObject({ output: { value: { waited_ms: 300 } } });
		expect(harness.billed(key)).toBe(1);
	});
});

test('a key is sent no more once its life ends, however long one waits', async () => {
	const { router } = harness.connect();
	const firstSentAt = Date.now() - minutes(24 * 60) + minutes(5) + 1_500;
	harness.sandbox.inject({ on: RUN, answer: { status: 429, code: 'rate_limited', retryAfter: 1 }, times: 10_000 });
	const run = router.run('lab/open', {}, { ...options(newKey(), minutes(10)), firstSentAt });
	await expect(run).rejects.toMatchObject({ status: 429 });
});
