import { type ApiGraph, type JobEvent, waitForJob, type WaitOptions } from '../../../client';
import type { EngineConnection } from '../../../client/connection/connection';
import { gatedGraph, newGraph, slowGraph } from '../support/graphs';
import { QUEUE, SOCKET, useEngine } from './support/engine';
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

test('the progress of each of two jobs counts all nodes of its graph from the start', async () => {
	const connection = engine.connect();
	engine.sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const graphs = [gatedGraph(2, 10), { ...gatedGraph(2, 10), '9': newGraph()['1'] as ApiGraph[string] }];
	const seen = graphs.map((): JobEvent[] => []);
	const waits = graphs.map(async (graph, index) => {
		const onEvent = (event: JobEvent) => void seen[index]?.push(event);
		await wait(connection, await submitted(connection, graph), { onEvent });
	});
	// Its first event shows that a job is followed.
	await until(() => seen.every((events) => events.length > 0));
	engine.sandbox.configure({ gateOpen: true });
	await Promise.all(waits);
	const totals = seen.map((events) => events.flatMap((event) => (event.kind === 'progress' ? [event.progress.nodes_total] : [])));
	expect(totals.map((all) => [...new Set(all)])).toEqual(graphs.map((graph) => [Object.keys(graph).length]));
});
