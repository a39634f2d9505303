import { clock, ApiError, type Job, type JobEvent } from '../../../client';
import { failingGraph, quickGraph, slowGraph, gatedGraph } from '../support/graphs';
import { EVENTS, READ, useWaits, wait } from '../support/waits';
import { FIRST_INTERVAL_MS } from '../../../client/wait/times';
import { runFaster } from '../../support/fastClock';
import { failureOf } from '../support/bytes';
import { until } from '../../support/until';

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
		harness.sandbox.configure({ workers: 0 });
		const { connection, job } = await started('hosted', slowGraph(1, 10));
		const waiting = wait(connection, job);
		await until(() => count(READ) > 2);
		harness.sandbox.configure({ workers: 4 });
		await expect(waiting).resolves.toMatchObject({ job: { status: 'succeeded' } });
		expect(count(EVENTS)).toBe(1);
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

describe('a stream that ends with a refusal', () => {
	const refuse = (afterEvents: number) =>
		harness.sandbox.inject({ on: EVENTS, fault: { kind: 'error_event', code: 'upstream_unreachable', afterEvents } });

	test('X: an event stream that ends with a frame `error` ends with the refusal that it carries', async () => {
		const { connection, job } = await started('hosted', slowGraph(20, 50));
		refuse(1);
		const kinds: string[] = [];
		const failure = await failureOf(
			(async () => {
				for await (const { kind } of connection.jobs.events(job)) kinds.push(kind);
			})(),
		);
		expect(failure).toBeInstanceOf(ApiError);
		expect(failure).toMatchObject({ interface: 'v2', code: 'upstream_unreachable', message: 'Injected upstream_unreachable' });
		expect(kinds).toEqual(['status']);
	});

	test('X: the wait goes on by reads, and opens no further stream', async () => {
		harness.sandbox.configure({ gateOpen: false });
		const { connection, job } = await started('hosted', gatedGraph(4, 60));
		refuse(2);
		const waiting = wait(connection, job);
		await until(() => count(READ) > 2);
		harness.sandbox.configure({ gateOpen: true });
		await expect(waiting).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
		expect(count(EVENTS)).toBe(1);
	});
});

describe('the state that a stream has told', () => {
	let waitedFor: Job;

	afterEach(async () => {
		harness.sandbox.configure({ gateOpen: true, workers: 4 });
		await finished(waitedFor);
	});

	const progressOf = (events: readonly JobEvent[]): number[] =>
		events.flatMap((event) => (event.kind === 'progress' ? [event.progress.value] : []));

	describe('the job of a wait that ends before it', () => {
		test.each(['self_hosted', 'hosted'] as const)(
			'L4: has the status and progress that the stream reported last, on %s',
			async (surface) => {
				harness.sandbox.configure({ gateOpen: false });
				const { connection, job } = await started(surface, gatedGraph(4, 50));
				waitedFor = job;
				expect(job.status).toBe('queued');
				const { job: last, finished, events, queuedMs } = await wait(connection, job, { submitted: job, maxWaitMs: 900 });
				expect(finished).toBe(false);
				expect(last).toMatchObject({ status: 'running', service_status: 'running', queue_position: null });
				expect(last.progress?.value).toBe(progressOf(events).at(-1));
				expect(last.progress?.value).toBeGreaterThan(0);
				expect(queuedMs).not.toBeNull();
			},
		);

		test('L4: keeps the progress of the stream when a read through the API proxy returns zeros', async () => {
			harness.sandbox.configure({ gateOpen: false });
			const { connection, job } = await started('self_hosted', gatedGraph(4, 50));
			waitedFor = job;
			harness.sandbox.inject({ on: EVENTS, fault: { kind: 'lost_stream', afterEvents: 3 } });
			harness.sandbox.inject({ on: EVENTS, times: Infinity, answer: { status: 501, code: 'not_implemented' } });
			const { job: last } = await wait(connection, job, { submitted: job, maxWaitMs: 900 });
			expect(last.status).toBe('running');
			expect(last.progress?.value).toBeGreaterThan(0);
		});

		test('L4: is queued as long as the stream reports no progress', async () => {
			harness.sandbox.configure({ workers: 0 });
			const { connection, job } = await started('self_hosted', slowGraph(1, 10));
			waitedFor = job;
			const { job: last } = await wait(connection, job, { submitted: job, maxWaitMs: 300 });
			expect(last).toMatchObject({ status: 'queued', progress: null });
		});
	});

	describe('progress after a lost stream', () => {
		test.each(['self_hosted', 'hosted'] as const)(
			'L14: does not fall when the next stream begins with an older state, on %s',
			async (surface) => {
				harness.sandbox.inject({ on: EVENTS, fault: { kind: 'lost_stream', afterEvents: 10 } });
				harness.sandbox.inject({ on: EVENTS, fault: { kind: 'old_progress', value: 0.05 } });
				const { connection, job } = await started(surface, slowGraph(15, 60));
				waitedFor = job;
				const { events } = await wait(connection, job, { submitted: job });
				const values = progressOf(events);
				expect(count(EVENTS)).toBe(2);
				expect(values).toEqual([...values].sort((one, other) => one - other));
				expect(values.at(-1)).toBeGreaterThan(0.5);
			},
		);
	});
});

