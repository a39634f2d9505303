/** Queued requests: what is billed, kept and refused. Direct runs: test/contract/router. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { Answered } from '../../contract/checkedCall';
import { bucketOf, calmDown, newKey, RouterCaller } from '../../contract/router/caller';

const HOUR_MS = 60 * 60 * 1000;
const SLOW = 'lab/slow';

let sandbox: Sandbox;
let router: RouterCaller;
beforeAll(async () => {
	sandbox = await startSandbox();
	router = new RouterCaller(sandbox, 'v2');
});
afterAll(async () => await sandbox.close());
afterEach(() => calmDown(sandbox));

const result = async (request: string, model = SLOW): Promise<Answered> => await router.call('getRequestResult', { model, request });
const cancel = async (request: string): Promise<Answered> => await router.call('cancelRequest', { model: SLOW, request });
const billed = (idempotencyKey: string): number => sandbox.ledger.routerRuns.filter((run) => run.idempotencyKey === idempotencyKey).length;

test('a request that is sent again with its key is the same request and is billed once; another body is refused', async () => {
	const idempotencyKey = newKey();
	const first = await router.queued(SLOW, { ms: 20 }, { idempotencyKey });
	const again = await router.call('submitRequest', { model: SLOW, json: { ms: 20 }, idempotencyKey });
	expect([again.status, again.json.request_id, again.headers.get('idempotent-replayed')]).toEqual([201, first, 'true']);
	expect((await router.call('submitRequest', { model: SLOW, json: { ms: 21 }, idempotencyKey })).status).toBe(409);
	expect(await router.reaches(SLOW, first, 'COMPLETED')).not.toHaveProperty('error_type');
	const answer = await result(first);
	expect([answer.status, answer.json, answer.headers.get('x-service-credits-used')]).toEqual([200, { waited_ms: 20, note: null }, '10.55']);
	expect((await result(first)).json).toEqual(answer.json);
	expect(billed(idempotencyKey)).toBe(1);
});

test('requests above the limit wait with their position in the queue', async () => {
	sandbox.setRouterConcurrency(1);
	const requests = [await router.queued(SLOW, { ms: 600_000 }), await router.queued(SLOW, { ms: 1 }), await router.queued(SLOW, { ms: 1 })];
	const answers = await Promise.all(requests.map(async (request) => await router.call('getRequestStatus', { model: SLOW, request })));
	expect(answers.map(({ json, headers }) => [json.status, json.queue_position, headers.get('retry-after')])).toEqual([
		['IN_PROGRESS', undefined, '1'],
		['IN_QUEUE', 0, '1'],
		['IN_QUEUE', 1, '1'],
	]);
	expect((await result(String(requests[0]))).status).toBe(202);
	await cancel(String(requests[0]));
	for (const request of requests) await router.reaches(SLOW, request, 'COMPLETED');
});

test('a canceled request stops, lets the next one begin, and is not billed, whether it runs or waits', async () => {
	sandbox.setRouterConcurrency(1);
	const keys = [newKey(), newKey(), newKey()];
	const requests: string[] = [];
	for (const idempotencyKey of keys) requests.push(await router.queued(SLOW, { ms: 5000 }, { idempotencyKey }));
	for (const request of [requests[2], requests[0], requests[1]].map(String)) {
		if (request !== requests[2]) await router.reaches(SLOW, request, 'IN_PROGRESS');
		const asked = await cancel(request);
		expect([asked.status, asked.json]).toEqual([202, { request_id: request, status: 'CANCELLATION_REQUESTED' }]);
		expect(await router.reaches(SLOW, request, 'COMPLETED')).toMatchObject({ error_type: 'cancelled' });
		const late = await cancel(request);
		expect([late.status, late.json.status, late.json.request_id]).toEqual([409, 'ALREADY_COMPLETED', request]);
		expect(bucketOf(await result(request))).toBe('cancelled');
	}
	expect(keys.map(billed)).toEqual([0, 0, 0]);
});

test('results and requests are kept for 24 hours after their end', async () => {
	const request = await router.queued(SLOW, { ms: 1 });
	await router.reaches(SLOW, request, 'COMPLETED');
	sandbox.advanceClock(24 * HOUR_MS - 60_000);
	expect((await result(request)).status).toBe(200);
	sandbox.advanceClock(60_000);
	for (const operation of ['getRequestResult', 'getRequestStatus']) {
		const answer = await router.call(operation, { model: SLOW, request });
		expect([operation, answer.status, bucketOf(answer)]).toEqual([operation, 410, 'request_not_found']);
	}
});

test('a request that failed may have a result, which is billed', async () => {
	const [model, idempotencyKey] = ['lab/stored-failure', newKey()];
	const request = await router.queued(model, { prompt: 'x' }, { idempotencyKey });
	expect(await router.reaches(model, request, 'COMPLETED')).toMatchObject({ error_type: 'client_disconnected' });
	expect(await result(request, model)).toMatchObject({ status: 200, json: { input: { prompt: 'x' } } });
	expect(billed(idempotencyKey)).toBe(1);
});

test('a request that waits for too long ends with queue_timeout', async () => {
	sandbox.setRouterConcurrency(0);
	const request = await router.queued(SLOW, { ms: 1 });
	sandbox.advanceClock(HOUR_MS);
	const ended = { status: 'COMPLETED', error_type: 'queue_timeout' };
	expect((await router.call('getRequestStatus', { model: SLOW, request })).json).toMatchObject(ended);
	expect((await result(request)).status).toBe(504);
});

test.each([
	['lab/failing', { error_type: 'provider_timeout' }, 504],
	['lab/failing', { error_type: 'provider_error' }, 502],
	['lab/refusing', { prompt: 'x' }, 400],
])('a request to %s with %j fails as a direct run does', async (model, input, status) => {
	const request = await router.queued(model, input);
	const { error_type: bucket } = await router.reaches(model, request, 'COMPLETED');
	const answer = await result(request, model);
	expect([answer.status, bucketOf(answer)]).toEqual([status, bucket]);
});

test.each([
	['wrong input', SLOW, { ms: 'x' }, 422, null],
	['a model that answers with bytes', 'lab/speech', { text: 'x' }, 403, 'not_enabled'],
	['a full queue', SLOW, { ms: 1 }, 429, 'queue_backlog_full'],
])('a request with %s is refused', async (_what, model, json, status, bucket) => {
	if (status === 429) {
		sandbox.setRouterConcurrency(0);
		sandbox.setRouterBacklog(0);
	}
	const answer = await router.call('submitRequest', { model, json });
	expect(answer.status).toBe(status);
	if (bucket !== null) expect(bucketOf(answer)).toBe(bucket);
});

test('a model reports its price as a decimal text, as a real zero, or not at all, and each run is billed', async () => {
	const credits = async (model: string) => (await router.run(model, { prompt: 'x' })).headers.get('x-service-credits-used');
	expect([await credits('lab/fallback'), await credits('lab/free'), await credits('lab/silent-price')]).toEqual(['10.55', '0', null]);
	expect(sandbox.ledger.routerRuns.at(-1)).toMatchObject({ model: 'lab/silent-price', account: 'main', credits: '10.55' });
});

test('query parameters choose the provider, its fallback, and whether unknown fields are dropped or refused', async () => {
	const input = { prompt: 'x', seed: 1, guidance: 2 };
	const dropped = await router.run('lab/image', input, { query: 'model_provider=aurora' });
	expect(dropped.headers.get('x-service-router-dropped-params')).toBe('["seed","guidance"]');
	const fallback = await router.run('lab/fallback', { prompt: 'x' });
	expect(fallback.headers.get('x-service-router-fallback-provider')).toBe('aurora');
	const statusOf = async (model: string, query: string) => (await router.run(model, { ...input, extra: 1 }, { query })).status;
	expect(await statusOf('lab/image', 'model_provider=aurora&strict_mode=true')).toBe(422);
	expect(await statusOf('lab/image', 'model_provider=nobody')).toBe(400);
	expect(await statusOf('lab/fallback', 'fallback_provider=false')).toBe(502);
	expect(await statusOf('lab/every-feature', 'reject_unknown_fields=false')).toBe(200);
	expect(await statusOf('lab/every-feature', 'reject_unknown_fields=true')).toBe(422);
});
