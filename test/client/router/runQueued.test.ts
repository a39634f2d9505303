import { clock } from '../../../client/clock';
import {
	ApiError,
	NothingCameError,
	StoppedError,
	UnknownOutcomeError,
	type ModelRouter,
	type RouterRequest,
	type RouterRunOptions,
} from '../../../client';
import { type Decision, observed } from '../../../client/observer';
import type { ROUTER_BUCKETS } from '../../../client/router/buckets';
import { failureOf } from '../support/bytes';
import { json, serve, type Answer } from '../support/server';
import { until } from '../../support/until';
import { cut, FAST, finished, KEY, lost, refusal, useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();

const SUBMIT = 'POST /v2/models/:provider/:model/requests';
const STATUS = 'GET /v2/models/:provider/:model/requests/:id/status';
const RESULT = 'GET /v2/models/:provider/:model/requests/:id';
const CANCEL = 'PUT /v2/models/:provider/:model/requests/:id/cancel';
const BASE = '/v2/models/lab/open/requests/r%201';

const state = (status: string, rest: object = {}, headers: Record<string, string> = {}, code = 200): Answer =>
	json(code, { request_id: 'r 1', status, queue_position: null, ...rest }, { 'x-service-request-id': `req-${status}`, ...headers });
const submitted = (rest: object = {}, headers: Record<string, string> = {}) =>
	state('IN_QUEUE', { queue_position: 3, ...rest }, headers, 201);
const completed = state('COMPLETED');

const page: Answer = (_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>Not found');
const bare: Answer = (_request, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');

type Options = Partial<RouterRunOptions> & { onSubmitted?: (request: RouterRequest) => void };
const queued = async (router: ModelRouter, options: Options = {}) =>
	await router.runQueued('lab/open', { a: 1 }, { idempotencyKey: KEY, maxWaitMs: 60_000, ...options });
const own = (options: Options = {}) => ({ idempotencyKey: crypto.randomUUID(), ...options });

test('submits, polls and brings the result', async () => {
	const seen: RouterRequest[] = [];
	const key = crypto.randomUUID();
	const run = await harness
		.connect()
		.router.runQueued(
			'lab/slow',
			{ ms: 100, note: 'hi' },
			{ idempotencyKey: key, maxWaitMs: 10_000, onSubmitted: (request) => seen.push(request) },
		);
	expect(run).toMatchObject({
		output: { kind: 'json', value: { waited_ms: 100, note: 'hi' } },
		facts: { idempotency_key: key, replayed: false, request_id: expect.any(String) },
	});
	expect(seen).toEqual([expect.objectContaining({ id: expect.stringMatching(/^[\da-f-]{36}$/), status: expect.stringMatching(/^IN_/) })]);
	expect(seen[0]?.request_id).not.toBe(seen[0]?.id);
	expect(harness.sandbox.requests(STATUS).length).toBeGreaterThan(0);
	expect(harness.billed(key)).toBe(1);
});

describe('the submission', () => {
	test.each([
		['dropped before dispatch', { kind: 'drop_before' }],
		['dropped after dispatch', { kind: 'drop_after' }],
		['cut in the middle', { kind: 'truncate', afterBytes: 20 }],
	] as const)('whose answer is %s is sent again with the same key', async (_name, fault) => {
		const options = own();
		harness.sandbox.inject({ on: SUBMIT, fault });
		await expect(queued(harness.connect().router, options)).resolves.toMatchObject({ facts: { replayed: fault.kind !== 'drop_before' } });
		expect(harness.billed(String(options.idempotencyKey))).toBe(1);
	});

	test('is retried while the backlog is full', async () => {
		await expect(queued(answers.answering(refusal(429, 'queue_backlog_full'), submitted(), completed, finished()))).resolves.toMatchObject({
			output: { kind: 'json' },
		});
		expect(answers.keys().slice(0, 2)).toEqual([KEY, KEY]);
	});

	test('of a model that returns raw bytes is refused', async () => {
		await expect(
			harness.connect().router.runQueued('lab/speech', { text: 'a' }, { idempotencyKey: crypto.randomUUID(), maxWaitMs: 1_000 }),
		).rejects.toMatchObject({ code: 'not_enabled', status: 403 });
	});

	test('carries the query, the reads do not', async () => {
		await queued(answers.answering(submitted(), completed, finished()), { query: { strict_mode: 'true' } });
		expect(answers.calls()).toEqual(['POST /v2/models/lab/open/requests?strict_mode=true', `GET ${BASE}/status`, `GET ${BASE}`]);
	});
});

describe('the credits and the spend of a request', () => {
	const billing = (used: string, spend: string) => ({
		'x-service-credits-used': used,
		'x-service-committed-spend-current': spend,
		'x-service-dropped-params': JSON.stringify([used]),
		'x-service-fallback-provider': used,
	});
	const inSubmission = submitted({}, billing('1', '10'));

	test('M14: are those of the result when the submission reported others', async () => {
		const { facts } = await queued(answers.answering(inSubmission, completed, finished({ done: true }, billing('7', '70'))));
		expect(facts).toMatchObject({ credits_used: '7', spend: { current: 70 }, dropped_parameters: ['7'], fallback_provider: '7' });
	});

	test('M14: are those of the submission when the result reports none', async () => {
		const { facts } = await queued(answers.answering(inSubmission, completed, finished()));
		expect(facts).toMatchObject({ credits_used: '1', spend: { current: 10 }, dropped_parameters: ['1'], fallback_provider: '1' });
	});
});

test('reports how the request stands', async () => {
	const decisions: Decision[] = [];
	const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void decisions.push(decision) };
	await observed(observer, async () => await queued(answers.answering(submitted(), completed, finished())));
	const stands = { kind: 'job_stands', jobId: 'r 1', from: 'read' };
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

	test('goes on through trouble and words that are new to us', async () => {
		await expect(
			queued(
				answers.answering(
					submitted(),
					lost,
					refusal(500, 'internal_error'),
					state('IN_TOMORROW'),
					refusal(429, 'rate_limited'),
					completed,
					cut,
					finished(),
				),
			),
		).resolves.toMatchObject({
			output: { value: { done: true } },
		});
	});

	test('goes on over a 404 that names no kind: a gateway says it while the router behind it restarts', async () => {
		await expect(queued(answers.answering(submitted(), page, bare, completed, page, bare, finished()))).resolves.toMatchObject({
			output: { value: { done: true } },
		});
	});

	test('ends as an unknown outcome where that goes on', async () => {
		const failure = await failureOf(queued(answers.answering(submitted(), bare), { maxWaitMs: 60 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: KEY, cause: { facts: { status: 404 } } });
	});

	test.each([
		[401, 'unauthorized'],
		[403, 'forbidden'],
		[404, 'request_not_found'],
	])('B2: ends at once at %d %s, which leaves it open what becomes of the request', async (status, bucket) => {
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

	test('goes on when a completed request has no result yet', async () => {
		await expect(
			queued(answers.answering(submitted(), completed, state('IN_PROGRESS', {}, {}, 202), completed, finished())),
		).resolves.toMatchObject({ output: { kind: 'json' } });
	});

	test('needs none for a request that a replay shows completed', async () => {
		const run = await queued(
			answers.answering(state('COMPLETED', {}, { 'idempotent-replayed': 'true', 'x-comfy-credits-used': '2' }, 201), finished()),
		);
		expect(run.facts).toMatchObject({ replayed: true, credits_used: '2', request_id: 'req-ok' });
		expect(answers.calls()).toHaveLength(2);
	});

	test.each([
		['still queued', state('IN_QUEUE')],
		['in trouble', refusal(503, 'service_unavailable')],
	])('that ends while the request is %s is an unknown outcome', async (_name, answer) => {
		const failure = await failureOf(queued(answers.answering(submitted(), answer), { maxWaitMs: 60 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: KEY });
		expect(answers.calls().some((call) => call.startsWith('PUT'))).toBe(false);
	});
});

describe('a request that ended badly', () => {
	test.each(['provider_error', 'provider_timeout', 'internal_error'])(
		'with %s is told as that, with what its result says',
		async (bucket) => {
			const failure = await failureOf(
				harness
					.connect()
					.router.runQueued('lab/failing', { error_type: bucket }, { idempotencyKey: crypto.randomUUID(), maxWaitMs: 5_000 }),
			);
			expect(failure).toBeInstanceOf(ApiError);
			expect(failure).toMatchObject({
				code: bucket,
				message: 'The provider did not deliver',
				details: { upstream_detail: 'The partner broke' },
			});
			expect(harness.sandbox.requests(RESULT)).toHaveLength(1);
		},
	);

	test.each([
		['queue_timeout', lost, { code: 'queue_timeout' }],
		['queue_timeout', refusal(503, 'service_unavailable'), { code: 'queue_timeout' }],
		['queue_timeout', state('COMPLETED', {}, {}, 202), { code: 'queue_timeout' }],
		['bucket_of_tomorrow', lost, { code: 'internal_error', details: { error_type: 'bucket_of_tomorrow', id: 'r 1' } }],
	])('with %s is told, though its result says nothing of it', async (word, result, told) => {
		await expect(queued(answers.answering(submitted(), state('COMPLETED', { error_type: word }), result))).rejects.toMatchObject({
			interface: 'router',
			message: `The request ended with ${word}`,
			...told,
		});
	});

	test('B8: and has a stored result all the same brings it, and says how the request ended', async () => {
		const key = crypto.randomUUID();
		const run = await harness.connect().router.runQueued('lab/stored-failure', { prompt: 'x' }, { idempotencyKey: key, maxWaitMs: 5_000 });
		expect(run).toMatchObject({ output: { value: { input: { prompt: 'x' } } }, facts: { error_type: 'client_disconnected' } });
		expect(harness.billed(key)).toBe(1);
	});

	test('B8: is read until its stored result has come whole', async () => {
		answers.answering(
			submitted(),
			state('COMPLETED', { error_type: 'client_disconnected' }),
			lost,
			cut,
			page,
			refusal(503, 'service_unavailable'),
			finished(),
		);
		await expect(queued(answers.open({ readBudgetMs: 5_000 }))).resolves.toMatchObject({ output: { value: { done: true } } });
	});

	/** For each kind of end: whether it proves that nothing was made, so that the next try may send a new request. */
	const NOTHING_CAME: Record<(typeof ROUTER_BUCKETS)[number], boolean> = {
		invalid_input: true,
		content_policy_violation: false,
		provider_error: true,
		provider_timeout: false,
		insufficient_credits: true,
		model_not_found: false,
		unauthorized: false,
		forbidden: false,
		concurrency_limit_exceeded: true,
		client_disconnected: false,
		internal_error: false,
		deadline_exceeded: false,
		not_enabled: true,
		service_unavailable: false,
		rate_limited: true,
		cancelled: false,
		queue_timeout: true,
		request_not_found: false,
		queue_backlog_full: true,
	};

	test.each(Object.entries(NOTHING_CAME))('M5: with %s proves that nothing was made: %s', async (bucket, isProof) => {
		const ended = state('COMPLETED', { error_type: bucket });
		const failure = await failureOf(queued(answers.answering(submitted(), ended, refusal(400, bucket))));
		expect(failure).toMatchObject({ code: bucket });
		expect(failure instanceof NothingCameError).toBe(isProof);
	});

	test.each(Object.keys(NOTHING_CAME))('M5: with %s proves nothing when its result says something else', async (bucket) => {
		const other = bucket === 'provider_error' ? 'provider_timeout' : 'provider_error';
		const failure = await failureOf(
			queued(answers.answering(submitted(), state('COMPLETED', { error_type: bucket }), refusal(502, other))),
		);
		expect(failure).toMatchObject({ code: other });
		expect(failure).not.toBeInstanceOf(NothingCameError);
	});

	test('has ended, whatever its status says', async () => {
		const ended = state('OF_TOMORROW', { error_type: 'queue_timeout' });
		await expect(queued(answers.answering(submitted(), ended, refusal(504, 'queue_timeout')))).rejects.toMatchObject({
			code: 'queue_timeout',
			status: 504,
		});
		expect(answers.calls()).toHaveLength(3);
	});

	test('null is no bucket', async () => {
		await expect(queued(answers.answering(submitted(), state('COMPLETED', { error_type: null }), finished()))).resolves.toMatchObject({
			output: { kind: 'json' },
		});
	});
});

describe('a stop', () => {
	test('cancels the request first', async () => {
		const stopping = new AbortController();
		const options = {
			idempotencyKey: crypto.randomUUID(),
			maxWaitMs: 60_000,
			signal: stopping.signal,
			onSubmitted: () => void setTimeout(() => stopping.abort(), 50),
		};
		await expect(harness.connect().router.runQueued('lab/slow', { ms: 5_000 }, options)).rejects.toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(CANCEL).map(({ status }) => status)).toEqual([202]);
		expect(harness.billed(options.idempotencyKey)).toBe(0);
	});

	test('while the submission is on its way cancels what it made', async () => {
		const stopping = new AbortController();
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'delay', ms: 1_000 } });
		const failing = failureOf(queued(harness.connect().router, own({ signal: stopping.signal })));
		await until(() => harness.sandbox.requests(SUBMIT).length === 1);
		stopping.abort();
		await expect(failing).resolves.toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(1);
		expect(harness.sandbox.requests(STATUS)).toHaveLength(0);
	});

	test.each([
		['a read of its status that gets no answer', [submitted()], 2],
		['a read of its result that gets no answer', [submitted(), completed], 3],
		['a read of a stored result that gets no answer', [submitted(), state('COMPLETED', { error_type: 'provider_error' })], 3],
		[
			'the pause of ten minutes before its status is read again',
			[submitted(), refusal(503, 'service_unavailable', { headers: { 'retry-after': '60000' } })],
			2,
		],
	])('ends %s, and cancels the request', async (_name, before, calls) => {
		const stopping = new AbortController();
		const silent: Answer = (request, response) => (request.method === 'PUT' ? json(202, {})(request, response) : undefined);
		const failing = failureOf(queued(answers.answering(...before, silent), { signal: stopping.signal, maxWaitMs: 900_000 }));
		await until(() => answers.calls().length === calls);
		await new Promise((resolve) => setTimeout(resolve, 20));
		stopping.abort();
		await expect(failing).resolves.toBeInstanceOf(StoppedError);
		expect(answers.calls().at(-1)).toBe(`PUT ${BASE}/cancel`);
	});

	test('is not held up by a cancel that fails', async () => {
		const stopping = new AbortController();
		const failing = queued(answers.answering(submitted(), lost), { signal: stopping.signal, onSubmitted: () => stopping.abort() });
		await expect(failing).rejects.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toEqual(['POST /v2/models/lab/open/requests', `PUT ${BASE}/cancel`]);
	});

	test('between two attempts sends nothing more', async () => {
		const stopping = new AbortController();
		const failing = failureOf(
			queued(answers.answering(refusal(503, 'service_unavailable', { headers: { 'retry-after': '60' } })), { signal: stopping.signal }),
		);
		await until(() => answers.calls().length === 1);
		stopping.abort();
		await expect(failing).resolves.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toHaveLength(1);
	});
});

describe('leaving', () => {
	/** As n8n's shutdown: a stop fires it, too. */
	function departure() {
		const [stop, shutdown] = [new AbortController(), new AbortController()];
		return { stop, shutdown, signals: { signal: stop.signal, leaving: AbortSignal.any([stop.signal, shutdown.signal]) } };
	}

	test('ends the wait at once and cancels nothing; the request is collected later, billed once', async () => {
		const { shutdown, signals } = departure();
		const key = crypto.randomUUID();
		const seen: RouterRequest[] = [];
		const onSubmitted = (request: RouterRequest) => void seen.push(request);
		const { router } = harness.connect();
		// The request waits in the queue until the process has left.
		harness.sandbox.setRouterConcurrency(0);
		// A second between two looks: one that is on its way would be counted below.
		const leaving = failureOf(
			harness
				.connect({ limits: { pauseScale: 1 } })
				.router.runQueued('lab/slow', { ms: 10 }, { idempotencyKey: key, maxWaitMs: 60_000, ...signals, onSubmitted }),
		);
		await until(() => harness.sandbox.requests(STATUS).some(({ finished }) => finished));
		shutdown.abort();
		await expect(leaving).resolves.toBeInstanceOf(StoppedError);
		expect(harness.billed(key)).toBe(0);
		const address = { model: 'lab/slow', id: String(seen[0]?.id) };
		// Who has left already gets one look.
		harness.sandbox.resetRecords();
		await expect(router.collect(address, { idempotencyKey: key, maxWaitMs: 60_000, ...signals })).rejects.toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(STATUS)).toHaveLength(1);
		harness.sandbox.setRouterConcurrency(Infinity);
		await expect(router.collect(address, { idempotencyKey: key, maxWaitMs: 60_000 })).resolves.toMatchObject({
			output: { value: { waited_ms: 10 } },
		});
		await expect(router.collect(address, { idempotencyKey: key, maxWaitMs: 60_000, ...signals })).resolves.toMatchObject({
			output: { value: { waited_ms: 10 } },
		});
		expect([harness.billed(key), harness.sandbox.requests(CANCEL).length]).toEqual([1, 0]);
	});

	test('while the submission is on its way lets it come to its end; a stop after that cancels nothing', async () => {
		const { stop, shutdown, signals } = departure();
		const key = crypto.randomUUID();
		const seen: RouterRequest[] = [];
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'delay', ms: 1_000 } });
		const leaving = failureOf(
			queued(harness.connect().router, { idempotencyKey: key, ...signals, onSubmitted: (request) => seen.push(request) }),
		);
		await until(() => harness.sandbox.requests(SUBMIT).length === 1);
		shutdown.abort();
		await new Promise(setImmediate);
		stop.abort();
		await expect(leaving).resolves.toBeInstanceOf(StoppedError);
		expect(seen).toHaveLength(1);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(0);
	});

	test('between two attempts, or before the first, sends nothing more', async () => {
		const { shutdown, signals } = departure();
		const router = answers.answering(refusal(429, 'queue_backlog_full', { headers: { 'retry-after': '60' } }));
		const failing = failureOf(queued(router, { maxWaitMs: 60_000, ...signals }));
		await until(() => answers.calls().length === 1);
		shutdown.abort();
		await expect(failing).resolves.toBeInstanceOf(StoppedError);
		await expect(queued(router, signals)).rejects.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toHaveLength(1);
	});

	test('cuts a long pause, and looks no more', async () => {
		const { shutdown, signals } = departure();
		const onSubmitted = () => void setTimeout(() => shutdown.abort(), 50);
		const router = answers.answering(submitted({}, { 'retry-after': '60000' }));
		await expect(queued(router, { maxWaitMs: 100_000_000, ...signals, onSubmitted })).rejects.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toHaveLength(1);
	});

	test('by a stop is a stop: the request is cancelled', async () => {
		const { stop, signals } = departure();
		const onSubmitted = () => void setTimeout(() => stop.abort(), 50);
		await expect(
			harness
				.connect()
				.router.runQueued('lab/slow', { ms: 5_000 }, { idempotencyKey: crypto.randomUUID(), maxWaitMs: 60_000, ...signals, onSubmitted }),
		).rejects.toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(1);
	});
});

