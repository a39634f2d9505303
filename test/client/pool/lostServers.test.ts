import { type SubmitOptions, UnknownOutcomeError } from '../../../client';
import type { EarlierAttempts, SubmitEvent } from '../../../client/ports/jobService';
import { delay } from '../../../client/async/delay';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { newKey, pause, PROMPT } from '../engine/support/engine';
import { newGraph } from '../support/graphs';
import { collect, failureOf } from '../support/bytes';
import { AWAITED, ELSEWHERE, ended, modelGraph, usePool, withCheckpoints } from './support/pool';

const TIMES = 10;
/** In client time. */
const BUDGET_MS = 8_000;
const pool = usePool();
const clockMs = runFaster(TIMES);

const ours = (options: SubmitOptions = {}): SubmitOptions & { idempotencyKey: string } => ({
	idempotencyKey: newKey(),
	keyIsOurs: true,
	retryBudgetMs: BUDGET_MS,
	placement: AWAITED,
	...options,
});

/** The first prompt to this engine is lost in this way, and the engine stays down from then on. */
async function loseAt(nth: number, kind: 'drop_before' | 'drop_after'): Promise<void> {
	const fault = pool.inject(nth, { on: PROMPT, fault: { kind } });
	await until(() => fault.used === 1);
	await pool.engine(nth).stopEngine();
}

describe('the chosen server does not take the job', () => {
	test('another server takes it if the connection is refused before a byte was sent', async () => {
		const connection = pool.open();
		await ended(connection, await connection.jobs.submit({ graph: newGraph() }, ours()));
		const events: SubmitEvent[] = [];
		await pool.engine(0).stopEngine();
		const { job_id, server } = await connection.jobs.submit({ graph: newGraph() }, ours({ onEvent: (event) => void events.push(event) }));
		expect([server, pool.runs(job_id)]).toEqual([pool.address(1), [0, 1, 0]]);
		expect(events.at(-1)).toEqual({ type: 'sending' });
	});

	test.each([AWAITED, ELSEWHERE])('a lost answer of a server that is down for 7 s: the job is found there (%j)', async (placement) => {
		const events: SubmitEvent[] = [];
		const lost = loseAt(0, 'drop_after');
		const submitting = pool.submit(ours({ placement, retryBudgetMs: 60_000, onEvent: (event) => void events.push(event) }));
		await lost;
		await delay(7_000);
		await pool.engine(0).startEngine();
		const { job_id, server } = await submitting;
		expect([server, pool.runs(job_id), pool.counts(PROMPT)]).toEqual([pool.address(0), [1, 0, 0], [1, 0, 0]]);
		expect(events).toEqual([{ type: 'sending' }, { type: 'answerLost' }, { type: 'recovered', laterId: undefined }]);
	});

	test('the server stays down: the job is unconfirmed, names the server, and goes to no other one', async () => {
		const options = ours();
		const lost = loseAt(0, 'drop_before');
		const startedAt = performance.now();
		const failure = await failureOf(pool.submit(options));
		await lost;
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ servers: [pool.address(0)], jobId: options.idempotencyKey, idempotencyKey: options.idempotencyKey });
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(BUDGET_MS - 1_000);
		expect(pool.sent()).toEqual({ prompts: [1, 0, 0], runs: [0, 0, 0] });
	});

	test('an unconfirmed job gives its place back', async () => {
		const connection = pool.open({ servers: pool.settings(0) });
		for (let index = 0; index < 2; index++) {
			pool.inject(0, { on: PROMPT, fault: { kind: 'drop_before' } });
			expect(await failureOf(connection.jobs.submit({ graph: newGraph() }, ours({ retryBudgetMs: 500 })))).toBeInstanceOf(
				UnknownOutcomeError,
			);
		}
		await connection.jobs.submit({ graph: newGraph() }, ours());
		expect(pool.runs()).toEqual([1, 0, 0]);
	});
});

describe('runElsewhere', () => {
	test('the server stays down: after 10 s another server runs the job once', async () => {
		const events: SubmitEvent[] = [];
		const lost = loseAt(0, 'drop_before');
		const startedAt = performance.now();
		const options = ours({ placement: ELSEWHERE, onEvent: (event) => void events.push(event) });
		const { job_id, server } = await pool.submit(options);
		await lost;
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(9_000);
		expect([job_id, server]).toEqual([options.idempotencyKey, pool.address(1)]);
		expect(pool.sent(job_id)).toEqual({ prompts: [1, 1, 0], runs: [0, 1, 0] });
		expect(events).toContainEqual({ type: 'answerLost' });
	});

	test('no other server takes it: the job stays unconfirmed, and goes neither to the server that may have it nor to another one', async () => {
		for (const nth of [1, 2]) await pool.engine(nth).stopEngine();
		const lost = loseAt(0, 'drop_before');
		const events: SubmitEvent[] = [];
		const options = ours({ placement: ELSEWHERE, onEvent: (event) => void events.push(event) });
		const submitting = failureOf(pool.open({ waitMs: 6_000 }).jobs.submit({ graph: newGraph() }, options));
		await lost;
		await until(() => events.some(({ type }) => type === 'answerLost'));
		await delay(11_000);
		await pool.engine(0).startEngine();
		const failure = await submitting;
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ servers: [pool.address(0)], jobId: options.idempotencyKey });
		expect(pool.sent()).toEqual({ prompts: [1, 0, 0], runs: [0, 0, 0] });
	});

	test('two servers have lost the job: the job is unconfirmed, and the error names both', async () => {
		await pool.engine(2).stopEngine();
		const lost = [0, 1].map(async (nth) => await loseAt(nth, 'drop_before'));
		const failure = await failureOf(pool.open({ waitMs: 3_000 }).jobs.submit({ graph: newGraph() }, ours({ placement: ELSEWHERE })));
		await Promise.all(lost);
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ servers: [0, 1].map(pool.address) });
	});

	test('no other server has the model: the job stays unconfirmed', async () => {
		for (const nth of [1, 2]) await pool.redefine(nth, 'CheckpointLoaderSimple', withCheckpoints());
		const lost = loseAt(0, 'drop_before');
		const failure = await failureOf(pool.submit(ours({ placement: ELSEWHERE }), modelGraph()));
		await lost;
		expect(failure).toMatchObject({ name: 'UnknownOutcomeError', servers: [pool.address(0)], cause: { name: 'NoFittingServerError' } });
	});

	test('a graph with partner nodes is reported instead', async () => {
		await pool.redefine(2, 'EmptyImage', (definition) => ({ ...definition, category: 'api node/image/BFL' }));
		const lost = loseAt(0, 'drop_before');
		const failure = await failureOf(pool.submit(ours({ placement: ELSEWHERE, retryBudgetMs: 12_000 })));
		await lost;
		expect(failure).toMatchObject({ name: 'UnknownOutcomeError', servers: [pool.address(0)] });
		expect(pool.counts(PROMPT)).toEqual([1, 0, 0]);
	});
});

