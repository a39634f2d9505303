import { cancelAndConfirm } from '../../../client';
import { failureOf } from '../support/bytes';
import { slowGraph } from '../support/graphs';
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

	test('a cancel takes a waiting job away, and no job of another user', async () => {
		const { theirs, running, waiting } = await twoUsers();
		await expect(theirs.jobs.cancel(waiting)).resolves.toMatchObject({ job_id: waiting, status: 'canceled' });
		expect(canceled()).toEqual([waiting]);
		expect(engine.count(INTERRUPT)).toBe(0);
		await expect(theirs.jobs.get(waiting)).resolves.toMatchObject({ status: 'canceled', service_status: 'deleted' });
		await expect(theirs.jobs.get(running)).resolves.toMatchObject({ status: 'running' });
	});

	test('an interrupt stops one of two running jobs', async () => {
		engine.sandbox.configure({ engineConcurrency: 2 });
		const { jobs } = engine.connect();
		const ids = await Promise.all([1, 2].map(async () => (await jobs.submit({ graph: long() })).job_id));
		for (const id of ids) await engine.running(id);
		await cancelAndConfirm(jobs, ids[0] as string);
		expect(canceled()).toEqual([ids[0]]);
		await jobs.cancel(ids[1] as string);
	});

	test('a cancel reports a forgotten job as expired, and an unknown one as missing', async () => {
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

	test('an interrupt follows a read of the queue, so that no other job is stopped', async () => {
		const ended = (await engine.submit()).job_id;
		await engine.ended(ended);
		const { ours, running } = await twoUsers();
		await expect(cancelAndConfirm(ours.jobs, ended)).resolves.toMatchObject({ confirmed: false, job: { status: 'succeeded' } });
		expect([canceled(), engine.count(INTERRUPT)]).toEqual([[], 0]);
		await ours.jobs.cancel(running);
		const order = engine.sandbox.requests().map(({ method, path }) => `${method} ${path}`);
		expect(order[order.indexOf(INTERRUPT) - 1]).toBe(QUEUE);
		expect(canceled()).toEqual([running]);
	});
});

test('a cancel interrupts a job that begins to run after the first look', async () => {
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

test('an interrupted job is canceling until it has stopped', async () => {
	const { ours, running } = await twoUsers();
	engine.sandbox.inject({ on: INTERRUPT, answer: { status: 200 } });
	await expect(ours.jobs.cancel(running)).resolves.toMatchObject({ status: 'canceling' });
});
