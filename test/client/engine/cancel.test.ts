import { cancelAndConfirm, derivedId } from '../../../client';
import { failureOf } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { INTERRUPT, newGraph, QUEUE, useEngine } from './support/engine';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

runFaster(5);
const engine = useEngine();
const DELETE = 'POST /api/queue';
const long = () => slowGraph(1_000, 20);

/** A job of one user runs, one of another waits behind it. */
async function twoUsers() {
	const [ours, theirs] = [engine.connect(), engine.connect()];
	const running = (await ours.jobs.submit({ graph: long() })).job_id;
	await engine.running(running);
	const waiting = (await theirs.jobs.submit({ graph: newGraph() })).job_id;
	engine.sandbox.resetRecords();
	return { ours, theirs, running, waiting };
}

const canceled = () => engine.sandbox.ledger.cancels.map(({ jobId }) => jobId);
beforeEach(() => void engine.sandbox.ledger.cancels.splice(0));

describe.each([false, true])('with job routes: %s', (engineJobRoutes) => {
	beforeEach(() => engine.sandbox.configure({ engineJobRoutes }));

	test('POST /interrupt {prompt_id}: of a running prompt and another user’s that waits, only the first is stopped', async () => {
		const { ours, running, waiting } = await twoUsers();
		await expect(cancelAndConfirm(ours.jobs, running)).resolves.toMatchObject({
			confirmed: true,
			job: { status: 'canceled', job_error: null },
		});
		expect(canceled()).toEqual([running]);
		await expect(engine.ended(waiting)).resolves.toMatchObject({ status: 'succeeded' });
	});

	test('POST /queue {delete}: of a waiting prompt and another user’s that runs, only the first is taken away', async () => {
		const { theirs, running, waiting } = await twoUsers();
		await expect(theirs.jobs.cancel(waiting)).resolves.toMatchObject({ job_id: waiting, status: 'canceled' });
		expect(canceled()).toEqual([waiting]);
		expect(engine.count(INTERRUPT)).toBe(0);
		await expect(theirs.jobs.get(waiting)).resolves.toMatchObject({ status: 'canceled', service_status: 'deleted' });
		await expect(theirs.jobs.get(running)).resolves.toMatchObject({ status: 'running' });
	});

	test('the same with two of them running at the same time', async () => {
		engine.sandbox.configure({ engineConcurrency: 2 });
		const { jobs } = engine.connect();
		const ids = await Promise.all([1, 2].map(async () => (await jobs.submit({ graph: long() })).job_id));
		for (const id of ids) await engine.running(id);
		await cancelAndConfirm(jobs, ids[0] as string);
		expect(canceled()).toEqual([ids[0]]);
		await jobs.cancel(ids[1] as string);
	});

	test('a job that has ended stays as it is, and nothing is stopped', async () => {
		const { jobs } = engine.connect();
		const { job_id } = await jobs.submit({ graph: newGraph() });
		await engine.ended(job_id);
		await expect(cancelAndConfirm(jobs, job_id)).resolves.toMatchObject({ confirmed: false, job: { status: 'succeeded' } });
		expect(canceled()).toEqual([]);
	});

	test('a job that the engine has forgotten is not canceled but expired; one that it never knew is unknown', async () => {
		const { jobs } = engine.connect();
		const { job_id } = await jobs.submit({ graph: long() });
		await engine.running(job_id);
		engine.sandbox.restartEngine();
		await expect(jobs.cancel(job_id)).resolves.toMatchObject({ status: 'expired', job_error: { code: 'forgotten_by_engine' } });
		expect(await failureOf(jobs.cancel(crypto.randomUUID()))).toMatchObject({ code: 'job_not_found', status: 404 });
		expect(engine.count(INTERRUPT)).toBe(0);
	});
});

describe('an older engine, which interrupts whatever runs', () => {
	beforeEach(() => engine.sandbox.configure({ engineInterrupt: 'whatever_runs' }));

	test('the queue is read again just before an interrupt: a job that has ended meanwhile costs no other its run', async () => {
		const { jobs } = engine.connect();
		const first = (await jobs.submit({ graph: quickGraph(0x900000) })).job_id;
		await engine.ended(first);
		const other = (await engine.connect().jobs.submit({ graph: long() })).job_id;
		await engine.running(other);
		await jobs.cancel(first);
		expect([canceled(), engine.count(INTERRUPT)]).toEqual([[], 0]);
	});

	test('a running job is interrupted, right after the queue was read', async () => {
		const { ours, running } = await twoUsers();
		await ours.jobs.cancel(running);
		const order = engine.sandbox.requests().map(({ method, path }) => `${method} ${path}`);
		expect(order[order.indexOf(INTERRUPT) - 1]).toBe(QUEUE);
		expect(canceled()).toEqual([running]);
	});
});

test('a job that begins to run between the look and the request is interrupted', async () => {
	engine.sandbox.configure({ workers: 0 });
	const { jobs } = engine.connect();
	const { job_id } = await jobs.submit({ graph: long() });
	await jobs.get(job_id);
	engine.sandbox.inject({ on: DELETE, fault: { kind: 'delay', ms: 300 } });
	const canceling = cancelAndConfirm(jobs, job_id);
	await until(() => engine.count(DELETE) === 1);
	engine.sandbox.configure({ workers: 4 });
	await expect(canceling).resolves.toMatchObject({ confirmed: true, job: { status: 'canceled' } });
	expect([engine.count(DELETE), engine.count(INTERRUPT)]).toEqual([1, 1]);
});

test('while an interrupted job still winds up it is canceling', async () => {
	const { ours, running } = await twoUsers();
	engine.sandbox.inject({ on: INTERRUPT, answer: { status: 200 } });
	await expect(ours.jobs.cancel(running)).resolves.toMatchObject({ status: 'canceling' });
});

test('a derived id that this connection has not seen is taken for a job that was forgotten', async () => {
	await expect(engine.connect().jobs.cancel(derivedId('never sent'))).resolves.toMatchObject({ status: 'expired' });
});
