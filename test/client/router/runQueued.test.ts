import { clock } from '../../../client/async/clock';
import { ApiError, NoResultError, StoppedError, UnknownOutcomeError, type RouterRequest, type RouterRunOptions } from '../../../client';
import { type Decision, withObserver } from '../../../client/log/observer';
import { ROUTER_BUCKETS } from '../../../client/router/errorResponse';
import { failureOf } from '../support/bytes';
import { json, type Answer } from '../support/server';
import { cut, FAST, finished, KEY, lost, refusal, useRouterAnswers } from './support/answering';
import { STATUS, BASE, state, submitted, completed, page, bare, billing, queued } from './support/queued';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();

test('two models at a time: each is submitted once, is read by its own id and delivers its own result', async () => {
	const seen: RouterRequest[] = [];
	const { router } = harness.connect();
	const runs = [
		['lab/slow', { ms: 100, note: 'hi' }],
		['lab/open', { prompt: 'a fox' }],
	] as const;
	const results = await Promise.all(
		runs.map(async ([model, input], index) => {
			const key = crypto.randomUUID();
			const onSubmitted = (request: RouterRequest) => void (seen[index] = request);
			const { output, facts } = await router.runQueued(model, input, { idempotencyKey: key, maxWaitMs: 10_000, onSubmitted });
			expect(facts).toMatchObject({ idempotency_key: key, replayed: false, request_id: expect.any(String) });
			expect(harness.billed(key)).toBe(1);
			return output;
		}),
	);
	expect(results).toEqual([
		{ kind: 'json', value: { waited_ms: 100, note: 'hi' } },
		{ kind: 'json', value: { input: { prompt: 'a fox' } } },
	]);
	for (const [index, [model]] of runs.entries()) {
		const { id, status, request_id } = seen[index] as RouterRequest;
		expect([id, status]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), expect.stringMatching(/^IN_/)]);
		expect(request_id).not.toBe(id);
		const paths = harness.sandbox.requests(STATUS).filter(({ path }) => path.includes(model));
		expect(new Set(paths.map(({ path }) => path))).toEqual(new Set([`/v2/models/${model}/requests/${id}/status`]));
	}
});

test('a submission is repeated while the backlog is full, with its key and query, and the reads carry neither', async () => {
	const router = answers.answering(refusal(429, 'queue_backlog_full'), submitted(), completed, finished());
	await queued(router, { query: { strict_mode: 'true' } });
	const submission = 'POST /v2/models/lab/open/requests?strict_mode=true';
	expect(answers.calls()).toEqual([submission, submission, `GET ${BASE}/status`, `GET ${BASE}`]);
	expect(answers.keys()).toEqual([KEY, KEY, undefined, undefined]);
});

test.each([
	['those of the result when the submission reported others', billing('7', '70'), '7', 70],
	['those of the submission when the result reports none', {}, '1', 10],
])('the credits and the spend of a request are %s', async (_name, headers, credits, spend) => {
	const { facts } = await queued(answers.answering(submitted({}, billing('1', '10')), completed, finished({ done: true }, headers)));
	const more = { dropped_parameters: [credits], fallback_provider: credits };
	expect(facts).toMatchObject({ credits_used: credits, spend: { current: spend }, ...more });
});

test('reports how the request stands', async () => {
	const decisions: Decision[] = [];
	const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void decisions.push(decision) };
	await withObserver(observer, async () => await queued(answers.answering(submitted(), completed, finished())));
	const stands = { kind: 'job_status', jobId: 'r 1', from: 'read' };
	expect(decisions).toEqual([
		{ ...stands, status: 'IN_QUEUE', queuePosition: 3 },
		{ ...stands, status: 'COMPLETED', queuePosition: null },
	]);
});

describe('collecting a request at an address that is not known yet', () => {
	const collected = async (options: Partial<RouterRunOptions>) =>
		await failureOf(
			answers
				.open({ prefix: 'automatic' })
				.collect({ model: 'lab/open', id: 'r 1' }, { idempotencyKey: KEY, maxWaitMs: 60_000, ...options }),
		);

	test('says nothing of the request where the address is not found', async () => {
		answers.answering(refusal(401, 'unauthorized'));
		const failure = await collected({});
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: KEY, cause: { code: 'unauthorized' } });
	});

	test('ends at a stop', async () => {
		answers.answering(() => undefined);
		expect(await collected({ signal: AbortSignal.timeout(60) })).toBeInstanceOf(StoppedError);
	});
});

