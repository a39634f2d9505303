/** Jobs that are on a server already: reads, and servers that stop or lose their jobs while a job runs. */
import { ConnectionError, type Job } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { delay } from '../../../client/async/delay';
import { newKey, PROMPT } from '../engine/support/engine';
import { failureOf } from '../support/bytes';
import { gatedGraph, newGraph, quickGraph, slowGraph } from '../support/graphs';
import { AWAITED, ELSEWHERE, ended, usePool } from './support/pool';

const TIMES = 10;
const pool = usePool();
const clockMs = runFaster(TIMES);
const JOB = 'GET /api/jobs/:id';

describe('a job by its id alone', () => {
	test('is found on its server, and later reads ask only this server', async () => {
		const { job_id } = await pool.submitTo(1);
		const connection = pool.open();
		const job = await ended(connection, job_id);
		expect(job).toMatchObject({ job_id, server: pool.address(1), status: 'succeeded' });
		expect(job.outputs[0]?.reference).toBe(job.outputs[0]?.url);
		expect(job.outputs[0]?.url).toMatch(new RegExp(`^${pool.address(1)}/`));
		const before = pool.counts(JOB);
		await connection.jobs.get(job_id);
		expect(pool.counts(JOB).map((count, nth) => count - (before[nth] ?? 0))).toEqual([0, 1, 0]);
	});

	test('is read when its server responds again, unless requests have been repeated for long enough', async () => {
		const { job_id } = await pool.submitTo(1);
		await pool.engine(1).stopEngine();
		const reading = pool.open().jobs.get(job_id);
		const failure = await failureOf(pool.open({ waitMs: 5_000 }).jobs.get(job_id));
		expect(failure).toMatchObject({ name: 'ConnectionError', origin: pool.address(1), silence: { limitMs: 5_000 } });
		await pool.engine(1).startEngine();
		expect(await reading).toMatchObject({ job_id, server: pool.address(1) });
	});

	test.each([['queued'], ['running']])('a %s job is canceled on its server only', async (stage) => {
		pool.engine(2).configure(stage === 'queued' ? { workers: 0 } : { gateOpen: false });
		const { job_id } = await pool.submitTo(2, gatedGraph(1, 1), { idempotencyKey: newKey(), keyIsOurs: true });
		const { jobs } = pool.open();
		await until(() => pool.engine(2).job(job_id)?.status === stage);
		await jobs.cancel(job_id);
		expect(await ended(pool.open(), job_id)).toMatchObject(stage === 'queued' ? { status: 'expired' } : { status: 'canceled' });
		expect(pool.engine(2).ledger.cancels.filter(({ jobId }) => jobId === job_id)).toHaveLength(1);
		expect(pool.counts('POST /api/jobs/:id/cancel')).toEqual([0, 0, 1]);
	});

	test('a canceled job gives its place back', async () => {
		pool.engine(0).configure({ workers: 0 });
		const { jobs } = pool.open({ servers: pool.settings(0) });
		const [first] = [
			await jobs.submit({ graph: newGraph() }, { placement: AWAITED }),
			await jobs.submit({ graph: newGraph() }, { placement: AWAITED }),
		];
		const third = jobs.submit({ graph: newGraph() }, { placement: AWAITED });
		await expect(jobs.cancel(first)).resolves.toMatchObject({ status: 'canceled', server: pool.address(0) });
		await expect(third).resolves.toMatchObject({ status: 'queued' });
	});

	test('the events of a job of this connection contain outputs that name their server', async () => {
		pool.engine(0).configure({ gateOpen: false });
		const { jobs } = pool.open();
		const job = await jobs.submit({ graph: gatedGraph(1, 1) });
		const outputs: unknown[] = [];
		const onOpen = (): void => pool.engine(0).configure({ gateOpen: true });
		for await (const event of jobs.events(job, { onOpen })) if (event.kind === 'output') outputs.push(event.output.reference);
		expect(outputs).toEqual([expect.stringMatching(new RegExp(`^${pool.address(0)}/api/view\\?`))]);
	});

	test('that no server knows is unknown, or expired if the id is derived, and may be on a server that does not respond', async () => {
		const [random, key] = [crypto.randomUUID(), newKey()];
		const connection = pool.open();
		for (const call of [connection.jobs.get(random), connection.jobs.cancel(random)])
			expect(await failureOf(call)).toMatchObject({ name: 'ApiError', code: 'job_not_found', status: 404 });
		await expect(connection.jobs.get(key)).resolves.toMatchObject({ status: 'expired', job_error: { code: 'forgotten_by_engine' } });
		await pool.submitTo(2, newGraph(), { idempotencyKey: key, keyIsOurs: true });
		await expect(ended(connection, key)).resolves.toMatchObject({ status: 'succeeded', server: pool.address(2) });
		await pool.engine(1).stopEngine();
		const { jobs } = pool.open({ waitMs: 5_000 });
		for (const id of [random, newKey()])
			expect(await failureOf(jobs.get(id))).toMatchObject({ name: 'ConnectionError', origin: pool.address(1) });
	});

	test('that two servers have is read where it succeeded', async () => {
		const options = { idempotencyKey: newKey(), keyIsOurs: true };
		pool.engine(0).configure({ workers: 0 });
		await pool.submitTo(0, newGraph(), options);
		await ended(pool.open(), await pool.submitTo(1, newGraph(), options));
		await expect(pool.open().jobs.get(options.idempotencyKey)).resolves.toMatchObject({ status: 'succeeded', server: pool.address(1) });
		const found = await pool.submit({ ...options, earlier: { answerLost: true } });
		expect(found).toMatchObject({ status: 'succeeded', server: pool.address(1) });
	});
});

