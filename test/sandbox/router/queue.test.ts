/** Queued delivery, row by row. */
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

test('X: submit: 201 with links below the same prefix; a UUID that is not that of the header; no place where nothing waits', async () => {
	const { status, headers, json } = await router.call('submitRequest', { model: SLOW, json: { ms: 20 } });
	const own = `${sandbox.urls.router}/v2/models/lab/slow/requests/${String(json.request_id)}`;
	expect([status, json]).toEqual([
		201,
		{ request_id: expect.any(String), status: 'IN_PROGRESS', status_url: `${own}/status`, response_url: own, cancel_url: `${own}/cancel` },
	]);
	expect(headers.get('x-service-request-id')).not.toBe(json.request_id);
});

test('submitted again with its key: the same request, marked as a replay; another body is refused', async () => {
	const idempotencyKey = newKey();
	const first = await router.queued(SLOW, { ms: 20 }, { idempotencyKey });
	const again = await router.call('submitRequest', { model: SLOW, json: { ms: 20 }, idempotencyKey });
	expect([again.status, again.json.request_id, again.headers.get('idempotent-replayed')]).toEqual([201, first, 'true']);
	expect((await router.call('submitRequest', { model: SLOW, json: { ms: 21 }, idempotencyKey })).status).toBe(409);
	await router.reaches(SLOW, first, 'COMPLETED');
	expect(billed(idempotencyKey)).toBe(1);
});

test('status: Retry-After until it has completed, and no error_type when it went well', async () => {
	const long = await router.queued(SLOW, { ms: 600_000 });
	const { headers, json } = await router.call('getRequestStatus', { model: SLOW, request: long });
	expect([headers.get('retry-after'), json.status]).toEqual(['1', 'IN_PROGRESS']);
	expect((await result(long)).status).toBe(202);
	await cancel(long);
	const request = await router.queued(SLOW, { ms: 20, note: 'n' });
	expect(await router.reaches(SLOW, request, 'COMPLETED')).not.toHaveProperty('error_type');
	const answer = await result(request);
	expect([answer.status, answer.json, answer.headers.get('x-service-credits-used')]).toEqual([200, { waited_ms: 20, note: 'n' }, '10.55']);
	expect((await result(request)).json).toEqual(answer.json);
});

test('at most as many run as may, the others have their place in the queue', async () => {
	sandbox.setRouterConcurrency(1);
	const requests = [await router.queued(SLOW, { ms: 600_000 }), await router.queued(SLOW, { ms: 1 }), await router.queued(SLOW, { ms: 1 })];
	const states = await Promise.all(requests.map(async (request) => (await router.call('getRequestStatus', { model: SLOW, request })).json));
	expect(states.map(({ status, queue_position }) => [status, queue_position])).toEqual([
		['IN_PROGRESS', undefined],
		['IN_QUEUE', 0],
		['IN_QUEUE', 1],
	]);
	await cancel(String(requests[0]));
	for (const request of requests) await router.reaches(SLOW, request, 'COMPLETED');
});

test('X: cancel, whose answer names the request: asked for while it runs, too late afterwards; it stops, the next one begins, and it is not billed', async () => {
	sandbox.setRouterConcurrency(1);
	const keys = [newKey(), newKey()];
	for (const idempotencyKey of keys) await router.queued(SLOW, { ms: 5000 }, { idempotencyKey });
	for (const idempotencyKey of keys) {
		const request = await router.queued(SLOW, { ms: 5000 }, { idempotencyKey });
		await router.reaches(SLOW, request, 'IN_PROGRESS');
		const asked = await cancel(request);
		expect([asked.status, asked.json]).toEqual([202, { request_id: request, status: 'CANCELLATION_REQUESTED' }]);
		expect(await router.reaches(SLOW, request, 'COMPLETED')).toMatchObject({ error_type: 'cancelled' });
		const late = await cancel(request);
		expect([late.status, late.json.status, late.json.request_id]).toEqual([409, 'ALREADY_COMPLETED', request]);
		const answer = await result(request);
		expect([answer.status, bucketOf(answer)]).toEqual([409, 'cancelled']);
	}
	expect(keys.map(billed)).toEqual([0, 0]);
});

test('one that waits is cancelled as well', async () => {
	sandbox.setRouterConcurrency(0);
	const request = await router.queued(SLOW, { ms: 1 });
	expect((await cancel(request)).status).toBe(202);
	expect(await router.reaches(SLOW, request, 'COMPLETED')).toMatchObject({ error_type: 'cancelled' });
});

test('X: results are kept 24 hours after completion, and so is what is known of the request', async () => {
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

test('X: one that ended badly may have a stored result, which was charged', async () => {
	const [model, idempotencyKey] = ['lab/stored-failure', newKey()];
	const request = await router.queued(model, { prompt: 'x' }, { idempotencyKey });
	expect(await router.reaches(model, request, 'COMPLETED')).toMatchObject({ error_type: 'client_disconnected' });
	const answer = await result(request, model);
	expect([answer.status, answer.json, billed(idempotencyKey)]).toEqual([200, { input: { prompt: 'x' } }, 1]);
});

test('one that waits too long ends as queue_timeout', async () => {
	sandbox.setRouterConcurrency(0);
	const request = await router.queued(SLOW, { ms: 1 });
	sandbox.advanceClock(HOUR_MS);
	expect((await router.call('getRequestStatus', { model: SLOW, request })).json).toMatchObject({
		status: 'COMPLETED',
		error_type: 'queue_timeout',
	});
	expect((await result(request)).status).toBe(504);
});

test.each([
	['lab/failing', { error_type: 'provider_timeout' }, 504],
	['lab/failing', { error_type: 'provider_error' }, 502],
	['lab/refusing', { prompt: 'x' }, 400],
])('%s with %j fails as a direct run does', async (model, input, status) => {
	const request = await router.queued(model, input);
	const { error_type: bucket } = await router.reaches(model, request, 'COMPLETED');
	const answer = await result(request, model);
	expect([answer.status, bucketOf(answer)]).toEqual([status, bucket]);
});

test('refused when submitted: wrong input, raw bytes, a full backlog', async () => {
	expect((await router.call('submitRequest', { model: SLOW, json: { ms: 'x' } })).status).toBe(422);
	const bytes = await router.call('submitRequest', { model: 'lab/speech', json: { text: 'x' } });
	expect([bytes.status, bucketOf(bytes)]).toEqual([403, 'not_enabled']);
	sandbox.setRouterConcurrency(0);
	sandbox.setRouterBacklog(0);
	const full = await router.call('submitRequest', { model: SLOW, json: { ms: 1 } });
	expect([full.status, bucketOf(full)]).toEqual([429, 'queue_backlog_full']);
});

test('another account, another model, an unknown id: not found alike', async () => {
	const request = await router.queued(SLOW, { ms: 1 });
	for (const options of [
		{ request, apiKey: sandbox.keys.otherApiKey, model: SLOW },
		{ request, model: 'lab/free' },
		{ request: 'unknown', model: SLOW },
	]) {
		for (const operation of ['getRequestStatus', 'getRequestResult', 'cancelRequest']) {
			const answer = await router.call(operation, options);
			expect([operation, answer.status, bucketOf(answer)]).toEqual([operation, 404, 'request_not_found']);
		}
	}
});
