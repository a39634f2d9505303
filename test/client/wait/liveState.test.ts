import type { Job, JobEvent } from '../../../client';
import { gatedGraph, slowGraph } from '../support/graphs';
import { EVENTS, useWaits, wait } from '../support/waits';

const { harness, started, count, finished: ended } = useWaits();
let waitedFor: Job;

afterEach(async () => {
	harness.sandbox.configure({ gateOpen: true, workers: 4 });
	await ended(waitedFor);
});

const progressOf = (events: readonly JobEvent[]): number[] =>
	events.flatMap((event) => (event.kind === 'progress' ? [event.progress.value] : []));

describe('the job of a wait that ends before it', () => {
	test.each(['self_hosted', 'hosted'] as const)('L4: has the status and progress that the stream reported last, on %s', async (surface) => {
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
	});

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
