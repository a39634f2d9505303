/** Every error bucket, with its body and headers. */
import { sharedSandbox } from '../../nodes/support/sandbox';
import type { Answered } from '../openApi';
import { until } from '../../support/until';
import { bucketOf, calmDown, RouterCaller } from './caller';

const HOUR_MS = 60 * 60 * 1000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

const sandbox = sharedSandbox();
const router = new RouterCaller(sandbox);
afterEach(() => calmDown(sandbox));

const injected = (status: number, code: string) => async () => {
	sandbox.inject({ on: 'POST /v1/models/:provider/:model', surface: 'router', answer: { status, code } });
	return await router.run('lab/free', { prompt: 'x' });
};
const failing = (error_type: string) => async () => await router.run('lab/failing', { error_type });
/** A run that is not held against the description. */
const posted = async (model: string, body: string, signal?: AbortSignal): Promise<Response> => {
	const headers = { 'x-api-key': sandbox.keys.apiKey, 'content-type': 'application/json' };
	return await fetch(`${router.address}/models/${model}`, { method: 'POST', headers, body, signal });
};
const result = async (model: string, request: string): Promise<Answered> => await router.call('getRequestResult', { model, request });

/** The specification's buckets, then those that the public service has added: `cancelled` and the ones after it. */
const provocations: Array<[bucket: string, status: number, provoke: () => Promise<Answered>]> = [
	['invalid_input', 400, async () => await router.call('listModels', { query: 'cursor=nonsense' })],
	['content_policy_violation', 400, async () => await router.run('lab/refusing', { prompt: 'x' })],
	['provider_error', 502, failing('provider_error')],
	['provider_timeout', 504, failing('provider_timeout')],
	['insufficient_credits', 402, async () => (sandbox.setCredits('main', 0), await router.run('lab/free', { prompt: 'x' }))],
	['model_not_found', 404, async () => await router.call('getModel', { model: 'lab/imagee' })],
	['unauthorized', 401, async () => await router.call('listModels', { apiKey: null })],
	['forbidden', 403, async () => await router.run('lab/members-only', { prompt: 'x' }, { apiKey: sandbox.keys.otherApiKey })],
	['concurrency_limit_exceeded', 429, async () => (sandbox.setRouterConcurrency(0), await router.run('lab/free', { prompt: 'x' }))],
	['internal_error', 500, injected(500, 'internal_error')],
	['deadline_exceeded', 504, async () => (sandbox.configure({ routerHoldMs: 20 }), await router.run('lab/slow', { ms: 100 }))],
	['not_enabled', 403, async () => (sandbox.setRouterEnabled(false), await router.run('lab/free', { prompt: 'x' }))],
	['service_unavailable', 503, injected(503, 'service_unavailable')],
	['rate_limited', 429, injected(429, 'rate_limited')],
	[
		'cancelled',
		409,
		async () => {
			const request = await router.queued('lab/slow', { ms: 5000 });
			await router.call('cancelRequest', { model: 'lab/slow', request });
			return await result('lab/slow', request);
		},
	],
	[
		'queue_timeout',
		504,
		async () => {
			sandbox.setRouterConcurrency(0);
			const request = await router.queued('lab/slow', { ms: 10 });
			sandbox.advanceClock(HOUR_MS);
			return await result('lab/slow', request);
		},
	],
	['request_not_found', 404, async () => await result('lab/slow', UNKNOWN_ID)],
	[
		'queue_backlog_full',
		429,
		async () => {
			sandbox.setRouterConcurrency(0);
			sandbox.setRouterBacklog(1);
			await router.queued('lab/slow', { ms: 10 });
			return await router.call('submitRequest', { model: 'lab/slow', json: { ms: 10 } });
		},
	],
];

const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as unknown;

