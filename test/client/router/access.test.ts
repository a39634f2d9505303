import { clock, connectRouter, type RouterPrefix } from '../../../client';
import { failureOf } from '../support/bytes';
import { json, serve } from '../support/server';
import { FAST, finished, run, useRouterAnswers } from './support/answering';
import { RUN, useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();
afterEach(() => jest.restoreAllMocks());
const CATALOG = 'GET /v2/models';
const OLD_CATALOG = 'GET /v1/models';
const emptyPage = json(200, { data: [], has_more: false, limit: 1 });

const jwt = (expiresInSeconds = 600) => ({ kind: 'jwt', token: harness.sandbox.jwt({ expiresInSeconds }) }) as const;
const sent = () => harness.sandbox.requests().map(({ method, url }) => `${method} ${new URL(url).pathname}`);
const withClaims = (claims: string) => ({ kind: 'jwt', token: `e30.${Buffer.from(claims).toString('base64url')}.c2ln` }) as const;

describe('a credential', () => {
	test('API key goes as X-API-Key', async () => {
		await harness.connect().router.page();
		const [request] = harness.sandbox.requests(CATALOG);
		expect(request?.headers).toMatchObject({ 'x-api-key': harness.sandbox.keys.apiKey });
		expect(request?.headers).not.toHaveProperty('authorization');
	});

	test('JWT goes as a bearer token', async () => {
		const credential = jwt();
		await harness.connect({ credential }).router.page();
		const [request] = harness.sandbox.requests(CATALOG);
		expect(request?.headers).toMatchObject({ authorization: `Bearer ${credential.token}` });
		expect(request?.headers).not.toHaveProperty('x-api-key');
	});

	test.each(['apiKey', 'jwt'] as const)('%s runs a model, directly and queued', async (kind) => {
		const { router } = harness.connect(kind === 'jwt' ? { credential: jwt() } : {});
		const options = () => ({ idempotencyKey: crypto.randomUUID(), maxWaitMs: 10_000 });
		await expect(router.run('lab/open', { a: 1 }, options())).resolves.toMatchObject({
			output: { kind: 'json', value: { input: { a: 1 } } },
		});
		await expect(router.runQueued('lab/open', { a: 1 }, options())).resolves.toMatchObject({
			output: { kind: 'json', value: { input: { a: 1 } } },
		});
	});

	test('token that has expired is named before anything is sent', async () => {
		const { router, verifyAccess } = harness.connect({ credential: jwt(-60), prefix: 'automatic' });
		const expired = {
			interface: 'router',
			code: 'token_expired',
			status: 401,
			message: expect.stringMatching(/^The token expired at \d{4}-/),
		};
		for (const call of [() => run(router), () => router.page(), () => router.inputSchema('lab/open'), verifyAccess]) {
			await expect(failureOf(call())).resolves.toMatchObject(expired);
		}
		expect(harness.sandbox.requests()).toHaveLength(0);
	});

	test('token that expires while the connection lives is named then', async () => {
		const endsAt = Date.now() + 60_000;
		const token = withClaims(JSON.stringify({ exp: endsAt / 1_000 }));
		const router = answers.answering(finished()) && answers.open({ credential: token });
		await run(router);
		jest.spyOn(clock, 'wallNow').mockReturnValue(endsAt + 1);
		await expect(run(router)).rejects.toMatchObject({ code: 'token_expired' });
		expect(answers.calls()).toHaveLength(1);
	});

	test.each(['no json', '[]', '{}', '{"exp":"soon"}', '{"exp":1e300}'])(
		'token whose end cannot be read (%s) is left to the router',
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

	test("goes to the router's origin only", async () => {
		const elsewhere = await serve(emptyPage);
		answers.answering((_request, response) => void response.writeHead(302, { location: `${elsewhere.origin}/v2/models` }).end());
		await expect(answers.open().page()).rejects.toMatchObject({ facts: { reason: 'other_origin', redirectsTo: elsewhere.origin } });
		await elsewhere.close();
		expect(elsewhere.seen).toEqual([]);
	});
});

describe('the prefix', () => {
	const only = (prefix: RouterPrefix) => harness.sandbox.configure({ routerPrefixes: prefix === '/v1' ? 'v1' : 'v2' });
	afterEach(() => harness.sandbox.configure({ routerPrefixes: 'both' }));

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

	test.each(['/v1', '/v2'] as const)('%s that is set is not looked for', async (prefix) => {
		await run(harness.connect({ prefix }).router);
		expect(sent()).toEqual([`POST ${prefix}/models/lab/open`]);
	});

	test.each(['', '/', '/v1', '/v2/'])('a base URL may end in %p', async (end) => {
		answers.answering(emptyPage);
		await answers.open({ baseUrl: `${answers.server.origin}/gate${end}` }).page();
		expect(answers.calls()).toEqual(['GET /gate/v2/models']);
	});

	test("the router's own 404 is no missing prefix", async () => {
		harness.sandbox.inject({ on: CATALOG, answer: { status: 404, code: 'model_not_found' } });
		await expect(run(harness.connect({ prefix: 'automatic' }).router)).rejects.toMatchObject({ code: 'model_not_found' });
		expect(harness.sandbox.requests(OLD_CATALOG)).toHaveLength(0);
	});

	test('is looked for again after a failure, within the time of the run', async () => {
		harness.sandbox.inject({ on: CATALOG, fault: { kind: 'drop_after' } });
		const { router } = harness.connect({ prefix: 'automatic' });
		await run(router, { idempotencyKey: crypto.randomUUID(), maxWaitMs: 60_000 });
		expect(harness.sandbox.requests(CATALOG)).toHaveLength(2);
		expect(harness.sandbox.requests(RUN)).toHaveLength(1);
	});

	test('failing for good is no unknown outcome: nothing was posted', async () => {
		harness.sandbox.inject({ on: CATALOG, times: Infinity, fault: { kind: 'drop_after' } });
		await expect(run(harness.connect({ prefix: 'automatic' }).router, { maxWaitMs: 30 })).rejects.toMatchObject({ trouble: 'lost' });
	});

	test('a caller that stops leaves the others their answer', async () => {
		harness.sandbox.inject({ on: CATALOG, fault: { kind: 'delay', ms: 150 } });
		const { router } = harness.connect({ prefix: 'automatic' });
		const stopping = new AbortController();
		const stopped = failureOf(router.page({ signal: stopping.signal }));
		const other = router.page({ limit: 2 });
		stopping.abort();
		await expect(stopped).resolves.toMatchObject({ name: 'StoppedError' });
		await expect(other).resolves.toMatchObject({ limit: 2 });
	});

	test('of no router at all is told', async () => {
		const { server } = answers;
		answers.answering(json(404, { detail: 'nope' }));
		await expect(answers.open({ prefix: 'automatic' }).page()).rejects.toMatchObject({ facts: { reason: 'unexpected', status: 404 } });
		expect(server.seen.map(({ url }) => url)).toEqual(['/v2/models?limit=1', '/v1/models?limit=1']);
	});
});

describe('verifyAccess', () => {
	test('tells a workspace that may not use the router', async () => {
		harness.sandbox.setRouterEnabled(false);
		await expect(harness.connect({ prefix: 'automatic' }).verifyAccess()).rejects.toMatchObject({ code: 'not_enabled', status: 403 });
		harness.sandbox.setRouterEnabled(true);
	});

	test('tells what is no router', async () => {
		answers.answering(json(200, { hello: 'world' }));
		const connection = connectRouter({ baseUrl: answers.server.origin, credential: { kind: 'apiKey', key: 'k' }, limits: FAST });
		await expect(connection.verifyAccess()).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
		await connection.close();
	});

	test('asks in any case, with the prefix known or not', async () => {
		const { router, verifyAccess } = harness.connect({ prefix: 'automatic' });
		await router.page();
		harness.sandbox.setRouterEnabled(false);
		await expect(verifyAccess()).rejects.toMatchObject({ code: 'not_enabled' });
		harness.sandbox.setRouterEnabled(true);
	});
});
