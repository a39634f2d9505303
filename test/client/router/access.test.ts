import { clock, type RouterPrefix } from '../../../client';
import { failureOf } from '../support/bytes';
import { json } from '../support/server';
import { finished, run, useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();
afterEach(() => jest.restoreAllMocks());
afterEach(() => only('both'));
const only = (prefix: RouterPrefix | 'both') =>
	harness.sandbox.configure({ routerPrefixes: prefix === 'both' ? prefix : prefix === '/v1' ? 'v1' : 'v2' });
const CATALOG = 'GET /v2/models';
const emptyPage = json(200, { data: [], has_more: false, limit: 1 });

const jwt = (expiresInSeconds = 600) => ({ kind: 'jwt', token: harness.sandbox.jwt({ expiresInSeconds }) }) as const;
const sent = () => harness.sandbox.requests().map(({ method, url }) => `${method} ${new URL(url).pathname}`);
const withClaims = (claims: string) => ({ kind: 'jwt', token: `e30.${Buffer.from(claims).toString('base64url')}.c2ln` }) as const;

describe('a credential', () => {
	test('goes in its own header: an API key as X-API-Key, a JWT as a bearer token', async () => {
		const credential = jwt();
		await harness.connect().router.page();
		await harness.connect({ credential }).router.page();
		const { apiKey } = harness.sandbox.keys;
		expect(harness.sandbox.requests(CATALOG).map(({ headers }) => [headers['x-api-key'], headers.authorization])).toEqual([
			[apiKey, undefined],
			[undefined, `Bearer ${credential.token}`],
		]);
	});

	test('and a prefix belong to one connection: two that run two models at a time keep their own', async () => {
		const expired = harness.connect({ credential: jwt(-60), prefix: '/v2' });
		const [first, second] = [jwt(600), jwt(1_200)];
		only('/v1');
		await harness.connect({ prefix: 'automatic' }).router.page();
		only('both');
		harness.sandbox.resetRecords();
		const key = () => ({ idempotencyKey: crypto.randomUUID(), maxWaitMs: 10_000 });
		await Promise.all([
			harness.connect({ credential: first, prefix: '/v1' }).router.run('lab/open', { a: 1 }, key()),
			harness.connect({ credential: second, prefix: 'automatic' }).router.run('lab/slow', { ms: 1 }, key()),
			expect(expired.router.page()).rejects.toMatchObject({ code: 'token_expired' }),
		]);
		const requests = harness.sandbox
			.requests()
			.map(({ method, url, headers }) => `${method} ${new URL(url).pathname} ${headers.authorization}`);
		expect(requests.sort()).toEqual([
			`GET /v2/models Bearer ${second.token}`,
			`POST /v1/models/lab/open Bearer ${first.token}`,
			`POST /v2/models/lab/slow Bearer ${second.token}`,
		]);
	});

	test('that is an expired token is named before anything is sent', async () => {
		const { router, verifyAccess } = harness.connect({ credential: jwt(-60), prefix: 'automatic' });
		const message = expect.stringMatching(/^The token expired at \d{4}-/) as string;
		const expired = { interface: 'router', code: 'token_expired', status: 401, message };
		for (const call of [() => run(router), () => router.page(), () => router.inputSchema('lab/open'), verifyAccess]) {
			await expect(failureOf(call())).resolves.toMatchObject(expired);
		}
		expect(harness.sandbox.requests()).toHaveLength(0);
	});

	test('that is a token which expires while the connection lives is named then', async () => {
		const endsAt = Date.now() + 60_000;
		const token = withClaims(JSON.stringify({ exp: endsAt / 1_000 }));
		const router = answers.answering(finished()) && answers.open({ credential: token });
		await run(router);
		jest.spyOn(clock, 'wallNow').mockReturnValue(endsAt + 1);
		await expect(run(router)).rejects.toMatchObject({ code: 'token_expired' });
		expect(answers.calls()).toHaveLength(1);
	});

	test.each(['no json', '{"exp":"soon"}', '{"exp":1e300}'])(
		'that is a token whose end cannot be read (%s) is left to the router',
		async (claims) => {
			answers.answering(finished());
			await expect(run(answers.open({ credential: withClaims(claims) }))).resolves.toMatchObject({ facts: { request_id: 'req-ok' } });
		},
	);

	test('that cannot be sent is refused at once', () => {
		expect(() => harness.connect({ credential: { kind: 'apiKey', key: 'two words' } })).toThrow(
			expect.objectContaining({ interface: 'router', code: 'unauthorized' }),
		);
	});
});

describe('the prefix', () => {
	test.each(['/v1', '/v2'] as const)('%s is found by a read, once for all callers, before anything is posted', async (prefix) => {
		only(prefix);
		const { router } = harness.connect({ prefix: 'automatic' });
		await Promise.all([
			run(router, { idempotencyKey: crypto.randomUUID() }),
			run(router, { idempotencyKey: crypto.randomUUID() }),
			router.model('lab/open'),
		]);
		await router.page();
		const probes = prefix === '/v2' ? 1 : 2;
		const seen = sent();
		expect(seen.slice(0, probes)).toEqual(['GET /v2/models', 'GET /v1/models'].slice(0, probes));
		expect(seen.slice(probes).sort()).toEqual([
			`GET ${prefix}/models`,
			`GET ${prefix}/models/lab/open`,
			`POST ${prefix}/models/lab/open`,
			`POST ${prefix}/models/lab/open`,
		]);
	});

	test.each(['/', '/v1', '/v2/'])('is added to a base URL that ends in %p', async (end) => {
		answers.answering(emptyPage);
		await answers.open({ baseUrl: `${answers.server.origin}/gate${end}` }).page();
		expect(answers.calls()).toEqual(['GET /gate/v2/models']);
	});

	test("is not missing where the router's own 404 says something else", async () => {
		harness.sandbox.inject({ on: CATALOG, answer: { status: 404, code: 'model_not_found' } });
		await expect(run(harness.connect({ prefix: 'automatic' }).router)).rejects.toMatchObject({ code: 'model_not_found' });
		expect(sent()).toEqual(['GET /v2/models']);
	});

	test('is looked for in the time of the run, and no unknown outcome when that fails: nothing was posted', async () => {
		harness.sandbox.inject({ on: CATALOG, times: Infinity, fault: { kind: 'drop_after' } });
		await expect(run(harness.connect({ prefix: 'automatic' }).router, { maxWaitMs: 500 })).rejects.toMatchObject({ trouble: 'lost' });
		expect(sent().length).toBeGreaterThan(1);
		expect(sent().filter((call) => call.startsWith('POST'))).toEqual([]);
	});

	test('is reported to the other callers when one of them stops', async () => {
		harness.sandbox.inject({ on: CATALOG, fault: { kind: 'delay', ms: 150 } });
		const { router } = harness.connect({ prefix: 'automatic' });
		const stopping = new AbortController();
		const stopped = failureOf(router.page({ signal: stopping.signal }));
		const other = router.page({ limit: 2 });
		stopping.abort();
		await expect(stopped).resolves.toMatchObject({ name: 'StoppedError' });
		await expect(other).resolves.toMatchObject({ limit: 2 });
	});

	test('of no router at all is reported after both were tried', async () => {
		answers.answering(json(404, { detail: 'nope' }));
		await expect(answers.open({ prefix: 'automatic' }).page()).rejects.toMatchObject({ facts: { reason: 'unexpected', status: 404 } });
		expect(answers.calls()).toEqual(['GET /v2/models?limit=1', 'GET /v1/models?limit=1']);
	});
});

test('verifyAccess reports a workspace that may not use the router, also after the prefix was found', async () => {
	const { router, verifyAccess } = harness.connect({ prefix: 'automatic' });
	await router.page();
	harness.sandbox.setRouterEnabled(false);
	await expect(verifyAccess()).rejects.toMatchObject({ code: 'not_enabled', status: 403 });
	await expect(harness.connect({ prefix: 'automatic' }).verifyAccess()).rejects.toMatchObject({ code: 'not_enabled' });
	harness.sandbox.setRouterEnabled(true);
});
