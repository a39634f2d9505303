import { clock } from '../../../client';
import { failingGraph, quickGraph, slowGraph } from '../support/graphs';
import { EVENTS, READ, useWaits, wait } from '../support/waits';
import { FIRST_INTERVAL_MS } from '../../../client/wait/times';
import { runFaster } from '../../support/fastClock';

const { harness, started, count, finished } = useWaits();

describe('live', () => {
	test.each(['hosted', 'deployment', 'self_hosted'] as const)('on %s: a read, a stream, a read', async (surface) => {
		const { connection, job } = await started(surface, slowGraph(6, 100));
		const { job: ended, finished: isFinished, events } = await wait(connection, job);
		expect(isFinished).toBe(true);
		expect(ended).toMatchObject({ status: 'succeeded', outputs: [{ node_id: '3' }] });
		expect([count(READ), count(EVENTS)]).toEqual([2, 1]);
		expect(harness.sandbox.requests()).toHaveLength(3);
		const kinds = new Set(events.map(({ kind }) => kind));
		expect(kinds).toEqual(
			new Set(surface === 'self_hosted' ? ['status', 'progress', 'preview'] : ['status', 'progress', 'preview', 'output']),
		);
		const preview = events.find((event) => event.kind === 'preview');
		expect(
			Buffer.from(preview?.kind === 'preview' ? preview.data : '')
				.subarray(0, 2)
				.toString('hex'),
		).toBe('ffd8');
	});

	describe('where no read comes by itself for long', () => {
		runFaster(1 / 50);

		test('returns at the end, of which the stream tells', async () => {
			const { connection, job } = await started('hosted', slowGraph(5, 50));
			await wait(connection, job);
			const endedAt = Date.parse(String((await connection.jobs.get(job.job_id)).completed_at));
			const [, lastRead] = harness.sandbox.requests(READ);
			expect(Number(lastRead?.at) - endedAt).toBeLessThan(FIRST_INTERVAL_MS * 10);
		});
	});

	test('a job that has ended needs one request', async () => {
		const { connection, job } = await started('hosted', quickGraph());
		await finished(job);
		await expect(wait(connection, job)).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
		expect(harness.sandbox.requests()).toHaveLength(1);
	});

	test('a job that fails is finished', async () => {
		const { connection, job } = await started('hosted', failingGraph());
		const { job: ended } = await wait(connection, job);
		expect(ended).toMatchObject({
			status: 'failed',
			job_error: { node_id: '1', class_type: 'SandboxFail', message: expect.stringContaining('Out of paint') },
		});
	});

	test('501: polling for good', async () => {
		harness.sandbox.inject({ on: EVENTS, times: Infinity, answer: { status: 501, code: 'not_implemented' } });
		const { connection, job } = await started('hosted', slowGraph(6, 100));
		await expect(wait(connection, job)).resolves.toMatchObject({ job: { status: 'succeeded' } });
		expect(count(EVENTS)).toBe(1);
		expect(count(READ)).toBeGreaterThan(2);
	});

	test('too many streams: polling, and another try after Retry-After', async () => {
		harness.sandbox.inject({ on: EVENTS, answer: { status: 429, code: 'too_many_streams', retryAfter: 1 } });
		const { connection, job } = await started('hosted', slowGraph(30, 100));
		const { events } = await wait(connection, job, {}, { refusedMs: 500 });
		const [first, second] = harness.sandbox.requests(EVENTS).map(({ at }) => at);
		expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(990);
		expect(count(EVENTS)).toBe(2);
		expect(count(READ)).toBeGreaterThan(2);
		expect(events.some(({ kind }) => kind === 'progress')).toBe(true);
	});

	test('a stream lost in the middle: a read, and a new stream', async () => {
		harness.sandbox.inject({ on: EVENTS, fault: { kind: 'lost_stream', afterEvents: 2 } });
		const { connection, job } = await started('hosted', slowGraph(8, 100));
		await expect(wait(connection, job)).resolves.toMatchObject({ job: { status: 'succeeded' } });
		expect(count(EVENTS)).toBe(2);
		expect(count(READ)).toBe(3);
	});

	test('a silent stream is dead after its limit', async () => {
		harness.sandbox.inject({ on: EVENTS, fault: { kind: 'silent_stream', afterEvents: 1 } });
		const connection = harness.connect('hosted', { limits: { streamIdleMs: 300 } });
		const job = await connection.jobs.submit({ graph: slowGraph(20, 100) });
		const { events } = await wait(connection, job);
		expect(count(EVENTS)).toBeGreaterThanOrEqual(2);
		expect(events.some(({ kind }) => kind === 'progress')).toBe(true);
	});

	test('keep-alives are a sign of life', async () => {
		harness.sandbox.configure({ keepAliveMs: 50, progressIntervalMs: 60_000 });
		const connection = harness.connect('hosted', { limits: { streamIdleMs: 1_000 } });
		const job = await connection.jobs.submit({ graph: slowGraph(1, 1_600) });
		await wait(connection, job);
		harness.sandbox.configure({ keepAliveMs: 15_000, progressIntervalMs: 50 });
		expect(count(EVENTS)).toBe(1);
	});

	test('a stream that cannot be had is no failure of the job', async () => {
		harness.sandbox.inject({ on: EVENTS, times: Infinity, answer: { status: 502, html: true } });
		const { connection, job } = await started();
		await expect(wait(connection, job)).resolves.toMatchObject({ job: { status: 'succeeded' } });
	});

	test('a read that lags behind the terminal event is repeated at short intervals', async () => {
		const { connection, job } = await started();
		const running = { id: job.job_id, status: 'running' };
		harness.sandbox.inject({ on: READ, skip: 1, times: 3, answer: { status: 200, json: running } });
		const readAt: number[] = [];
		const { job: ended } = await wait(connection, job, { onRead: () => readAt.push(clock.now()) });
		expect([ended.status, count(READ)]).toEqual(['succeeded', 5]);
		expect(clock.now() - Number(readAt[1])).toBeLessThan(2_300);
	});
});