describe('the end that a stream misses', () => {
	const injectMissedEnd = (): void => void harness.sandbox.inject({ on: EVENTS, times: Infinity, fault: { kind: 'missed_end' } });

	describe('a stream that misses the end of its job', () => {
		test.each(['self_hosted', 'hosted'] as const)(
			'L2: returns a fast job within 2 s when the stream misses its end, on %s',
			async (surface) => {
				injectMissedEnd();
				const { connection, job } = await started(surface, slowGraph(1, 100));
				const { job: ended, tookMs } = await wait(connection, job, { submitted: job });
				expect(ended.status).toBe('succeeded');
				expect(tookMs).toBeLessThan(2_000);
				// The check, and the read after the end.
				expect([count(EVENTS), count(READ)]).toEqual([1, 2]);
			},
		);

		test('L2: checks a second time, 3 s after the stream opens', async () => {
			injectMissedEnd();
			const { connection, job } = await started('self_hosted', slowGraph(1, 1_500));
			const { tookMs } = await wait(connection, job, { submitted: job });
			expect(tookMs).toBeGreaterThan(2_500);
			expect(tookMs).toBeLessThan(4_000);
			expect([count(EVENTS), count(READ)]).toEqual([1, 3]);
		});

		test('L2: sends the same requests as before for a job whose stream reports progress', async () => {
			const { connection, job } = await started('self_hosted', slowGraph(15, 100));
			await wait(connection, job, { submitted: job });
			expect([count(EVENTS), count(READ)]).toEqual([1, 1]);
		});
	});

	describe('a stream that stays silent', () => {
		runFaster(4);
		beforeEach(() => harness.sandbox.configure({ workers: 0 }));
		afterEach(() => harness.sandbox.configure({ workers: 4 }));

		test('L2: reads a job that stays silent twice, and then not for long', async () => {
			const { connection, job } = await started('hosted', slowGraph(1, 10));
			const waiting = wait(connection, job, { submitted: job, maxWaitMs: 6_000 });
			await expect(waiting).resolves.toMatchObject({ finished: false });
			expect([count(EVENTS), count(READ)]).toEqual([1, 2]);
		});

		test('L2: checks no stream of a service that grants more streams than the API proxy', async () => {
			const connection = harness.connect('hosted');
			const jobs: Job[] = await Promise.all(
				Array.from({ length: 20 }, async () => await connection.jobs.submit({ graph: slowGraph(1, 10) })),
			);
			harness.sandbox.resetRecords();
			const waits = jobs.map(async (job) => await wait(connection, job, { submitted: job, maxWaitMs: 4_000 }));
			await until(() => count(EVENTS) === 20);
			await Promise.all(waits);
			expect(count(READ)).toBe(0);
		});
	});
});

describe('reads alone', () => {
	const TIMES = 5;
	/** How much closer together requests may arrive than they were sent, in real milliseconds. */
	const ARRIVE_CLOSER_MS = 10;
	const onClock = runFaster(TIMES);

	describe('polling', () => {
		test('opens no stream', async () => {
			harness.sandbox.configure({ workers: 0 });
			const { connection, job } = await started();
			const waiting = wait(connection, job, { mode: 'polling' });
			await until(() => count(READ) === 3);
			harness.sandbox.configure({ workers: 4 });
			const { events } = await waiting;
			expect([count(EVENTS), events]).toEqual([0, []]);
			const times = harness.sandbox.requests(READ).map(({ at }) => at);
			expect(onClock(Number(times[1]) - Number(times[0]) + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(500);
			expect(onClock(Number(times[2]) - Number(times[1]) + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(750);
		});

		test('goes on through trouble', async () => {
			const connection = harness.connect('hosted', { readBudgetMs: 0 });
			const job = await connection.jobs.submit({ graph: slowGraph(3, 10) });
			await finished(job);
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

		test.each(['live', 'polling'] as const)('goes on where the ComfyUI behind the proxy was away for a while, %s', async (mode) => {
			const { connection, job } = await started('self_hosted', slowGraph(40, 50));
			await harness.sandbox.stopEngine();
			const waiting = wait(connection, job, { mode });
			await until(() => harness.sandbox.requests(READ).some(({ status }) => status === 503));
			await harness.sandbox.startEngine();
			await expect(waiting).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
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
			const { connection, job } = await started('self_hosted', slowGraph(10, 100 / TIMES));
			await expect(wait(connection, job, { mode: 'polling' })).resolves.toMatchObject({ job: { status: 'succeeded' } });

			harness.sandbox.inject({ on: READ, times: Infinity, answer: { status: 200, json: { id: 'a', status: 'expired' } } });
			harness.sandbox.resetRecords();
			await expect(wait(connection, job, { mode: 'polling' })).resolves.toMatchObject({ finished: true, job: { status: 'expired' } });
			expect(count(READ)).toBe(2);
		});
	});
});
