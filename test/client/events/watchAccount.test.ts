import { setSpeed } from '../../support/fastClock';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { type Connection, type TriggerEvent, type SourceListener, type Trouble } from '../../../client';
import { type AccountWatchOptions, watchAccount } from '../../../client/events/watchAccount';
import { colorGraph, slowGraph } from '../../nodes/support/graphs';
import { useSandbox } from '../support/sandbox';
import { useWatches, type Watching } from '../support/watching';

const harness = useSandbox();
const watch = useWatches({ interface: 'v1', milestones: [40, 60] });
afterEach(() => harness.sandbox.configure({ v1JobsRead: true }));

function follow({ jobs, feed }: Connection, options: Partial<AccountWatchOptions> = {}, changes: Partial<SourceListener> = {}): Watching {
	if (feed === undefined) throw new Error('v1 has a feed');
	return watch(watchAccount({ jobs, feed }, { jobIds: [], needsPercent: true, ...options }), changes);
}

const finished = (reported: TriggerEvent[]) => reported.filter(({ kind }) => kind === 'finished');
const isOpen = () => harness.sandbox.sockets('hosted').length === 1;

it('reads the size of each graph once, so that the percentage is exact', async () => {
	const connection = harness.connectV1();
	const { reported } = follow(connection);
	await until(isOpen);
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(30, 30, 301) });
	await until(() => finished(reported).length === 1);
	expect(reported.flatMap(({ milestone }) => milestone ?? [])).toEqual([40, 60]);
	const percents = reported.flatMap(({ kind, percent }) => (kind === 'progress' && percent !== null && percent < 99 ? [percent] : []));
	expect(Math.max(...percents)).toBeLessThanOrEqual(67);
	expect(harness.sandbox.requests(`GET /api/jobs/${job_id}`)).toHaveLength(1);
});

it('T2: reports no percentage before the size of the graph is known', async () => {
	const connection = harness.connectV1();
	const { reported } = follow(connection);
	await until(isOpen);
	const size = harness.sandbox.inject({ on: 'GET /api/jobs/:id', fault: { kind: 'stall' } });
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(10, 20, 308) });
	await until(() => size.used === 1);
	await until(() => harness.sandbox.job(job_id)?.status === 'succeeded');
	await until(() => finished(reported).length === 1);
	expect(reported.filter(({ kind, percent }) => (kind === 'progress' && percent !== 100) || kind === 'milestone')).toEqual([]);
});

it.each([
	['reads no graph if no percentage is needed', true],
	['does without reads of jobs, as the bare interface has none', false],
])('%s', async (_name, v1JobsRead) => {
	harness.sandbox.configure({ v1JobsRead });
	const connection = harness.connectV1();
	const { reported } = follow(connection, { needsPercent: !v1JobsRead });
	await until(isOpen);
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(3, 10, v1JobsRead ? 302 : 303) });
	await until(() => finished(reported).length === 1);
	if (v1JobsRead) expect(harness.sandbox.requests(`GET /api/jobs/${job_id}`)).toEqual([]);
	expect(finished(reported)).toMatchObject([{ status: 'succeeded', outputs: [{ node_id: '3' }] }]);
});

it('reads jobs without events for a while, because an open connection may miss an end', async () => {
	harness.sandbox.inject({ on: 'GET /ws', fault: { kind: 'silent_socket', afterFrames: 4 } });
	const connection = harness.connectV1();
	const { reported } = follow(connection, { safetyReadMs: 150 });
	await until(() => harness.sandbox.requests('GET /ws').length === 1);
	await connection.jobs.submit({ graph: slowGraph(5, 10, 304) });
	await until(() => finished(reported).length === 1);
});

it('reads the end again when the records show it later than the event', async () => {
	const connection = harness.connectV1();
	const { reported } = follow(connection, { needsPercent: false });
	await until(isOpen);
	harness.sandbox.inject({ on: 'GET /api/job/:id/status', times: 2, answer: { status: 200, json: { id: 'x', status: 'executing' } } });
	await connection.jobs.submit({ graph: colorGraph(305) });
	await until(() => finished(reported).length === 1);
	expect(harness.sandbox.requests('GET /api/job/:id/status').length).toBeGreaterThanOrEqual(3);
});

it('reports a job that the service forgot as expired', async () => {
	const connection = harness.connectV1();
	const { reported } = follow(connection, { safetyReadMs: 100 });
	await until(isOpen);
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(100, 100, 306) });
	await until(() => reported.some(({ kind }) => kind === 'progress'));
	harness.sandbox.inject({
		on: `GET /api/job/${job_id}/status`,
		times: Infinity,
		answer: { status: 404, json: { code: 'not_found', message: 'no such job' } },
	});
	harness.sandbox.dropSockets('hosted');
	await until(() => finished(reported).length === 1);
	expect(finished(reported)).toMatchObject([{ job_id, status: 'expired' }]);
});

