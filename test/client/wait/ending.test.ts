import { connect, StoppedError, waitForJob } from '../../../client';
import { failureOf } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { deadOrigin } from '../support/deadOrigin';
import { json, serve } from '../support/server';
import { CANCEL, READ, useWaits, wait } from '../support/waits';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

const { harness, started, count, finished } = useWaits();

describe.each(['live', 'polling'] as const)('the end of max wait, %s', (mode) => {
	test('gives the job as last read, which goes on', async () => {
		const { connection, job } = await started('hosted', slowGraph(400, 100));
		await until(() => harness.sandbox.job(job.job_id)?.status === 'running');
		const { job: last, finished: isFinished } = await wait(connection, job, { mode, maxWaitMs: 1_500 });
		expect([last.status, isFinished, count(CANCEL)]).toEqual(['running', false, 0]);
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
	await expect(wait(connection, job, { maxWaitMs: 200, cancelOnTimeout: true })).resolves.toMatchObject({
		finished: false,
		cancelError: { code: 'forbidden' },
	});
	await connection.jobs.cancel(job);
});

test('a service that was never reached is the failure', async () => {
	const connection = harness.connect('hosted', { baseUrl: await deadOrigin(), readBudgetMs: 0 });
	const failure = await failureOf(waitForJob(connection.jobs, 'a', { mode: 'live', maxWaitMs: 700 }));
	expect(failure).toMatchObject({ trouble: 'refused' });
});

describe('a stop', () => {
	runFaster(10);
	const read = async () => await until(() => harness.sandbox.requests(READ).some(({ finished: isAnswered }) => isAnswered));

	test.each(['live', 'polling'] as const)('cancels the job by its own link, %s', async (mode) => {
		const { connection, job } = await started('hosted', slowGraph(400, 100));
		const controller = new AbortController();
		const waiting = failureOf(wait(connection, job, { mode, signal: controller.signal }));
		await read();
		controller.abort();
		expect(await waiting).toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(1);
		await finished(job);
		const executed = harness.sandbox.ledger.executedNodes.filter(({ jobId }) => jobId === job.job_id).length;
		expect(harness.sandbox.job(job.job_id)?.status).toBe('canceled');
		expect(executed).toBeLessThan(3);
	});

	test('leaves the job alone where that is wanted', async () => {
		const { connection, job } = await started('hosted', slowGraph(50, 40));
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
		const controller = new AbortController();
		const waiting = failureOf(wait(connection, job, { signal: controller.signal }));
		await read();
		controller.abort();
		expect(await waiting).toBeInstanceOf(StoppedError);
	});
});

test('a service that answered badly, and was being asked again when the wait was over, has failed: nobody has stopped it', async () => {
	let asked = 0;
	const service = await serve((request, response) => {
		asked += 1;
		if (asked === 1) json(503, {})(request, response);
	});
	const connection = connect({ interface: 'v2', baseUrl: service.origin, readBudgetMs: 0 });
	const failure = await failureOf(waitForJob(connection.jobs, 'a', { mode: 'polling', maxWaitMs: 2_000 }));
	expect(failure).toMatchObject({ status: 503 });
	await connection.close();
	await service.close();
});