test('a download from a server that is down waits until the server is back after 5 s', async () => {
	const connection = pool.open({ waitMs: 20_000 });
	const job = await ended(connection, await connection.jobs.submit({ graph: newGraph() }, ours()));
	const nth = [0, 1, 2].findIndex((one) => pool.address(one) === job.server);
	await pool.engine(nth).stopEngine();
	const downloading = connection.assets.download({ url: job.outputs[0]?.url ?? '' });
	await pause(5_000 / TIMES);
	await pool.engine(nth).startEngine();
	expect((await collect((await downloading).bytes)).byteLength).toBeGreaterThan(0);
});

describe('a retry', () => {
	const answerLost = (firstSentAt = Date.now()): EarlierAttempts => ({ answerLost: true, firstSentAt });
	const lostRecord = (): EarlierAttempts => ({ lostRecord: { since: Date.now() - 60_000 } });

	test.each([0, 1, 2])('after a lost answer finds the job on server %d', async (nth) => {
		const options = ours();
		await pool.submitTo(nth, newGraph(), options);
		const events: SubmitEvent[] = [];
		const { server } = await pool.submit({ ...options, earlier: answerLost(), onEvent: (event) => void events.push(event) });
		expect([server, pool.runs(options.idempotencyKey)]).toEqual([pool.address(nth), [0, 1, 2].map((one) => (one === nth ? 1 : 0))]);
		expect(events).toEqual([{ type: 'recovered', laterId: undefined }]);
	});

	test('after a lost answer sends nothing if no server has the job, and searches until Keep Trying For is over', async () => {
		const failure = await failureOf(pool.submit(ours({ earlier: answerLost(), retryBudgetMs: 1_500 })));
		expect(failure).toMatchObject({ name: 'UnknownOutcomeError', before: undefined });
		expect(pool.counts(PROMPT)).toEqual([0, 0, 0]);
		expect(pool.counts('GET /api/queue').every((count) => count > 1)).toBe(true);
	});

	test('after a lost answer submits elsewhere if the user allows that', async () => {
		await pool.engine(0).stopEngine();
		const { job_id } = await pool.submit(ours({ earlier: answerLost(), placement: ELSEWHERE }));
		expect(pool.runs(job_id)).toEqual([0, 1, 0]);
	});

	test('without a record sends nothing while one server does not respond, and names it', async () => {
		const [options, graph] = [ours({ retryBudgetMs: 3_000 }), newGraph()];
		await pool.submitTo(1, graph, options);
		await pool.engine(1).stopEngine();
		const connection = pool.open({ waitMs: 4_000 });
		const startedAt = performance.now();
		const failure = await failureOf(connection.jobs.submit({ graph }, { ...options, earlier: lostRecord() }));
		expect(failure).toMatchObject({ name: 'UnknownOutcomeError', before: 'not_reported', servers: [pool.address(1)] });
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(3_500);
		expect(pool.counts(PROMPT)).toEqual([0, 1, 0]);
		await pool.engine(1).startEngine();
		await delay(3_000);
		const { job_id, server } = await connection.jobs.submit({ graph }, { ...options, earlier: lostRecord() });
		expect([job_id, server, pool.runs()]).toEqual([options.idempotencyKey, pool.address(1), [0, 1, 0]]);
	});

	test.each([1, 2])('without a record sends nothing, and does not search on, if server %d has another graph under the id', async (nth) => {
		const options = ours();
		await pool.submitTo(nth, newGraph(), options);
		const before = pool.counts(PROMPT);
		const failure = await failureOf(pool.submit({ ...options, earlier: lostRecord() }));
		expect(failure).toMatchObject({ name: 'UnknownOutcomeError', before: 'key_in_use' });
		expect(pool.counts(PROMPT)).toEqual(before);
	});

	test('of a key that the user entered finds its job, and a rejected search ends it', async () => {
		await pool.submitTo(2, newGraph(), { idempotencyKey: 'order 17' });
		expect(await pool.submit({ idempotencyKey: 'order 17' })).toMatchObject({ server: pool.address(2) });
		pool.inject(1, { on: 'GET /api/jobs/:id', times: Infinity, answer: { status: 401 } });
		const failure = await failureOf(pool.submit({ idempotencyKey: 'order 18' }));
		expect(failure).toMatchObject({ cause: { code: 'unauthorized' }, servers: [pool.address(1)], before: 'not_reported' });
		expect(pool.runs()).toEqual([0, 0, 1]);
	});
});
