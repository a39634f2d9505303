import { type ApiGraph, type JobEvent, waitForJob, type WaitOptions } from '../../../client';
import type { EngineConnection } from '../../../client/connection';
import { gatedGraph, slowGraph } from '../support/graphs';
import { failureOf } from '../support/bytes';
import { followed, HISTORY, newGraph, pause, PROMPT, QUEUE, SOCKET, useEngine } from './support/engine';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

const engine = useEngine();
/** Nothing but a frame tells of an end so soon; a loaded machine may be late by some of it. */
const SOON_MS = 5_000;
const wait = async ({ jobs }: EngineConnection, jobId: string, options: Partial<WaitOptions> = {}) => {
	const events: JobEvent[] = [];
	const result = await waitForJob(jobs, jobId, { mode: 'live', maxWaitMs: 100_000, onEvent: (event) => events.push(event), ...options });
	return { ...result, events, lateMs: Date.now() - Date.parse(String(result.job.completed_at)) };
};
const submitted = async (connection: EngineConnection, graph = slowGraph(30, 50)) => (await connection.jobs.submit({ graph })).job_id;

describe('GET /ws: execution frames go to the submitting client id, status frames to everybody', () => {
	test('the client that submitted a job follows it by its own frames', async () => {
		const connection = engine.connect();
		const jobId = await submitted(connection);
		const { job, finished, events, lateMs } = await wait(connection, jobId);
		expect([finished, job.status]).toEqual([true, 'succeeded']);
		expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['status', 'node', 'progress', 'preview', 'output']));
		expect(lateMs).toBeLessThan(SOON_MS);
	});

	test('another client follows a job by status frames, with few requests', async () => {
		const jobId = await submitted(engine.connect());
		await engine.running(jobId);
		engine.sandbox.resetRecords();
		const { job, events, lateMs } = await wait(engine.connect(), jobId);
		expect(job.status).toBe('succeeded');
		expect(events.some(({ kind }) => kind === 'progress')).toBe(false);
		expect(lateMs).toBeLessThan(SOON_MS);
		expect(engine.count(SOCKET)).toBe(1);
		// The first read, the stream's own, one that the greeting wakes, the second look, the end's, and the last: 1.5 s of polling would be more.
		expect(engine.count(QUEUE)).toBeLessThanOrEqual(6);
		const times = engine.requests(QUEUE).map(({ at }) => at);
		expect(times.filter((at) => at - Number(times[0]) < 1_200).length).toBeLessThanOrEqual(3);
	});

	test('many changes of the queue cause one read in a quarter of a second', async () => {
		const jobId = await submitted(engine.connect(), slowGraph(600, 50));
		await engine.running(jobId);
		const stop = new AbortController();
		const waiting = failureOf(wait(engine.connect(), jobId, { signal: stop.signal }));
		await pause(700);
		engine.sandbox.resetRecords();
		const others = engine.connect();
		const startedAt = performance.now();
		await Promise.all(Array.from({ length: 30 }, async () => await others.jobs.submit({ graph: newGraph() })));
		await pause(200);
		expect(engine.count(PROMPT)).toBe(30);
		expect(engine.count(QUEUE)).toBeLessThanOrEqual(3 + Math.floor((performance.now() - startedAt) / 250));
		stop.abort();
		await waiting;
	});

	test('a wait reports the start of a job that waited behind another one', async () => {
		const first = await submitted(engine.connect(), slowGraph(1_000, 20));
		await engine.running(first);
		const statuses: string[] = [];
		const onEvent = (event: JobEvent) => void (event.kind === 'status' && statuses.push(event.status));
		const waiting = wait(engine.connect(), await submitted(engine.connect(), slowGraph(30, 20)), { onEvent });
		await until(() => statuses.includes('queued'));
		await engine.connect().control.interrupt();
		await waiting;
		expect(statuses[0]).toBe('queued');
		expect(statuses).toContain('running');
		expect(statuses.at(-1)).toBe('succeeded');
	});
});

describe('where there is no socket', () => {
	runFaster(5);

	test('a socket that is lost during a wait is opened again', async () => {
		engine.sandbox.inject({ on: SOCKET, fault: { kind: 'lost_socket', afterFrames: 6 } });
		engine.sandbox.configure({ gateOpen: false });
		const connection = engine.connect();
		const waiting = wait(connection, await submitted(connection, gatedGraph(60, 15)));
		await until(() => engine.count(SOCKET) > 1);
		engine.sandbox.configure({ gateOpen: true });
		await expect(waiting).resolves.toMatchObject({ job: { status: 'succeeded' } });
		const ids = engine.requests(SOCKET).map(({ query }) => new URLSearchParams(query).get('clientId'));
		// An engine may notice late that the first is gone, and would forget the second with it.
		expect(new Set(ids).size).toBe(ids.length);
	});
});