test.each(provocations)('%s has the status %d and a request id that is a UUID', async (bucket, status, provoke) => {
	const answer = await provoke();
	expect([answer.status, bucketOf(answer), answer.json.error_type]).toEqual([status, bucket, bucket]);
	expect([answer.json.detail, answer.headers.get('x-service-request-id')]).toEqual([expect.any(String), UUID]);
});

test('client_disconnected appears only in the log, under the request id', async () => {
	const runs = sandbox.requests('POST *', 'router').length;
	const leaving = new AbortController();
	const left = expect(posted('lab/slow', '{"ms": 3000}', leaving.signal)).rejects.toThrow();
	await until(() => sandbox.requests('POST *', 'router').length > runs);
	await new Promise((resolve) => setTimeout(resolve, 50));
	leaving.abort();
	await left;
	await until(() => sandbox.ledger.routerCalls.at(-1)?.bucket === 'client_disconnected');
	expect(sandbox.ledger.routerCalls.at(-1)).toMatchObject({
		bucket: 'client_disconnected',
		model: 'lab/slow',
		requestId: sandbox.requests('POST *', 'router').at(-1)?.requestId,
	});
});

test('model_not_found suggests at most three models, and only those that the caller may see', async () => {
	const detail = String((await router.call('getModel', { model: 'aurora/image-3-fas' })).json.detail);
	expect(detail).toContain('aurora/image-3-fast');
	expect(detail.match(/\w+\/[\w.-]+/g)?.slice(1).length).toBeLessThanOrEqual(3);
	expect((await router.call('getModel', { model: 'zzzz/qqqq' })).json.detail).not.toContain('Did you mean');
	const { apiKey, otherApiKey } = sandbox.keys;
	const answers = [apiKey, otherApiKey].map(async (key) => await router.call('getModel', { model: 'lab/member-only', apiKey: key }));
	expect((await Promise.all(answers)).map(({ json }) => String(json.detail).includes('lab/members-only'))).toEqual([true, false]);
});

test.each([
	['lab/refusing', 0],
	['lab/refusing-charged', 1],
])('a refusal by policy of %s has the words of the provider, is repeated for its key, and is charged %d times', async (model, charged) => {
	const runs = () => sandbox.ledger.routerRuns.filter((run) => run.model === model).length;
	const before = runs();
	for (let attempt = 0; attempt < 2; attempt++) {
		const { json, headers } = await router.run(model, { prompt: 'x', subject: 'output' }, { idempotencyKey: `policy ${model}` });
		const words = { upstream_detail: expect.any(String) as string, refusal_subject: 'output' };
		expect(json).toMatchObject({ error_type: 'content_policy_violation', ...words });
		expect([headers.get('x-service-refusal-subject'), headers.get('x-service-upstream-status')]).toEqual(['output', '400']);
	}
	expect(runs() - before).toBe(charged);
});

test('a body that is not a JSON object is rejected', async () => {
	const broken = await posted('lab/free', '{"a":');
	expect([broken.status, broken.headers.get('x-service-error-type')]).toEqual([400, 'invalid_input']);
	for (const body of [[1], 'text', 5, null]) {
		expect((await router.run('lab/open', body)).json).toEqual({
			detail: [expect.objectContaining({ loc: ['body'], type: 'dict_type', input: body })],
		});
	}
});

test('the vendor headers have the spelling of the request id', async () => {
	sandbox.configure({ requestIdHeader: 'X-Comfy-Request-Id' });
	const headersOf = async (model: string) => {
		const { headers } = await posted(model, '{"prompt": "x"}');
		const names = [...headers.keys()].filter((name) => /^x-(comfy|service)-/.test(name));
		return names.map((name) => name.replace('x-comfy-', '')).sort();
	};
	expect(await headersOf('lab/refusing')).toEqual(['error-type', 'refusal-subject', 'request-id', 'upstream-detail', 'upstream-status']);
	expect(await headersOf('lab/fallback')).toEqual(['credits-used', 'request-id', 'router-fallback-provider']);
});