describe('polling', () => {
	test('pauses for a second, or by Retry-After', async () => {
		const startedAt = performance.now();
		const timers = jest.spyOn(clock, 'after');
		await queued(answers.answering(submitted({}, { 'retry-after': '20' }), state('IN_PROGRESS'), completed, finished()));
		const pauses = timers.mock.calls.map(([milliseconds]) => milliseconds).filter((milliseconds) => milliseconds < FAST.requestMs);
		timers.mockRestore();
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(210);
		// None ends early: a millisecond is added.
		expect(pauses).toEqual([201, 11]);
	});

	const inProgress = state('IN_PROGRESS', {}, {}, 202);

	test.each<[string, Answer[]]>([
		['trouble', [lost, refusal(500, 'internal_error'), refusal(429, 'rate_limited'), completed, cut]],
		['words that are new to us', [state('IN_TOMORROW'), completed]],
		['a 404 that names no kind: a gateway says it while the router behind it restarts', [page, bare, completed, page, bare]],
		['a completed request that has no result yet', [completed, inProgress, completed]],
		['an error type of null', [state('COMPLETED', { error_type: null })]],
	])('goes on over %s', async (_name, reads) => {
		await expect(queued(answers.answering(submitted(), ...reads, finished()))).resolves.toMatchObject({
			output: { value: { done: true } },
		});
	});

	test.each<[string, Answer, object]>([
		['still queued', state('IN_QUEUE'), {}],
		['in trouble', refusal(503, 'service_unavailable'), { cause: { code: 'service_unavailable' } }],
		['behind a gateway that says 404', bare, { cause: { facts: { status: 404 } } }],
	])('that ends while the request is %s is an unknown outcome', async (_name, answer, told) => {
		const failure = await failureOf(queued(answers.answering(submitted(), answer), { maxWaitMs: 60 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: KEY, ...told });
		expect(answers.calls().some((call) => call.startsWith('PUT'))).toBe(false);
	});

	test.each([
		[401, 'unauthorized'],
		[403, 'forbidden'],
		[404, 'request_not_found'],
	])('ends at once at %d %s, which leaves it open what becomes of the request', async (status, bucket) => {
		const failure = await failureOf(queued(answers.answering(submitted(), refusal(status, bucket))));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: KEY, cause: { code: bucket } });
		expect(answers.calls()).toHaveLength(2);
	});

	test('ends at once when the router keeps the request no more', async () => {
		await expect(queued(answers.answering(submitted(), refusal(410, 'request_not_found')))).rejects.toMatchObject({
			code: 'request_not_found',
			status: 410,
		});
	});

	test('needs none for a request that a replay shows completed', async () => {
		const run = await queued(
			answers.answering(state('COMPLETED', {}, { 'idempotent-replayed': 'true', 'x-comfy-credits-used': '2' }, 201), finished()),
		);
		expect(run.facts).toMatchObject({ replayed: true, credits_used: '2', request_id: 'req-ok' });
		expect(answers.calls()).toHaveLength(2);
	});
});

