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