describe('a server dies while a job runs', () => {
	const start = async (placement = AWAITED, graph = slowGraph(1, 300)): Promise<{ connection: ReturnType<typeof pool.open>; job: Job }> => {
		const connection = pool.open();
		const job = await connection.jobs.submit({ graph }, { idempotencyKey: newKey(), keyIsOurs: true, placement });
		await pool.engine(0).stopEngine();
		return { connection, job };
	};

	test('report: reads fail until it is back, and the job is delivered from there', async () => {
		const { connection, job } = await start();
		for (let reads = 0; reads < 3; reads++) {
			expect(await failureOf(connection.jobs.get(job))).toBeInstanceOf(ConnectionError);
			await delay(5_000);
		}
		await pool.engine(0).startEngine();
		await delay(3_000);
		await expect(ended(connection, job)).resolves.toMatchObject({ status: 'succeeded', server: pool.address(0) });
		expect(pool.runs(job.job_id)).toEqual([1, 0, 0]);
	});

	test('runElsewhere: after 10 s of silence it runs once on another server under the same id, although two calls read it', async () => {
		const { connection, job } = await start(ELSEWHERE);
		const startedAt = performance.now();
		const readTwice = async () => await Promise.allSettled([connection.jobs.get(job), connection.jobs.get(job)]);
		let reads = await readTwice();
		while (reads.some(({ status }) => status === 'rejected')) reads = await readTwice();
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(9_500);
		await expect(ended(connection, job)).resolves.toMatchObject({ job_id: job.job_id, status: 'succeeded', server: pool.address(1) });
		expect(pool.sent(job.job_id)).toEqual({ prompts: [1, 1, 0], runs: [1, 1, 0] });
	});

	test('runElsewhere: it stays where it is if its server is back within 10 s', async () => {
		const { connection, job } = await start(ELSEWHERE);
		await failureOf(connection.jobs.get(job));
		await pool.engine(0).startEngine();
		await delay(3_000);
		await connection.jobs.get(job);
		await pool.engine(0).stopEngine();
		await delay(8_000);
		expect(await failureOf(connection.jobs.get(job))).toBeInstanceOf(ConnectionError);
		expect(pool.runs(job.job_id)).toEqual([1, 0, 0]);
	});

	test('runElsewhere: no other server takes it, so reads fail as before', async () => {
		const { connection, job } = await start(ELSEWHERE);
		for (const nth of [1, 2]) pool.inject(nth, { on: PROMPT, times: Infinity, answer: { status: 413 } });
		await failureOf(connection.jobs.get(job));
		await delay(11_000);
		expect(await failureOf(connection.jobs.get(job))).toBeInstanceOf(ConnectionError);
		await failureOf(connection.jobs.get(job));
		expect(pool.runs(job.job_id)).toEqual([1, 0, 0]);
	});

	test('runElsewhere: it moves again, to a server that refused it and back to one that lost it', async () => {
		pool.inject(0, { on: PROMPT, answer: { status: 413 } });
		for (const nth of [0, 1]) pool.engine(nth).configure({ workers: 0 });
		const connection = pool.open({ servers: pool.settings(0, 1) });
		const job = await connection.jobs.submit({ graph: newGraph() }, { placement: ELSEWHERE });
		expect(job.server).toBe(pool.address(1));
		for (const [lost, next] of [
			[1, 0],
			[0, 1],
		] as const) {
			await pool.engine(lost).stopEngine();
			await failureOf(connection.jobs.get(job));
			await delay(11_000);
			await expect(connection.jobs.get(job)).resolves.toMatchObject({ job_id: job.job_id, server: pool.address(next) });
			pool.engine(lost).restartEngine();
			await pool.engine(lost).startEngine();
			await delay(3_000);
		}
	});

	test.each(['finished', 'canceled', 'not certainly canceled'])('runElsewhere: a job that is %s does not move', async (state) => {
		if (state !== 'finished') pool.engine(0).configure({ workers: 0 });
		const connection = pool.open();
		const job = await connection.jobs.submit({ graph: newGraph() }, { placement: ELSEWHERE });
		if (state === 'finished') await ended(connection, job);
		if (state === 'canceled') await connection.jobs.cancel(job);
		await pool.engine(0).stopEngine();
		if (state === 'not certainly canceled') await failureOf(connection.jobs.cancel(job));
		await failureOf(connection.jobs.get(job));
		await delay(11_000);
		expect(await failureOf(connection.jobs.get(job))).toBeInstanceOf(ConnectionError);
		expect(pool.counts(PROMPT)).toEqual([1, 0, 0]);
	});

	test('runElsewhere: a moved job is canceled on both servers', async () => {
		pool.engine(1).configure({ gateOpen: false });
		pool.engine(0).configure({ gateOpen: false });
		const { connection, job } = await start(ELSEWHERE, gatedGraph(1, 1));
		await failureOf(connection.jobs.get(job));
		await delay(11_000);
		await connection.jobs.get(job);
		await pool.engine(0).startEngine();
		await delay(3_000);
		await connection.jobs.cancel(job);
		expect([0, 1].map((nth) => pool.engine(nth).ledger.cancels.filter(({ jobId }) => jobId === job.job_id).length)).toEqual([1, 1]);
	});

	test('runElsewhere: a moved job gives the place on its first server back', async () => {
		for (const nth of [0, 1, 2]) pool.engine(nth).configure({ workers: 0 });
		const connection = pool.open({ servers: pool.settings(0, 1) });
		const submit = async () => await connection.jobs.submit({ graph: quickGraph() }, { placement: { ...ELSEWHERE, jobsToCome: 9 } });
		const lost = await submit();
		await submit();
		expect((await submit()).server).toBe(pool.address(0));
		await pool.engine(0).stopEngine();
		await failureOf(connection.jobs.get(lost));
		await delay(11_000);
		expect(await connection.jobs.get(lost)).toMatchObject({ server: pool.address(1) });
		pool.engine(0).restartEngine();
		await pool.engine(0).startEngine();
		await delay(3_000);
		// A job that waits for a place makes the pool read the queues.
		const queueReads = pool.counts('GET /api/queue');
		expect((await submit()).server).toBe(pool.address(0));
		expect(pool.counts('GET /api/queue')).toEqual(queueReads);
	});
});