describe('a request that ended badly', () => {
	test.each([
		['queue_timeout', lost, { code: 'queue_timeout' }],
		['queue_timeout', refusal(503, 'service_unavailable'), { code: 'queue_timeout' }],
		['queue_timeout', state('COMPLETED', {}, {}, 202), { code: 'queue_timeout' }],
		['bucket_of_tomorrow', lost, { code: 'internal_error', details: { error_type: 'bucket_of_tomorrow', id: 'r 1' } }],
	])('with %s is reported, although its result does not mention it', async (word, result, told) => {
		await expect(queued(answers.answering(submitted(), state('COMPLETED', { error_type: word }), result))).rejects.toMatchObject({
			interface: 'router',
			message: `The request ended with ${word}`,
			...told,
		});
	});

	test('is read until its stored result has come whole, which says how the request ended', async () => {
		answers.answering(
			submitted(),
			state('COMPLETED', { error_type: 'client_disconnected' }),
			lost,
			cut,
			page,
			refusal(503, 'service_unavailable'),
			finished(),
		);
		await expect(queued(answers.open({ readBudgetMs: 5_000 }))).resolves.toMatchObject({
			output: { value: { done: true } },
			facts: { error_type: 'client_disconnected' },
		});
	});

	/** The ends that prove that nothing was made, so that the next try may send a new request. */
	const PROOFS: ReadonlySet<string> = new Set([
		...['invalid_input', 'provider_error', 'insufficient_credits', 'concurrency_limit_exceeded', 'not_enabled'],
		...['rate_limited', 'queue_timeout', 'queue_backlog_full'],
	]);

	test.each(ROUTER_BUCKETS.map((bucket) => [bucket, PROOFS.has(bucket)] as const))(
		'with %s proves that nothing was made: %s',
		async (bucket, isProof) => {
			const ended = state('COMPLETED', { error_type: bucket });
			const headers = { 'x-service-upstream-detail': 'The partner broke', 'retry-after': '7' };
			const failure = await failureOf(queued(answers.answering(submitted(), ended, refusal(400, bucket, { headers }))));
			expect(failure).toBeInstanceOf(isProof ? NoResultError : ApiError);
			expect(failure instanceof NoResultError).toBe(isProof);
			expect(failure).toMatchObject({
				interface: 'router',
				code: bucket,
				status: 400,
				message: `In the words of the router: ${bucket}`,
				details: { upstream_detail: 'The partner broke' },
				retryAfterMs: 7_000,
				requestId: 'req-1',
			});
			expect(answers.calls()).toHaveLength(3);
			const other = bucket === 'provider_error' ? 'provider_timeout' : 'provider_error';
			const otherwise = await failureOf(queued(answers.answering(submitted(), ended, refusal(502, other))));
			expect(otherwise).toMatchObject({ code: other });
			expect(otherwise).not.toBeInstanceOf(NoResultError);
		},
	);

	test('has ended, whatever its status says', async () => {
		const ended = state('OF_TOMORROW', { error_type: 'queue_timeout' });
		await expect(queued(answers.answering(submitted(), ended, refusal(504, 'queue_timeout')))).rejects.toMatchObject({
			code: 'queue_timeout',
			status: 504,
		});
		expect(answers.calls()).toHaveLength(3);
	});
});

describe('the links of an answer', () => {
	const own = () => answers.server.origin;

	test.each<[string, links: () => object, status: string, result: string]>([
		[
			"on the router's own origin are followed",
			() => ({ status_url: '/elsewhere/status', response_url: `${own()}/elsewhere/result` }),
			'/elsewhere/status',
			'/elsewhere/result',
		],
		[
			'on another origin get no request at all: the addresses are built',
			() => ({ status_url: `${own().replace('127.0.0.1', 'localhost')}/status`, response_url: 'not a link' }),
			`${BASE}/status`,
			BASE,
		],
		...[5, 'not/a/link', '//elsewhere.invalid/result', undefined].map((response_url): [string, () => object, string, string] => [
			`that are none are built: ${response_url}`,
			() => ({ response_url }),
			`${BASE}/status`,
			BASE,
		]),
	])('%s', async (_name, links, status, result) => {
		await queued(answers.answering(submitted(links()), completed, finished()));
		expect(answers.calls().slice(1)).toEqual([`GET ${status}`, `GET ${result}`]);
	});

	test.each([
		['', '/v2'],
		['/gate', '/v2'],
		['', '/v1'],
	] as const)('lead below the prefix of the address, with "%s" before their root %s', async (mount, prefix) => {
		const base = BASE.replace('/v2', prefix);
		const links = { status_url: `${mount}${base}/status?by=link`, response_url: `${own()}${mount}${base}?by=link` };
		answers.answering(submitted(links), completed, finished());
		await queued(answers.open({ baseUrl: `${own()}/gate`, prefix }));
		expect(answers.calls().slice(1)).toEqual([`GET /gate${base}/status?by=link`, `GET /gate${base}?by=link`]);
	});

	test.each([
		['/elsewhere/cancel', '/elsewhere/cancel'],
		['https://elsewhere.invalid/cancel', `${BASE}/cancel`],
	])('are followed on the own origin where the request is canceled: %s', async (cancel_url, cancel) => {
		const stopping = new AbortController();
		const router = answers.answering(submitted({ cancel_url, response_url: '/elsewhere/result' }), json(202, {}));
		await failureOf(queued(router, { signal: stopping.signal, onSubmitted: () => stopping.abort() }));
		expect(answers.calls().slice(1)).toEqual([`PUT ${cancel}`]);
	});
});
