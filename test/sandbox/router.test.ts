/** Queued requests: what is billed and kept. Direct runs: test/contract/router. */
import { type Sandbox, startSandbox } from '../../sandbox';
import type { Answered } from '../contract/openApi';
import { bucketOf, calmDown, newKey, RouterCaller } from '../contract/router/caller';

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
const billed = (idempotencyKey: string): number => sandbox.ledger.routerRuns.filter((run) => run.idempotencyKey === idempotencyKey).length;

test('a request that is sent again with its key is the same request and is billed once; another body is refused', async () => {
	const idempotencyKey = newKey();
	const first = await router.queued(SLOW, { ms: 20 }, { idempotencyKey });
	const again = await router.call('submitRequest', { model: SLOW, json: { ms: 20 }, idempotencyKey });
	expect([again.status, again.json.request_id, again.headers.get('idempotent-replayed')]).toEqual([201, first, 'true']);
	expect((await router.call('submitRequest', { model: SLOW, json: { ms: 21 }, idempotencyKey })).status).toBe(409);
	expect(await router.reaches(SLOW, first, 'COMPLETED')).not.toHaveProperty('error_type');
	for (let reads = 0; reads < 2; reads++) expect((await result(first)).json).toEqual({ waited_ms: 20, note: null });
	expect(billed(idempotencyKey)).toBe(1);
});

test('a canceled request is not billed, and lets the next one begin, whether it runs or waits', async () => {
	sandbox.setRouterConcurrency(1);
	const keys = [newKey(), newKey(), newKey()];
	const requests: string[] = [];
	for (const idempotencyKey of keys) requests.push(await router.queued(SLOW, { ms: 5000 }, { idempotencyKey }));
	const [first = '', second = '', waiting = ''] = requests;
	for (const request of [waiting, first, second]) {
		if (request !== waiting) await router.reaches(SLOW, request, 'IN_PROGRESS');
		expect((await router.call('cancelRequest', { model: SLOW, request })).status).toBe(202);
		expect(await router.reaches(SLOW, request, 'COMPLETED')).toMatchObject({ error_type: 'cancelled' });
		expect(bucketOf(await result(request))).toBe('cancelled');
		expect((await router.call('cancelRequest', { model: SLOW, request })).json.status).toBe('ALREADY_COMPLETED');
	}
	expect(keys.map(billed)).toEqual([0, 0, 0]);
});

test('a request that failed may have a result, which is billed', async () => {
	const [model, idempotencyKey] = ['lab/stored-failure', newKey()];
	const request = await router.queued(model, { prompt: 'x' }, { idempotencyKey });
	expect(await router.reaches(model, request, 'COMPLETED')).toMatchObject({ error_type: 'client_disconnected' });
	expect(await result(request, model)).toMatchObject({ status: 200, json: { input: { prompt: 'x' } } });
	expect(billed(idempotencyKey)).toBe(1);
});