describe('an engine that goes away', () => {
	runFaster(5);

	test('a job is expired when the engine restarts during it', async () => {
		const connection = engine.connect();
		const waiting = wait(connection, await submitted(connection, slowGraph(200, 50)));
		await until(() => engine.requests(QUEUE).some(({ finished }) => finished));
		engine.sandbox.restartEngine();
		await expect(waiting).resolves.toMatchObject({
			finished: true,
			job: { status: 'expired', job_error: { code: 'forgotten_by_engine' } },
		});
	});

	test('a wait returns the last known state when the engine stays down', async () => {
		const connection = engine.connect({ readBudgetMs: 0 });
		const onEvent = jest.fn<void, [JobEvent]>();
		const waiting = wait(connection, await submitted(connection, slowGraph(600, 50)), { maxWaitMs: 3_000 * 5, onEvent });
		await until(() => onEvent.mock.calls.some(([event]) => event.kind === 'status' && event.status === 'running'));
		await engine.sandbox.stopEngine();
		await expect(waiting).resolves.toMatchObject({ finished: false, job: { status: 'running' } });
	});
});

test('a job is expired when somebody else takes it out of the queue', async () => {
	engine.sandbox.configure({ workers: 0 });
	const connection = engine.connect();
	const jobId = await submitted(connection);
	const waiting = wait(connection, jobId);
	await until(() => engine.requests(QUEUE).some(({ finished }) => finished));
	await engine.connect().control.deleteFromQueue([jobId]);
	await expect(waiting).resolves.toMatchObject({ job: { status: 'expired' } });
});

describe('the feed', () => {
	test('a feed that is open before the submission reports every frame of the job', async () => {
		const connection = engine.connect();
		const { frames, leave } = await followed(connection);
		const jobId = await submitted(connection, slowGraph(10, 20));
		const told = () => frames.filter(({ jobId: of }) => of === jobId).map(({ raw }) => (raw as { type?: string }).type);
		await until(() => told().includes('execution_success'));
		await leave();
		expect(told()[0]).toBe('execution_start');
		expect(told().at(-1)).toBe('execution_success');
		expect(frames.filter(({ kind }) => kind === 'preview')).toHaveLength(10);
		const nodes = frames.filter(({ kind }) => kind === 'node').map(({ raw }) => (raw as { data: { node: string } }).data.node);
		expect(nodes.slice(-2)).toEqual(['2', '3']);
	});

	test('the progress of a job counts its whole graph', async () => {
		const connection = engine.connect();
		engine.sandbox.configure({ gateOpen: false });
		const graph = gatedGraph(4, 100);
		const jobId = await submitted(connection, {
			...graph,
			'1': newGraph()['1'] as ApiGraph[string],
			'4': { class_type: 'SandboxGate', inputs: { image: ['1', 0], seed: 1 } },
			'2': { class_type: 'SandboxSampler', inputs: { ...graph['2']?.inputs, image: ['4', 0] } },
			'3': { class_type: 'SaveImage', inputs: { ...graph['3']?.inputs, images: ['2', 0] } },
		});
		await until(() => engine.sandbox.ledger.executedNodes.some(({ jobId: of, nodeId }) => of === jobId && nodeId === '4'));
		const waiting = wait(connection, jobId);
		await until(() => engine.sandbox.sockets('engine').length === 1);
		engine.sandbox.configure({ gateOpen: true });
		const { events } = await waiting;
		const values = events.flatMap((event) => (event.kind === 'progress' ? [event.progress.value] : []));
		// Two nodes of four, then a quarter of the third, although the fourth has not been heard of.
		expect(values[0]).toBeCloseTo(2 / 4);
		expect(values.find((value) => value > 0.51)).toBeCloseTo(2.25 / 4);
		expect(values.at(-1)).toBe(1);
	});

	test('closing the connection closes its socket', async () => {
		const connection = engine.connect();
		const { leave } = await followed(connection);
		await connection.close();
		await leave();
		await until(() => engine.sandbox.sockets('engine').length === 0);
	});

	test('the feed opens no socket without a follower', async () => {
		await engine.ended(await submitted(engine.connect(), newGraph()));
		expect([engine.count(SOCKET), engine.count(HISTORY) > 0]).toEqual([0, true]);
	});
});
