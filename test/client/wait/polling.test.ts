import { slowGraph } from '../support/graphs';
import { EVENTS, READ, useWaits, wait } from '../support/waits';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

const TIMES = 5;
/** How much closer together requests may arrive than they were sent, in real milliseconds. */
const ARRIVE_CLOSER_MS = 10;
const onClock = runFaster(TIMES);
const { harness, started, count, finished } = useWaits();

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