it('reads the jobs that ended since a lost connection, and no older ones', async () => {
	const connection = harness.connectV1();
	const { reported, events } = follow(connection, { needsPercent: false }, { hasEnded: () => false });
	await until(isOpen);
	const { job_id } = await connection.jobs.submit({ graph: colorGraph(307) });
	await until(() => finished(reported).length === 1);
	// The list has times in whole seconds.
	await new Promise((resolve) => setTimeout(resolve, 1_100));
	harness.sandbox.sendFrame('{"type":"sign_of_life","data":{}}', 'hosted');
	await until(() => events.some((event) => event.kind === 'other' && event.name === 'sign_of_life'));
	harness.sandbox.dropSockets('hosted');
	harness.sandbox.resetRecords();
	await until(() => harness.sandbox.requests('GET /api/jobs').length === 1);
	await new Promise((resolve) => setTimeout(resolve, 100));
	expect(harness.sandbox.requests(`GET /api/job/${job_id}/status`)).toEqual([]);
});

it('reads a job whose listed end is shortly before the lost connection, because a list may round times down', async () => {
	const connection = harness.connectV1();
	const { reported, events } = follow(
		connection,
		{ needsPercent: false },
		{ hasEnded: () => false, inFlight: () => [], since: Date.now() - 60_000 },
	);
	await until(() => harness.sandbox.requests('GET /api/jobs').length === 1);
	const { job_id } = await connection.jobs.submit({ graph: colorGraph(314) });
	const reads = () => harness.sandbox.requests(`GET /api/job/${job_id}/status`).length;
	await until(() => reads() === 1 && finished(reported).length > 0);
	harness.sandbox.sendFrame('{"type":"sign_of_life","data":{}}', 'hosted');
	await until(() => events.some((event) => event.kind === 'other' && event.name === 'sign_of_life'));
	Object.assign(harness.sandbox.job(job_id) ?? {}, { createdAt: Date.now() - 40_000, completedAt: Date.now() - 500 });
	harness.sandbox.resetRecords();
	harness.sandbox.dropSockets('hosted');
	await until(() => reads() === 1);
});

it('reports only the chosen jobs, although the connection has the events of all jobs', async () => {
	const connection = harness.connectV1();
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(3, 100, 315) });
	const { reported } = follow(connection, { jobIds: [job_id] });
	await until(isOpen);
	const other = await connection.jobs.submit({ graph: colorGraph(316) });
	await until(() => harness.sandbox.job(other.job_id)?.status === 'succeeded');
	await until(() => finished(reported).length > 0);
	expect(new Set(reported.flatMap((one) => one.job_id ?? []))).toEqual(new Set([job_id]));
});

it('reads the known jobs even if the list fails for long', async () => {
	const connection = harness.connectV1({ readBudgetMs: 0 });
	const list = harness.sandbox.inject({ on: 'GET /api/jobs', times: Infinity, answer: { status: 403, json: { message: 'Not now' } } });
	const { reported } = follow(connection, { needsPercent: false });
	await until(() => list.used === 1);
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(100, 400, 313) });
	await until(() => reported.some(({ kind }) => kind === 'progress'));
	harness.sandbox.resetRecords();
	harness.sandbox.dropSockets('hosted');
	await until(() => harness.sandbox.requests(`GET /api/job/${job_id}/status`).length > 0);
});

describe('jobs that were missed are reported later', () => {
	beforeEach(() => setSpeed(10));
	afterAll(() => setSpeed(1));

	it('jobs that began and ended before a dead connection was noticed', async () => {
		harness.sandbox.inject({ on: 'GET /ws', fault: { kind: 'silent_socket', afterFrames: 1 } });
		const connection = harness.connectV1({ limits: { streamIdleMs: 20_000 } });
		const { reported } = follow(connection);
		await until(() => harness.sandbox.requests('GET /ws').length === 1);
		const { job_id } = await connection.jobs.submit({ graph: colorGraph(311) });
		await until(() => finished(reported).length === 1);
		expect(finished(reported)).toMatchObject([{ job_id, status: 'succeeded', outputs: [{}] }]);
		expect(harness.sandbox.requests('GET /ws').length).toBeGreaterThanOrEqual(2);
	});

	it.each([
		['503', { status: 503, json: { message: 'Not now' } }, 10],
		['403', { status: 403, json: { message: 'Not now' } }, 500],
		['404 by a page, which is no word of the service,', { status: 404, html: true }, 10],
	])('a list that answers %s for a while is requested again', async (_, answer, speed) => {
		const since = Date.now() - 10_000;
		const connection = harness.connectV1({ readBudgetMs: 0 });
		const { job_id } = await connection.jobs.submit({ graph: colorGraph(312 + answer.status + speed) });
		await until(() => harness.sandbox.job(job_id)?.status === 'succeeded');
		const troubles: Trouble[] = [];
		const list = harness.sandbox.inject({ on: 'GET /api/jobs', times: 2, answer });
		const onTrouble = (trouble: Trouble): void => {
			if (troubles.push(trouble) === 1) countTurns(speed);
		};
		const { reported } = follow(connection, {}, { since, onTrouble });
		await until(() => finished(reported).some((one) => one.job_id === job_id));
		expect([list.used, troubles.length]).toEqual([2, 2]);
		expect(troubles.every(({ retryInMs }) => retryInMs !== null)).toBe(true);
	});
});
