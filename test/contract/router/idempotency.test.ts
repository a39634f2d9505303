/** Each idempotency rule of the router, and its limits. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { Answered } from '../checkedCall';
import { until } from '../../support/until';
import { bucketOf, calmDown, newKey, RouterCaller } from './caller';

const DAY_MS = 24 * 60 * 60 * 1000;
const MODEL = 'lab/free';
const INPUT = { prompt: 'x' };

let sandbox: Sandbox;
let router: RouterCaller;
beforeAll(async () => {
	sandbox = await startSandbox();
	router = new RouterCaller(sandbox);
});
afterAll(async () => await sandbox.close());
afterEach(() => calmDown(sandbox));

const arrived = (): number => sandbox.requests('POST /*', 'router').length;
const billed = (idempotencyKey: string): number => sandbox.ledger.routerRuns.filter((run) => run.idempotencyKey === idempotencyKey).length;
const told = (answer: Answered) => [answer.status, bucketOf(answer), answer.headers.get('retry-after')];
const isReplay = ({ headers }: Answered): boolean => headers.get('idempotent-replayed') === 'true';

describe('idempotency rules', () => {
	const checks: Record<string, (key: string) => Promise<void>> = {
		'1: the key is reused for every attempt, and not echoed': async (key) => {
			const model = 'lab/image';
			const [first, second] = [
				await router.run(model, INPUT, { idempotencyKey: key }),
				await router.run(model, INPUT, { idempotencyKey: key }),
			];
			expect([isReplay(first), isReplay(second), billed(key)]).toEqual([false, true, 1]);
			expect(second.json).toEqual(first.json);
			const priceOf = ({ headers }: Answered) => headers.get('x-service-credits-used');
			expect([priceOf(first), priceOf(second)]).toEqual([expect.any(String), null]);
			expect(JSON.stringify([...second.headers])).not.toContain(key);
			sandbox.configure({ replayedCredits: 'repeated' });
			expect(priceOf(await router.run(model, INPUT, { idempotencyKey: key }))).toBe(priceOf(first));
		},
		'2: keys are shared within the workspace': async (key) => {
			await router.run(MODEL, INPUT, { idempotencyKey: key });
			const byJwt = await router.run(MODEL, INPUT, {
				idempotencyKey: key,
				apiKey: null,
				headers: { authorization: `Bearer ${sandbox.keys.jwt}` },
			});
			const byOther = await router.run(MODEL, INPUT, { idempotencyKey: key, apiKey: sandbox.keys.otherApiKey });
			expect([isReplay(byJwt), isReplay(byOther), billed(key)]).toEqual([true, false, 2]);
		},
		'3: the same key while the original call is running: 409 concurrency_limit_exceeded with Retry-After': async (key) => {
			const before = arrived();
			const first = router.run('lab/slow', { ms: 1_500 }, { idempotencyKey: key });
			await until(() => arrived() > before);
			expect(told(await router.run('lab/slow', { ms: 1_500 }, { idempotencyKey: key }))).toEqual([409, 'concurrency_limit_exceeded', '1']);
			await first;
			expect(isReplay(await router.run('lab/slow', { ms: 1_500 }, { idempotencyKey: key }))).toBe(true);
			expect(billed(key)).toBe(1);
		},
		'4: the same key for another model path, query or body: 409 invalid_input': async (key) => {
			await router.run(MODEL, INPUT, { idempotencyKey: key });
			for (const [model, json, query] of [
				['lab/open', INPUT, ''],
				[MODEL, { prompt: 'y' }, ''],
				[MODEL, INPUT, 'strict_mode=true'],
			] as const) {
				expect(told(await router.run(model, json, { idempotencyKey: key, query }))).toEqual([409, 'invalid_input', null]);
			}
			expect(told(await router.call('submitRequest', { model: MODEL, json: INPUT, idempotencyKey: key }))).toEqual([
				409,
				'invalid_input',
				null,
			]);
			expect(isReplay(await new RouterCaller(sandbox, 'v2').run(MODEL, INPUT, { idempotencyKey: key }))).toBe(true);
		},
		'4: the same key for a record that cannot be replayed: 409 invalid_input': async (key) => {
			await router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key });
			expect(told(await router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
		},
		'5: 504 with Retry-After keeps a handle, and the same key collects that generation': async (key) => {
			sandbox.configure({ routerHoldMs: 50 });
			const answers: Answered[] = [];
			do answers.push(await router.run('lab/slow', { ms: 180 }, { idempotencyKey: key }));
			while (answers.at(-1)?.status === 504);
			expect(answers.slice(0, -1).map(told)).toContainEqual([504, 'deadline_exceeded', '1']);
			expect([answers.at(-1)?.json, billed(key)]).toEqual([{ waited_ms: 180, note: null }, 1]);
		},
		'5: 504 without a key: nothing can be collected': async () => {
			sandbox.configure({ routerHoldMs: 30 });
			const runs = sandbox.ledger.routerRuns.length;
			const answers = [await router.run('lab/slow', { ms: 80 }), await router.run('lab/slow', { ms: 80 })];
			expect(answers.map(told)).toEqual([1, 2].map(() => [504, 'deadline_exceeded', null]));
			await until(() => sandbox.ledger.routerRuns.length === runs + 2);
		},
		'5: 504 before the provider has accepted anything: nothing can be collected': async (key) => {
			sandbox.configure({ routerHoldMs: 50 });
			expect(told(await router.run('lab/slow', { ms: 0, accept_after_ms: 200 }, { idempotencyKey: key }))).toEqual([
				504,
				'deadline_exceeded',
				null,
			]);
			await new Promise((resolve) => setTimeout(resolve, 250));
			expect(billed(key)).toBe(0);
			calmDown(sandbox);
			expect(isReplay(await router.run('lab/slow', { ms: 0, accept_after_ms: 200 }, { idempotencyKey: key }))).toBe(false);
		},
		'6: a refusal before dispatch releases the key': async (key) => {
			expect((await router.run(MODEL, {}, { idempotencyKey: key })).status).toBe(422);
			sandbox.setCredits('main', 0);
			expect((await router.run(MODEL, INPUT, { idempotencyKey: key })).status).toBe(402);
			sandbox.setCredits('main', Infinity);
			expect(isReplay(await router.run(MODEL, INPUT, { idempotencyKey: key }))).toBe(false);
		},
		'6: an oversized answer makes the key non-replayable': async (key) => {
			sandbox.inject({ on: 'POST /v1/models/lab/large-json', fault: { kind: 'drop_after' } });
			await expect(router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key })).rejects.toThrow();
			expect(told(await router.run('lab/large-json', { bytes: 64 }, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
			expect(billed(key)).toBe(1);
		},
		'6: a failed write makes the key non-replayable': async (key) => {
			sandbox.inject({ on: 'POST /v1/models/lab/speech', fault: { kind: 'drop_after' } });
			await expect(router.run('lab/speech', { text: 'x' }, { idempotencyKey: key })).rejects.toThrow();
			expect(told(await router.run('lab/speech', { text: 'x' }, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
			expect(billed(key)).toBe(1);
		},
		'6: an asset that cannot be safely replayed makes the key non-replayable': async (key) => {
			await router.run('lab/partner-links', INPUT, { idempotencyKey: key });
			expect(isReplay(await router.run('lab/partner-links', INPUT, { idempotencyKey: key }))).toBe(true);
			sandbox.advanceClock(10 * 60 * 1000);
			expect(told(await router.run('lab/partner-links', INPUT, { idempotencyKey: key }))).toEqual([409, 'invalid_input', null]);
		},
		'7: the state is kept 24 hours, and a retry starts no new window': async (key) => {
			await router.run(MODEL, INPUT, { idempotencyKey: key });
			sandbox.advanceClock(DAY_MS - 60_000);
			expect(isReplay(await router.run(MODEL, INPUT, { idempotencyKey: key }))).toBe(true);
			sandbox.advanceClock(60_000);
			expect(isReplay(await router.run(MODEL, INPUT, { idempotencyKey: key }))).toBe(false);
			expect(billed(key)).toBe(2);
		},
		'8: a new key after a timeout can make a second, billable run': async (key) => {
			sandbox.configure({ routerHoldMs: 20 });
			const other = newKey();
			for (const idempotencyKey of [key, other]) await router.run('lab/slow', { ms: 60 }, { idempotencyKey });
			await until(() => billed(key) === 1 && billed(other) === 1);
		},
		'9: a 422 is not billed': async (key) => {
			expect((await router.run(MODEL, {}, { idempotencyKey: key })).status).toBe(422);
			expect(billed(key)).toBe(0);
		},
		'9: a generation that completes is billed even if the caller disconnected': async (key) => {
			await router.abandon('lab/slow', { ms: 1_500 }, { idempotencyKey: key });
			expect(billed(key)).toBe(0);
			await until(() => billed(key) === 1);
			expect((await router.run('lab/slow', { ms: 1_500 }, { idempotencyKey: key })).json).toEqual({ waited_ms: 1_500, note: null });
			expect(billed(key)).toBe(1);
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
