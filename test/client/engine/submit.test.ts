import type { Fault } from '../../../sandbox';
import { derivedId, StoppedError, UnknownOutcomeError, UnreadableAnswerError, type ApiGraph } from '../../../client';
import { failureOf } from '../support/bytes';
import { newGraph, slowGraph } from '../support/graphs';
import { until } from '../../support/until';
import { HISTORY, newKey, PROMPT, QUEUE, STATE, useEngine } from './support/engine';
import { runFaster } from '../../support/fastClock';

const engine = useEngine();
/** The client’s clock runs so many times as fast where answers are lost. */
const TIMES = 5;

test('a derived key is the id of the job, any other text gives a derived id, and no key a random one', async () => {
	const { jobs } = engine.connect();
	const key = newKey();
	const job = await jobs.submit({ graph: newGraph() }, { idempotencyKey: key, keyIsOurs: true });
	expect(job).toMatchObject({ job_id: key, interface: 'engine', status: 'queued', number: expect.any(Number) as number });
	expect((await jobs.submit({ graph: newGraph() }, { idempotencyKey: 'order 17' })).job_id).toBe(derivedId('order 17'));
	expect((await jobs.submit({ graph: newGraph() })).job_id).toMatch(/^[0-9a-f-]{14}4/);
});

test('a submission sends the graph and extra_data, with the id of the client and of the prompt', async () => {
	const graph = newGraph();
	const { jobs } = engine.connect();
	const { job_id } = await jobs.submit({ graph, extraData: { note: 'n' } });
	const [sent] = engine.requests(PROMPT);
	expect(JSON.parse(sent?.bodyText ?? '')).toMatchObject({
		prompt: graph,
		prompt_id: job_id,
		client_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
		extra_data: { note: 'n', client_prompt_id: job_id },
	});
});

describe('a duplicate prompt_id is not refused', () => {
	runFaster(TIMES);

	test.each<[name: string, fault: Fault]>([
		['is dropped after dispatch', { kind: 'drop_after' }],
		['is cut in the middle', { kind: 'truncate', afterBytes: 20 }],
		['stalls after dispatch', { kind: 'stall' }],
	])('one execution results when the answer %s, with a key and without', async (_name, fault) => {
		engine.sandbox.configure({ engineJobRoutes: true });
		for (const key of [newKey(), undefined]) {
			engine.sandbox.resetRecords();
			engine.sandbox.inject({ on: PROMPT, fault });
			const job = await engine.submit({ idempotencyKey: key, keyIsOurs: true }, { limits: { requestMs: 200 * TIMES } });
			expect([job.job_id, engine.runsOf(job.job_id), engine.count(PROMPT)]).toEqual([key ?? job.job_id, 1, 1]);
		}
	});
});

