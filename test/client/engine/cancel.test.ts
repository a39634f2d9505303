import { cancelAndConfirm } from '../../../client';
import { failureOf } from '../support/bytes';
import { newGraph, slowGraph } from '../support/graphs';
import { INTERRUPT, QUEUE, useEngine } from './support/engine';
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

	test('a cancel takes a waiting job away and no other one, and reports a forgotten job as expired and an unknown one as missing', async () => {
		const { ours, theirs, running, waiting } = await twoUsers();
		await expect(theirs.jobs.cancel(waiting)).resolves.toMatchObject({ job_id: waiting, status: 'canceled' });
		await expect(theirs.jobs.get(waiting)).resolves.toMatchObject({ status: 'canceled', service_status: 'deleted' });
		await expect(theirs.jobs.get(running)).resolves.toMatchObject({ status: 'running' });
		engine.sandbox.restartEngine();
		await expect(ours.jobs.cancel(running)).resolves.toMatchObject({ status: 'expired', job_error: { code: 'forgotten_by_engine' } });
		expect(await failureOf(ours.jobs.cancel(crypto.randomUUID()))).toMatchObject({ code: 'job_not_found', status: 404 });
		expect([canceled(), engine.count(INTERRUPT)]).toEqual([[waiting], 0]);
	});
});

test('an older engine, which interrupts whatever runs, is interrupted right after a read of its queue', async () => {
	engine.sandbox.configure({ engineInterrupt: 'whatever_runs' });
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
