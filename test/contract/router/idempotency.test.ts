/** Each idempotency rule of the router, and its limits. */
import { sharedSandbox } from '../../nodes/support/sandbox';
import type { Answered } from '../openApi';
import { until } from '../../support/until';
import { bucketOf, calmDown, newKey, RouterCaller } from './caller';

const MODEL = 'lab/free';
const INPUT = { prompt: 'x' };

const sandbox = sharedSandbox();
const router = new RouterCaller(sandbox);
afterEach(() => calmDown(sandbox));

const arrived = (): number => sandbox.requests('POST /*', 'router').length;
const told = (answer: Answered) => [answer.status, bucketOf(answer), answer.headers.get('retry-after')];
const isReplay = ({ headers }: Answered): boolean => headers.get('idempotent-replayed') === 'true';

describe('idempotency rules', () => {
	const checks: Record<string, (key: string) => Promise<void>> = {
		'4: the same key for another model path, query or body: 409 invalid_input': async (key) => {
			await router.run(MODEL, INPUT, { idempotencyKey: key });
			for (const another of [{ model: 'lab/open' }, { json: { prompt: 'y' } }, { query: 'strict_mode=true' }]) {
				const call = { model: MODEL, json: INPUT, idempotencyKey: key, ...another };
				expect(told(await router.call('runModel', call))).toEqual([409, 'invalid_input', null]);
			}
			const queued = { model: MODEL, json: INPUT, idempotencyKey: key };
			expect(told(await router.call('submitRequest', queued))).toEqual([409, 'invalid_input', null]);
			expect(isReplay(await new RouterCaller(sandbox, 'v2').run(MODEL, INPUT, { idempotencyKey: key }))).toBe(true);
		},
		'4: the same key for a record that cannot be replayed: 409 invalid_input': async (key) => {
			await router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key });
			expect(told(await router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
		},
		'5: 504 without a key: nothing can be collected': async () => {
			sandbox.configure({ routerHoldMs: 30 });
			const runs = sandbox.ledger.routerRuns.length;
			const answers = [await router.run('lab/slow', { ms: 80 }), await router.run('lab/slow', { ms: 80 })];
			expect(answers.map(told)).toEqual([1, 2].map(() => [504, 'deadline_exceeded', null]));
			await until(() => sandbox.ledger.routerRuns.length === runs + 2);
		},
		'6: an asset that cannot be safely replayed makes the key non-replayable': async (key) => {
			await router.run('lab/partner-links', INPUT, { idempotencyKey: key });
			expect(isReplay(await router.run('lab/partner-links', INPUT, { idempotencyKey: key }))).toBe(true);
			sandbox.advanceClock(10 * 60 * 1000);
			expect(told(await router.run('lab/partner-links', INPUT, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
		},
	};
	test.each(Object.entries(checks))('%s', async (_, check) => await check(newKey()));
});

describe('limits', () => {
	const found = async (model: string): Promise<number> => (await router.call('getModel', { model })).status;
	const checks: Record<string, () => Promise<void>> = {
		'cursor: 1 to 512 characters': async () => {
			expect(String((await router.call('listModels')).json.next_cursor).length).toBeLessThanOrEqual(512);
			expect((await router.call('listModels', { query: `cursor=${'a'.repeat(513)}` })).status).toBe(400);
			expect((await router.call('listModels', { query: 'cursor=' })).status).toBe(400);
		},
		'provider: at most 64 characters': async () => {
			expect([await found(`${'l'.repeat(64)}/${'m'.repeat(128)}`), await found(`${'l'.repeat(65)}/m`)]).toEqual([200, 404]);
		},
		'model: at most 128 characters': async () => {
			expect(await found(`${'l'.repeat(64)}/${'m'.repeat(129)}`)).toBe(404);
		},
		'model id: at most 193 characters': async () => {
			const ids = (await router.walk('100')).flatMap(({ data }) => (data as Array<{ id: string }>).map(({ id }) => id.length));
			expect(Math.max(...ids)).toBe(193);
		},
		'schema URL: at most 2048 characters': async () => {
			const { input_schema_url: url } = (await router.call('getModel', { model: `${'l'.repeat(64)}/${'m'.repeat(128)}` })).json;
			expect(String(url).length).toBeLessThanOrEqual(2048);
		},
		'committed-spend headers: integers in US cents, remaining never below zero': async () => {
			const spend = ({ headers }: Answered) => ['limit', 'current', 'remaining'].map((name) => headers.get(`x-committed-spend-${name}`));
			expect(spend(await router.run('lab/image', INPUT))).toEqual([null, null, null]);
			sandbox.setSpendLimit('main', 8);
			expect(spend(await router.run('lab/image', INPUT))).toEqual(['8', '0', '8']);
			const before = arrived();
			const first = router.run('lab/slow', { ms: 1_500 });
			await until(() => arrived() > before);
			const refused = await router.run('lab/image', INPUT);
			expect([refused.status, bucketOf(refused), ...spend(refused)]).toEqual([429, 'concurrency_limit_exceeded', '8', '5', '3']);
			sandbox.setSpendLimit('main', 2);
			expect(spend(await router.run('lab/image', INPUT))).toEqual(['2', '5', '0']);
			await first;
		},
	};
	test.each(Object.entries(checks))('%s', async (_, check) => await check());
});

test.each(['', 'k'.repeat(256)])('a key of %j is refused', async (idempotencyKey) => {
	expect(told(await router.run(MODEL, INPUT, { idempotencyKey }))).toEqual([400, 'invalid_input', null]);
});