describe('a restarted server has forgotten a job', () => {
	test.each([
		[AWAITED, { status: 'expired', job_error: { code: 'forgotten_by_engine' } }, 0],
		[ELSEWHERE, { status: 'succeeded', job_error: null }, 1],
	])('%j', async (placement, expected, runsElsewhere) => {
		pool.engine(0).configure({ workers: 0 });
		const connection = pool.open();
		const job = await connection.jobs.submit({ graph: newGraph() }, { placement });
		pool.engine(0).restartEngine();
		pool.engine(0).configure({ workers: 4 });
		await expect(ended(connection, job)).resolves.toMatchObject(expected);
		expect(pool.runs(job.job_id).reduce((sum, count) => sum + count, 0)).toBe(1 + runsElsewhere);
	});

	test('that another process has moved to another server: it is read there, its place is free, and it may move again', async () => {
		for (const nth of [0, 1, 2]) pool.engine(nth).configure({ workers: 0 });
		const connection = pool.open();
		const submit = async (placement = AWAITED) =>
			await connection.jobs.submit({ graph: quickGraph() }, { placement: { ...placement, jobsToCome: 9 } });
		const moved = await submit(ELSEWHERE);
		for (let others = 0; others < 5; others++) await submit();
		expect(pool.counts(PROMPT)).toEqual([2, 2, 2]);
		pool.engine(0).restartEngine();
		await pool.submitTo(2, newGraph(), { idempotencyKey: moved.job_id, keyIsOurs: true });
		await expect(connection.jobs.get(moved)).resolves.toMatchObject({ server: pool.address(2) });
		const queueReads = pool.counts('GET /api/queue');
		expect((await submit()).server).toBe(pool.address(0));
		expect(pool.counts('GET /api/queue')).toEqual(queueReads);
		await pool.engine(2).stopEngine();
		await failureOf(connection.jobs.get(moved));
		await delay(11_000);
		await expect(connection.jobs.get(moved)).resolves.toMatchObject({
			status: 'queued',
			server: expect.not.stringContaining(pool.address(2)),
		});
	});
});
