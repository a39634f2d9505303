import { until } from '../../support/until';
import { runFaster } from '../../support/fastClock';
import { cancelAndConfirm, clock, isTerminal, StoppedError } from '../../../client';
import { failureOf } from '../support/bytes';
import { slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { QUEUE, STATUS } from '../support/v1';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4, v1QueueDelete: 'pending_and_running' }));

const INTERRUPT = 'POST /api/interrupt';
const count = (on: string) => harness.sandbox.requests(on).length;

async function pending() {
	harness.sandbox.configure({ workers: 0 });
	const connection = harness.connectV1();
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(40, 50) });
	return { ...connection, job_id };
}

async function running(steps = 200) {
	const connection = harness.connectV1();
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(steps, 20) });
	await until(() => harness.sandbox.job(job_id)?.status !== 'queued');
	return { ...connection, job_id };
}

test('a cancel takes the job out of the queue, reads it once, and interrupts nothing', async () => {
	const { jobs, job_id } = await pending();
	harness.sandbox.resetRecords();
	await expect(jobs.cancel(job_id)).resolves.toMatchObject({ job_id, status: 'canceled', service_status: 'cancelled', job_error: null });
	expect([count(QUEUE), count(STATUS), count(INTERRUPT)]).toEqual([1, 1, 0]);
});

test('a cancel is confirmed when the service stops a running job', async () => {
	const { jobs, job_id } = await running();
	await expect(cancelAndConfirm(jobs, job_id)).resolves.toMatchObject({ confirmed: true, job: { status: 'canceled' } });
	expect(count(QUEUE)).toBe(1);
});

describe('where only pending jobs can be canceled', () => {
	test('a cancel is not confirmed when the job still runs after the time limit', async () => {
		harness.sandbox.configure({ v1QueueDelete: 'pending_only' });
		const { jobs, job_id } = await running();
		const startedAt = performance.now();
		const { job, confirmed } = await cancelAndConfirm(jobs, job_id, { withinMs: 700 });
		expect([confirmed, isTerminal(job.status)]).toEqual([false, false]);
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(700);
		expect(count(STATUS)).toBeLessThanOrEqual(4);
		await jobs.cancel(job_id);
	});

	describe('on a clock that is slower than the requests', () => {
		runFaster(1 / 20);

		test('M17: a cancel returns when its time is over, even in the middle of a pause', async () => {
			harness.sandbox.configure({ v1QueueDelete: 'pending_only' });
			const { jobs, job_id } = await running();
			const [withinMs, startedAt] = [20, clock.now()];
			const { confirmed } = await cancelAndConfirm(jobs, job_id, { withinMs });
			expect(confirmed).toBe(false);
			expect(clock.now() - startedAt).toBeGreaterThanOrEqual(withinMs);
			expect(clock.now() - startedAt).toBeLessThan(5 * withinMs);
			harness.sandbox.configure({ v1QueueDelete: 'pending_and_running' });
			await jobs.cancel(job_id);
		});
	});

	test('a cancel is not confirmed, and waits no longer, when the job finishes first', async () => {
		harness.sandbox.configure({ v1QueueDelete: 'pending_only' });
		const { jobs, job_id } = await running(10);
		await expect(cancelAndConfirm(jobs, job_id)).resolves.toMatchObject({ confirmed: false, job: { status: 'succeeded' } });
	});
});

test('a stop ends the wait for the confirmation', async () => {
	harness.sandbox.configure({ v1QueueDelete: 'pending_only' });
	const { jobs, job_id } = await running();
	expect(await failureOf(cancelAndConfirm(jobs, job_id, { signal: AbortSignal.timeout(400) }))).toBeInstanceOf(StoppedError);
});

describe('over v2', () => {
	test.each(['hosted', 'self_hosted'] as const)('a cancel over v2 is confirmed on %s', async (surface) => {
		harness.sandbox.configure({ workers: 0 });
		const { jobs } = harness.connect(surface);
		const { job_id } = await jobs.submit({ graph: slowGraph(40, 50) });
		const { job, confirmed } = await cancelAndConfirm(jobs, job_id);
		expect([confirmed, job.status]).toEqual([true, surface === 'hosted' ? 'canceled' : 'expired']);
	});
});
