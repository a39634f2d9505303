import { UnknownOutcomeError } from '../../../client';
import { keepsIds } from '../../../client/engine/system';
import { failureOf } from '../support/bytes';
import { newGraph, pause, PROMPT, QUEUE, useEngine } from './support/engine';
import { LATE, LATE_HAS_COME_MS, newKey, TIMES } from './support/lost';
import { runFaster } from '../../support/fastClock';

runFaster(TIMES);
const engine = useEngine();
const STATS = 'GET /api/system_stats';
const ALL_HISTORY = 'GET /api/history';

describe('an older engine, which gives every prompt an id of its own', () => {
	beforeEach(() => engine.sandbox.configure({ enginePromptIds: 'own', workers: 4 }));
	const runs = () => engine.sandbox.ledger.runs.length;

	test.each(['waits', 'has ended'])('a custom key whose job %s returns that job and sends nothing', async (stage) => {
		if (stage === 'waits') engine.sandbox.configure({ workers: 0 });
		const options = { idempotencyKey: `own ${stage}` };
		const first = await engine.submit(options);
		if (stage === 'has ended') await engine.ended(first.job_id);
		engine.sandbox.resetRecords();
		await expect(engine.submit(options)).resolves.toMatchObject({ job_id: first.job_id });
		expect(engine.count(PROMPT)).toBe(0);
		expect(engine.requests('GET /api/history').map(({ query }) => query)).toEqual(stage === 'waits' ? [] : ['max_items=100']);
	});

	test('an engine that keeps ids is not asked for its whole history, nor twice for its version', async () => {
		engine.sandbox.configure({ enginePromptIds: 'asked_for' });
		engine.sandbox.inject({ on: STATS, answer: { status: 502, html: true } });
		const { jobs } = engine.connect();
		for (const key of ['kept 1', 'kept 2']) await jobs.submit({ graph: newGraph() }, { idempotencyKey: key });
		expect([engine.count('GET /api/history'), engine.count(STATS), engine.count(PROMPT)]).toEqual([0, 2, 2]);
	});

	test('an engine that has kept an id is not asked for its version', async () => {
		engine.sandbox.configure({ enginePromptIds: 'asked_for' });
		const { jobs } = engine.connect();
		await jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey(), keyIsOurs: true });
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		await jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey(), keyIsOurs: true });
		expect([engine.count(STATS), engine.count(PROMPT)]).toEqual([0, 2]);
	});

	test('B4: a prompt that arrives late is found by its mark', async () => {
		const before = runs();
		engine.sandbox.inject({ on: PROMPT, fault: LATE });
		const arrival = pause(LATE_HAS_COME_MS);
		const { job_id } = await engine.submit({ idempotencyKey: newKey(), keyIsOurs: true });
		await arrival;
		await engine.ended(job_id);
		expect(runs() - before).toBe(1);
	});

	/** The jobs of others, ended after ours. */
	async function othersEnd(): Promise<void> {
		const { jobs } = engine.connect();
		const others = await Promise.all(
			Array.from({ length: 101 }, async () => await jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey(), keyIsOurs: true })),
		);
		for (const { job_id } of others) await engine.ended(job_id);
	}

	/** So many that nobody knows what came before. */
	const endless = () => {
		const entryOf = (nth: number) => ({ prompt: [nth, `other-${nth}`, {}, {}], outputs: {}, status: { messages: [] } });
		const entries = Array.from({ length: 1_000 }, (_, nth) => [`other-${nth}`, entryOf(nth)]);
		return { status: 200, json: Object.fromEntries(entries) as Record<string, unknown> };
	};

	test('B5: a lost job is found behind 101 newer jobs, and unconfirmed behind 1,000', async () => {
		const before = runs();
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const options = { idempotencyKey: newKey(), keyIsOurs: true, firstSentAt: Date.now() };
		engine.sandbox.inject({ on: QUEUE, times: Infinity, answer: { status: 502, html: true } });
		await failureOf(engine.submit({ ...options, retryBudgetMs: 0 }, { readBudgetMs: 0 }));
		engine.sandbox.clearFaults();
		await othersEnd();
		const again = () => engine.submit({ ...options, earlierAnswerLost: true, retryBudgetMs: 500 });
		const { job_id } = await again();
		expect(engine.runsOf(job_id)).toBe(1);
		engine.sandbox.inject({ on: ALL_HISTORY, times: Infinity, answer: endless() });
		await expect(again()).rejects.toBeInstanceOf(UnknownOutcomeError);
		expect(runs() - before).toBe(102);
	});

	test('an engine without a version is searched', async () => {
		engine.sandbox.inject({ on: STATS, times: Infinity, answer: { status: 403, html: true } });
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const before = runs();
		await engine.submit({ idempotencyKey: newKey(), keyIsOurs: true });
		expect(runs() - before).toBe(1);
	});

	test('nothing is sent while the history cannot be read', async () => {
		engine.sandbox.inject({ on: QUEUE, times: Infinity, answer: { status: 200, json: { queue_running: [], queue_pending: [] } } });
		engine.sandbox.inject({ on: 'GET /api/history', times: Infinity, answer: { status: 502, html: true } });
		engine.sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const failure = await failureOf(
			engine.submit({ idempotencyKey: newKey(), keyIsOurs: true, retryBudgetMs: 1_000 }, { readBudgetMs: 0 }),
		);
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(engine.count(PROMPT)).toBe(1);
	});

	test.each([
		['0.3.64', true],
		['0.3.75', true],
		['0.10.0', true],
		['1.0', true],
		['0.3.9', false],
		['0.2.99', false],
		['main', false],
		[null, false],
	])('an engine of version %j keeps the requested id: %j', (version, isKept) => {
		expect(keepsIds(version)).toBe(isKept);
	});
});
