/** What submissions over v1, v2 and an engine have in common; what is special of one stands in its own suite. */
import { connect, type ConnectSettings, StoppedError, type SubmitOptions } from '../../../client';
import { useEngine } from '../engine/support/engine';
import { newGraph } from '../support/graphs';
import { failureOf } from '../support/bytes';
import { deadOrigin } from '../support/deadOrigin';
import { serve } from '../support/server';
import { until } from '../../support/until';

const engine = useEngine();
type Name = 'v1' | 'v2' | 'engine';
const NAMES = ['v1', 'v2', 'engine'] as const;
const ROUTES = { v1: 'POST /api/prompt', v2: 'POST /api/v2/jobs', engine: 'POST /api/prompt' };

const submit = async (name: Name, options: SubmitOptions = {}, settings: Partial<ConnectSettings> = {}) => {
	const { urls, keys } = engine.sandbox;
	const access = name === 'engine' ? {} : { interface: name, baseUrl: urls.hosted, token: keys.apiKey };
	return await engine.connect({ ...access, ...settings }).jobs.submit({ graph: newGraph() }, options);
};
const sent = (name: Name): number => engine.sandbox.requests(ROUTES[name]).length;
const newKey = (): string => crypto.randomUUID();

test.each<[name: Name, status: number, code: string]>([
	['v1', 401, 'unauthorized'],
	['v1', 402, 'insufficient_credits'],
	['v1', 403, 'forbidden'],
	['v1', 429, 'subscription_inactive'],
	['v1', 501, 'not_implemented'],
	['v2', 422, 'invalid_workflow'],
	['v2', 402, 'insufficient_credits'],
	['v2', 422, 'deployment_stopped'],
	['v2', 401, 'unauthorized'],
	['v2', 422, 'idempotency_key_reuse'],
	['v2', 501, 'not_implemented'],
	['engine', 401, 'unauthorized'],
	['engine', 403, 'forbidden'],
	['engine', 501, 'upstream_error'],
])('over %s the rejection %d (%s) is final, and the submission is not repeated', async (name, status, code) => {
	const json = name === 'v2' ? { error: { code, message: 'm' } } : { code: 'x', message: 'm' };
	engine.sandbox.inject({ on: ROUTES[name], times: Infinity, answer: { status, json, retryAfter: 1 } });
	await expect(submit(name, { idempotencyKey: newKey(), retryBudgetMs: 3_000 })).rejects.toMatchObject({ code, status });
	expect(sent(name)).toBe(1);
});

describe.each(NAMES)('over %s', (name) => {
	test('a refused connection is retried until the budget ends, and has made no job', async () => {
		const baseUrl = await deadOrigin();
		for (const idempotencyKey of [undefined, newKey()]) {
			const startedAt = performance.now();
			await expect(submit(name, { idempotencyKey, keyIsOurs: true, retryBudgetMs: 300 }, { baseUrl })).rejects.toMatchObject({
				trouble: 'refused',
				mayHaveArrived: false,
			});
			expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
		}
	});

	test('a stop before the request sends nothing', async () => {
		expect(await failureOf(submit(name, { signal: AbortSignal.abort() }))).toBeInstanceOf(StoppedError);
		expect(engine.sandbox.requests()).toHaveLength(0);
	});

	test('a stop waits for the answer on its way, so that the job is known and can be canceled', async () => {
		engine.sandbox.inject({ on: ROUTES[name], fault: { kind: 'delay', ms: 300 } });
		const stop = new AbortController();
		const submitting = submit(name, { signal: stop.signal });
		await until(() => sent(name) === 1);
		stop.abort();
		expect(engine.runsOf((await submitting).job_id)).toBe(1);
	});
});

test.each([
	['v1', { prompt: {} }],
	['v2', { workflow: {} }],
] as const)('over %s empty extra data is left out', async (name, body) => {
	const server = await serve((request, response) => {
		expect(JSON.parse(request.body.toString())).toEqual(body);
		const job = { id: 'a', prompt_id: 'a', status: 'queued', error: null, node_errors: {} };
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(job));
	});
	const { jobs, close } = connect({ interface: name, baseUrl: server.origin });
	const job = await jobs.submit({ graph: {}, extraData: {} });
	expect(job).toMatchObject({ job_id: 'a', service_status: 'queued' });
	expect(job).not.toHaveProperty('error');
	await Promise.all([close(), server.close()]);
});

test.each([
	['v2', 503, { name: 'UnknownOutcomeError', cause: { status: 503 } }],
	['engine', 429, { status: 429, retryAfterMs: 3_600_000 }],
] as const)('over %s a rejection with Retry-After is waited for no longer than the budget', async (name, status, error) => {
	engine.sandbox.inject({ on: ROUTES[name], answer: { status, code: 'upstream_error', retryAfter: 3_600 }, times: Infinity });
	await expect(submit(name, { idempotencyKey: newKey(), keyIsOurs: true, retryBudgetMs: 2_000 })).rejects.toMatchObject(error);
	expect(sent(name)).toBe(2);
});
