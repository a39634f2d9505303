import { StoppedError, waitForJob, type Connection, type Job, type JobEvent, type WaitOptions, type WaitResult } from '../../client';
import type { ServiceSurface } from '../../sandbox';
import { failureOf } from './support/bytes';
import { failingGraph, quickGraph, slowGraph } from './support/graphs';
import { useSandbox } from './support/sandbox';
import { deadOrigin } from './support/server';

const harness = useSandbox();
const READ = 'GET /api/v2/jobs/:id';
const EVENTS = 'GET /api/v2/jobs/:id/events';
const CANCEL = 'POST /api/v2/jobs/:id/cancel';

interface Waited extends WaitResult {
	events: JobEvent[];
	tookMs: number;
}

async function wait(connection: Connection, job: Job, options: Partial<WaitOptions> = {}): Promise<Waited> {
	const events: JobEvent[] = [];
	const startedAt = performance.now();
	const result = await waitForJob(connection.jobs, job.job_id, { mode: 'live', maxWaitMs: 15_000, onEvent: (event) => events.push(event), ...options });
	return { ...result, events, tookMs: performance.now() - startedAt };
}

async function started(surface: ServiceSurface = 'hosted', graph = slowGraph(6, 100)): Promise<{ connection: Connection; job: Job }> {
	const connection = harness.connect(surface);
	const job = await connection.jobs.submit({ graph });
	harness.sandbox.resetRecords();
	return { connection, job };
}

const count = (on: string): number => harness.sandbox.requests(on).length;

