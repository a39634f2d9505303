import type { Job } from '../../../client';
import { slowGraph } from '../support/graphs';
import { EVENTS, READ, useWaits, wait } from '../support/waits';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

const { harness, started, count } = useWaits();

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