describe('the links of an answer', () => {
	test("are followed on the router's own origin", async () => {
		const links = { status_url: '/elsewhere/status', response_url: `${answers.server.origin}/elsewhere/result` };
		await queued(answers.answering(submitted(links), completed, finished()));
		expect(answers.calls().slice(1)).toEqual(['GET /elsewhere/status', 'GET /elsewhere/result']);
	});

	test('on another origin get no request at all: the addresses are built', async () => {
		const foreign = await serve(finished());
		const links = { status_url: `${foreign.origin}/status`, response_url: 'not a link', cancel_url: `${foreign.origin}/cancel` };
		await queued(answers.answering(submitted(links), completed, finished()));
		await foreign.close();
		expect(foreign.seen).toHaveLength(0);
		expect(answers.calls().slice(1)).toEqual([`GET ${BASE}/status`, `GET ${BASE}`]);
	});

	test.each([5, 'not/a/link', '//elsewhere.invalid/result', undefined])('that are none are built: %j', async (response_url) => {
		await queued(answers.answering(submitted({ response_url }), completed, finished()));
		expect(answers.calls().slice(1)).toEqual([`GET ${BASE}/status`, `GET ${BASE}`]);
	});

	test('are followed where the request is canceled', async () => {
		const stopping = new AbortController();
		const router = answers.answering(submitted({ cancel_url: '/elsewhere/cancel' }), json(202, {}));
		await failureOf(queued(router, { signal: stopping.signal, onSubmitted: () => stopping.abort() }));
		expect(answers.calls().slice(1)).toEqual(['PUT /elsewhere/cancel']);
	});
});