async function finished(job: Job): Promise<void> {
	while (!['succeeded', 'failed', 'canceled', 'expired'].includes(harness.sandbox.job(job.job_id)?.status ?? '')) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

describe('live', () => {
	test.each(['hosted', 'deployment', 'self_hosted'] as const)('on %s: a read, a stream, a read', async (surface) => {
		const { connection, job } = await started(surface, slowGraph(12, 100));
		const { job: ended, finished: isFinished, events } = await wait(connection, job);
		expect(isFinished).toBe(true);
		expect(ended).toMatchObject({ status: 'succeeded', outputs: [{ node_id: '3' }] });
		expect([count(READ), count(EVENTS)]).toEqual([2, 1]);
		expect(harness.sandbox.requests()).toHaveLength(3);
		const kinds = new Set(events.map(({ kind }) => kind));
		expect(kinds).toEqual(new Set(surface === 'self_hosted' ? ['status', 'progress', 'preview'] : ['status', 'progress', 'preview', 'output']));
		const preview = events.find((event) => event.kind === 'preview');
		expect(Buffer.from(preview?.kind === 'preview' ? preview.data : '').subarray(0, 2).toString('hex')).toBe('ffd8');
	});

	test('returns within milliseconds of the end', async () => {
		const { connection, job } = await started('hosted', slowGraph(5, 100));
		await wait(connection, job);
		const endedAt = Date.parse(String((await connection.jobs.get(job.job_id)).completed_at));
		const [, lastRead] = harness.sandbox.requests(READ);
		expect(Number(lastRead?.at) - endedAt).toBeLessThan(100);
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
		expect(ended).toMatchObject({ status: 'failed', job_error: { node_id: '1', class_type: 'SandboxFail', message: expect.stringContaining('Out of paint') } });
	});

	test('501: polling for good', async () => {
		harness.sandbox.inject({ on: EVENTS, times: Infinity, answer: { status: 501, code: 'not_implemented' } });
		const { connection, job } = await started('hosted', slowGraph(12, 100));
		await expect(wait(connection, job)).resolves.toMatchObject({ job: { status: 'succeeded' } });
		expect(count(EVENTS)).toBe(1);
		expect(count(READ)).toBeGreaterThan(2);
	});

	test('too many streams: polling, and another try after Retry-After', async () => {
		harness.sandbox.inject({ on: EVENTS, answer: { status: 429, code: 'too_many_streams', retryAfter: 1 } });
		const { connection, job } = await started('hosted', slowGraph(25, 100));
		const { events } = await wait(connection, job);
		const [first, second] = harness.sandbox.requests(EVENTS).map(({ at }) => at);
		expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(990);
		expect(count(EVENTS)).toBe(2);
		expect(count(READ)).toBeGreaterThan(2);
		expect(events.some(({ kind }) => kind === 'progress')).toBe(true);
	});

	test('a stream lost in the middle: a read, and a new stream', async () => {
		harness.sandbox.inject({ on: EVENTS, fault: { kind: 'lost_stream', afterEvents: 2 } });
		const { connection, job } = await started('hosted', slowGraph(20, 100));
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
		harness.sandbox.configure({ keepAliveMs: 100, progressIntervalMs: 60_000 });
		const connection = harness.connect('hosted', { limits: { streamIdleMs: 400 } });
		const job = await connection.jobs.submit({ graph: slowGraph(1, 1_500) });
		await wait(connection, job);
		harness.sandbox.configure({ keepAliveMs: 15_000, progressIntervalMs: 500 });
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
		const { job: ended } = await wait(connection, job);
		const times = harness.sandbox.requests(READ).map(({ at }) => at);
		expect([ended.status, times.length]).toEqual(['succeeded', 5]);
		expect(Number(times.at(-1)) - Number(times[1])).toBeLessThan(1_000);
	});
});

describe('polling', () => {
	test('opens no stream', async () => {
		const { connection, job } = await started('hosted', slowGraph(15, 100));
		const { events } = await wait(connection, job, { mode: 'polling' });
		expect([count(EVENTS), events]).toEqual([0, []]);
		const times = harness.sandbox.requests(READ).map(({ at }) => at);
		expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(490);
		expect(Number(times[2]) - Number(times[1])).toBeGreaterThanOrEqual(740);
	});

	test('goes on through trouble', async () => {
		const connection = harness.connect('hosted', { readBudgetMs: 0 });
		const job = await connection.jobs.submit({ graph: slowGraph(3, 100) });
		for (const trouble of [
			{ answer: { status: 429, code: 'rate_limited', retryAfter: 1 } },
			{ fault: { kind: 'drop_before' } as const },
			{ answer: { status: 503, html: true } },
			{ answer: { status: 200, badJson: true } },
		]) {
			harness.sandbox.inject({ on: READ, ...trouble });
		}
		await expect(wait(connection, job, { mode: 'polling' })).resolves.toMatchObject({ job: { status: 'succeeded' } });
		expect(count(READ)).toBe(5);
	});

	test.each([
		[404, 'not_found'],
		[401, 'unauthorized'],
		[403, 'forbidden'],
	])('%d is thrown', async (status, code) => {
		harness.sandbox.inject({ on: READ, skip: 1, answer: { status, code } });
		const { connection, job } = await started('hosted', slowGraph(30, 100));
		await expect(wait(connection, job, { mode: 'polling' })).rejects.toMatchObject({ status, code });
		await connection.jobs.cancel(job);
	});

	test('expired is believed only when it is read twice', async () => {
		harness.sandbox.inject({ on: READ, fault: { kind: 'false_expired' } });
		const { connection, job } = await started('self_hosted', slowGraph(10, 100));
		await expect(wait(connection, job, { mode: 'polling' })).resolves.toMatchObject({ job: { status: 'succeeded' } });

		harness.sandbox.inject({ on: READ, times: Infinity, answer: { status: 200, json: { id: 'a', status: 'expired' } } });
		harness.sandbox.resetRecords();
		await expect(wait(connection, job, { mode: 'polling' })).resolves.toMatchObject({ finished: true, job: { status: 'expired' } });
		expect(count(READ)).toBe(2);
	});
});

describe.each(['live', 'polling'] as const)('the end of max wait, %s', (mode) => {
	test('gives the job as last read, which goes on', async () => {
		const { connection, job } = await started('hosted', slowGraph(20, 100));
		const { job: last, finished: isFinished, tookMs } = await wait(connection, job, { mode, maxWaitMs: 700 });
		expect([last.status, isFinished, count(CANCEL)]).toEqual(['running', false, 0]);
		expect(tookMs).toBeLessThan(1_500);
		await connection.jobs.cancel(job);
	});

	test('cancels the job where that is wanted', async () => {
		const { connection, job } = await started('hosted', slowGraph(50, 100));
		const { job: last } = await wait(connection, job, { mode, maxWaitMs: 300, cancelOnTimeout: true });
		expect(['canceling', 'canceled']).toContain(last.status);
		await finished(job);
		expect(harness.sandbox.job(job.job_id)?.status).toBe('canceled');
	});
});

test('a wait of no time tells how the job stands', async () => {
	const { connection, job } = await started('hosted', slowGraph(20, 100));
	await expect(wait(connection, job, { maxWaitMs: 0 })).resolves.toMatchObject({ finished: false, job: { job_id: job.job_id } });
	await connection.jobs.cancel(job);
});

test('a wait without end is no wait without time', async () => {
	const { connection, job } = await started('hosted', slowGraph(3, 100));
	await expect(wait(connection, job, { maxWaitMs: Infinity })).resolves.toMatchObject({ finished: true });
});

test('a cancel on timeout that fails is told', async () => {
	harness.sandbox.inject({ on: CANCEL, answer: { status: 403, code: 'forbidden' } });
	const { connection, job } = await started('hosted', slowGraph(20, 100));
	await expect(wait(connection, job, { maxWaitMs: 200, cancelOnTimeout: true })).resolves.toMatchObject({ finished: false, cancelError: { code: 'forbidden' } });
	await connection.jobs.cancel(job);
});

test('a service that was never reached is the failure', async () => {
	const connection = harness.connect('hosted', { baseUrl: await deadOrigin(), readBudgetMs: 0 });
	const failure = await failureOf(waitForJob(connection.jobs, 'a', { mode: 'live', maxWaitMs: 700 }));
	expect(failure).toMatchObject({ trouble: 'refused' });
});

describe('a stop', () => {
	test.each(['live', 'polling'] as const)('cancels the job by its own link, %s', async (mode) => {
		const { connection, job } = await started('hosted', slowGraph(50, 100));
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 250);
		const startedAt = performance.now();
		expect(await failureOf(wait(connection, job, { mode, signal: controller.signal }))).toBeInstanceOf(StoppedError);
		expect(performance.now() - startedAt).toBeLessThan(1_500);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(1);
		await finished(job);
		const executed = harness.sandbox.ledger.executedNodes.filter(({ jobId }) => jobId === job.job_id).length;
		expect(harness.sandbox.job(job.job_id)?.status).toBe('canceled');
		expect(executed).toBeLessThan(3);
	});

	test('leaves the job alone where that is wanted', async () => {
		const { connection, job } = await started('hosted', slowGraph(10, 100));
		await failureOf(wait(connection, job, { signal: AbortSignal.timeout(200), cancelOnStop: false }));
		expect(count(CANCEL)).toBe(0);
		await finished(job);
		expect(harness.sandbox.job(job.job_id)?.status).toBe('succeeded');
	});

	test('before the start sends nothing', async () => {
		const { connection, job } = await started('hosted', quickGraph());
		expect(await failureOf(wait(connection, job, { signal: AbortSignal.abort() }))).toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests()).toHaveLength(0);
	});

	test('whose cancel gets no answer ends all the same', async () => {
		harness.sandbox.inject({ on: CANCEL, fault: { kind: 'stall' } });
		const { connection, job } = await started('hosted', slowGraph(30, 100));
		const startedAt = performance.now();
		expect(await failureOf(wait(connection, job, { signal: AbortSignal.timeout(100) }))).toBeInstanceOf(StoppedError);
		expect(performance.now() - startedAt).toBeLessThan(6_500);
	});
});