describe('what is looked through before anything is sent', () => {
	runFaster(TIMES);

	test.each([
		['waits', 'asked_for'],
		['runs', 'asked_for'],
		['has ended', 'own'],
	] as const)('a custom key whose job %s returns that job and sends nothing (ids: %s)', async (stage, enginePromptIds) => {
		const key = `order ${stage} ${enginePromptIds}`;
		engine.sandbox.configure({ enginePromptIds, workers: stage === 'waits' ? 0 : 4 });
		const first = await engine.connect().jobs.submit({ graph: slowGraph(stage === 'has ended' ? 1 : 1_000, 20) }, { idempotencyKey: key });
		if (stage === 'runs') await engine.running(first.job_id);
		if (stage === 'has ended') await engine.ended(first.job_id);
		engine.sandbox.resetRecords();
		const again = await engine.submit({ idempotencyKey: key });
		expect([again.job_id, again.status]).toEqual([first.job_id, { waits: 'queued', runs: 'running', 'has ended': 'succeeded' }[stage]]);
		expect([engine.count(PROMPT), engine.runsOf(first.job_id)]).toEqual([0, 1]);
	});

	test.each([
		[QUEUE, 'asked_for', { status: 502, html: true }],
		[HISTORY, 'asked_for', { status: 500, body: 'Server got itself in trouble' }],
		['GET /api/history', 'own', { status: 502, html: true }],
	] as const)('nothing is sent while %s fails, and the submission is unconfirmed (ids: %s)', async (on, enginePromptIds, answer) => {
		engine.sandbox.configure({ enginePromptIds });
		const key = newKey();
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_before' } });
		engine.sandbox.inject({ on, times: Infinity, answer });
		const failure = await failureOf(engine.submit({ idempotencyKey: key, keyIsOurs: true, retryBudgetMs: 5_000 }, { readBudgetMs: 0 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect([(failure as UnknownOutcomeError).idempotencyKey, engine.count(PROMPT)]).toEqual([key, 1]);
		expect(engine.count(on)).toBeGreaterThan(1);
	});

	test('an engine that keeps ids is not asked for its whole history, nor twice for its version', async () => {
		const { jobs } = engine.connect();
		for (const idempotencyKey of ['kept 1', 'kept 2']) await jobs.submit({ graph: newGraph() }, { idempotencyKey });
		expect([engine.count('GET /api/history'), engine.count('GET /api/system_stats'), engine.count(PROMPT)]).toEqual([0, 1, 2]);
	});

	test('a rejected search ends the submission at once', async () => {
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		engine.sandbox.inject({ on: QUEUE, answer: { status: 401 } });
		const failure = await failureOf(engine.submit());
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ cause: { code: 'unauthorized' } });
	});

	test('a 404 without words does not prove that there is no job', async () => {
		engine.sandbox.inject({ on: 'GET /api/jobs/:id', times: Infinity, answer: { status: 404 } });
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const { job_id } = await engine.submit();
		expect(engine.runsOf(job_id)).toBe(1);
	});
});

describe('what may still be on its way is never sent again', () => {
	runFaster(TIMES);
	const ours = () => ({ idempotencyKey: newKey(), keyIsOurs: true });

	test('B4: the job of a prompt that never arrives is searched for until Keep Trying For is over', async () => {
		const options = ours();
		engine.sandbox.inject({ on: PROMPT, answer: { status: 500, body: 'Server got itself in trouble' } });
		const failure = await failureOf(engine.submit({ ...options, retryBudgetMs: 5_000 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ idempotencyKey: options.idempotencyKey, jobId: options.idempotencyKey });
		expect([engine.count(PROMPT), engine.count(QUEUE) > 1]).toEqual([1, true]);
	});

	test('B4: a later try searches once when the first attempt was long ago', async () => {
		const options = { ...ours(), earlier: { answerLost: true, firstSentAt: Date.now() - 60_000 } };
		expect(await failureOf(engine.submit(options))).toBeInstanceOf(UnknownOutcomeError);
		expect([engine.count(PROMPT), engine.count(QUEUE)]).toEqual([0, 1]);
	});

	test('B4: nothing is sent to an engine that still starts behind a proxy', async () => {
		engine.sandbox.inject({ on: '* *', surface: 'engine', times: 3, answer: { status: 502, html: true } });
		const { job_id } = await engine.submit(ours());
		expect([engine.runsOf(job_id), engine.count(PROMPT), engine.count(STATE)]).toEqual([1, 1, 4]);
	});
});

test('a stop during the search for a lost job ends the search', async () => {
	engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
	engine.sandbox.inject({ on: QUEUE, fault: { kind: 'stall' } });
	const stop = new AbortController();
	const submitting = failureOf(engine.submit({ signal: stop.signal }));
	await until(() => engine.count(QUEUE) === 1);
	stop.abort();
	const failure = await submitting;
	expect([failure instanceof StoppedError, engine.count(QUEUE)]).toEqual([true, 1]);
});

describe('refusals', () => {
	runFaster(TIMES);
	const bad = { class_type: 'EmptyImage', inputs: { width: 'wide', height: 8, batch_size: 1, color: 0 } };
	const partlyBad = (): ApiGraph => ({
		...slowGraph(1_000, 20),
		bad,
		lost: { class_type: 'SaveImage', inputs: { images: ['bad', 0], filename_prefix: 'x' } },
	});

	test.each([
		['waits', false],
		['waits', true],
		['runs', false],
		['runs', true],
	])('a partly accepted prompt is a rejection, and the part that %s is withdrawn (job routes: %s)', async (stage, engineJobRoutes) => {
		engine.sandbox.configure({ engineJobRoutes, workers: stage === 'waits' ? 0 : 4 });
		const key = newKey();
		if (stage === 'runs') engine.sandbox.inject({ on: PROMPT, fault: { kind: 'stall', ms: 300 } });
		const failure = await failureOf(engine.connect().jobs.submit({ graph: partlyBad() }, { idempotencyKey: key, keyIsOurs: true }));
		expect(failure).toMatchObject({
			code: 'invalid_workflow',
			status: 200,
			details: { prompt_id: key, node_errors: { bad: { dependent_outputs: ['lost'] } } },
		});
		expect(engine.sandbox.ledger.cancels.filter(({ jobId }) => jobId === key)).toHaveLength(1);
	});

	test('a rejected prompt is not withdrawn from a queue that does not answer', async () => {
		engine.sandbox.inject({ on: QUEUE, times: Infinity, fault: { kind: 'stall' } });
		await expect(engine.connect().jobs.submit({ graph: partlyBad() })).rejects.toMatchObject({ status: 200 });
	});

	test('F6: reports an unconfirmed submission when the engine answers 200 with HTML and has no such job', async () => {
		engine.sandbox.inject({ on: PROMPT, times: Infinity, answer: { status: 200, html: true } });
		const failure = await failureOf(engine.submit({ retryBudgetMs: 1_000 }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ cause: expect.any(UnreadableAnswerError) });
		expect(engine.count(PROMPT)).toBe(1);
	});
});
