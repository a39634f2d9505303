import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { isTerminal, waitForJob, type Job, type JobEvent } from '../../../client';
import { failureOf } from '../support/bytes';
import { failingGraph, quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { finished, JOB, STATUS } from '../support/v1';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4 }));

const SOCKET = 'GET /ws';
const count = (on: string) => harness.sandbox.requests(on).length;
const kindsOf = (events: JobEvent[]) => new Set(events.map(({ kind }) => kind));

/** Submits jobs that wait for a worker. */
async function queued(...graphs: Array<ReturnType<typeof slowGraph>>) {
	harness.sandbox.configure({ workers: 0 });
	const connection = harness.connectV1();
	const jobs: Job[] = [];
	for (const graph of graphs) jobs.push(await connection.jobs.submit({ graph }));
	harness.sandbox.resetRecords();
	return { connection, jobs };
}

async function listen(events: AsyncIterable<JobEvent>, onFirst: () => void = () => undefined): Promise<JobEvent[]> {
	const heard: JobEvent[] = [];
	for await (const event of events) {
		heard.push(event);
		if (heard.length === 1) onFirst();
	}
	return heard;
}

test('the events of a job begin with its status as read, and go on until its end', async () => {
	const { connection, jobs } = await queued(slowGraph(4, 30));
	const events = await listen(connection.jobs.events(jobs[0] as Job), () => harness.sandbox.configure({ workers: 4 }));
	expect(events[0]).toEqual({ kind: 'status', status: 'queued', service_status: 'submitted', queue_position: null });
	expect(events.at(-1)).toMatchObject({ kind: 'status', status: 'succeeded' });
	expect(events.filter((event) => event.kind === 'status' && isTerminal(event.status))).toHaveLength(1);
	for (const kind of ['node', 'progress', 'preview', 'output']) expect(kindsOf(events)).toContain(kind);
	expect([count(STATUS), count(SOCKET)]).toEqual([1, 1]);
	expect(Object.fromEntries(new URLSearchParams(harness.sandbox.requests(SOCKET)[0]?.query))).toEqual({
		clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
		token: harness.sandbox.keys.apiKey,
	});
});

test('the events of an ended job are its status alone', async () => {
	const connection = harness.connectV1();
	const job = await finished(connection, quickGraph(0x800000));
	await expect(listen(connection.jobs.events(job))).resolves.toEqual([
		{ kind: 'status', status: 'succeeded', service_status: 'success', queue_position: null },
	]);
	await until(() => harness.sandbox.sockets('hosted').length === 0);
});

describe('while the time stands still', () => {
	const moveOn = useStillClock();

	test('two jobs are read without a second request for their status after their events have ended', async () => {
		const { jobs } = harness.connectV1();
		const [good, bad] = [await jobs.submit({ graph: quickGraph(0x800002) }), await jobs.submit({ graph: failingGraph() })];
		await until(() => [good, bad].every(({ job_id }) => isTerminal(harness.sandbox.job(job_id)?.status ?? '')));
		for (const job of [good, bad]) await listen(jobs.events(job));
		const reading = Promise.all([jobs.get(good), jobs.get(bad)]);
		// The read of the outputs begins after a pause of 1 ms.
		await until(() => {
			moveOn(1);
			return count(JOB) === 2;
		});
		await expect(reading).resolves.toMatchObject([
			{ job_id: good.job_id, status: 'succeeded', outputs: [{ node_id: '2' }] },
			{ job_id: bad.job_id, status: 'failed', outputs: [] },
		]);
		expect(count(STATUS)).toBe(2);
	});
});

test('a stop ends the events and closes the socket', async () => {
	const { connection, jobs } = await queued(slowGraph(3, 30));
	const failure = await failureOf(listen(connection.jobs.events(jobs[0] as Job, { signal: AbortSignal.timeout(200) })));
	expect(failure).toMatchObject({ name: 'StoppedError' });
	await until(() => harness.sandbox.sockets('hosted').length === 0);
});

test('a lost socket ends the events with a connection error', async () => {
	const { connection, jobs } = await queued(slowGraph(3, 30));
	const failure = await failureOf(listen(connection.jobs.events(jobs[0] as Job), () => harness.sandbox.dropSockets()));
	expect(failure).toMatchObject({ name: 'ConnectionError', trouble: 'lost' });
});

test('a wait finds an end soon when its frame came before the socket and the records lagged', async () => {
	const connection = harness.connectV1();
	const job = await finished(connection, quickGraph(0x800001));
	harness.sandbox.setV1Status(job.job_id, 'executing');
	harness.sandbox.resetRecords();
	const waiting = waitForJob(connection.jobs, job.job_id, { mode: 'live', maxWaitMs: 20_000 });
	await until(() => count(STATUS) >= 2);
	harness.sandbox.setV1Status(job.job_id, null);
	await expect(waiting).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
});
