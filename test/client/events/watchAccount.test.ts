/** The events of a hosted account, from the sandbox. */
import { until } from '../../support/until';
import type { Connection, TriggerEvent } from '../../../client';
import { type AccountWatchOptions, watchAccount } from '../../../client/events/watchAccount';
import { colorGraph, slowGraph } from '../../nodes/support/graphs';
import { useSandbox } from '../support/sandbox';
import { useWatches, type Watching } from '../support/watching';

const harness = useSandbox();
const watch = useWatches({ interface: 'v1', milestones: [40, 60] });
afterEach(() => {
	harness.sandbox.configure({ v1JobsRead: true });
});

function follow({ jobs, feed }: Connection, options: Partial<AccountWatchOptions> = {}): Watching {
	if (feed === undefined) throw new Error('v1 has a feed');
	return watch(watchAccount({ jobs, feed }, { jobIds: [], needsPercent: true, ...options }));
}

const finished = (reported: TriggerEvent[]) => reported.filter(({ kind }) => kind === 'finished');
const isOpen = () => harness.sandbox.sockets('hosted').length === 1;

it('reads the size of each of two graphs once, so that the percentages are exact', async () => {
	const connection = harness.connectV1();
	const { reported } = follow(connection);
	await until(isOpen);
	for (const color of [301, 302]) {
		const { job_id } = await connection.jobs.submit({ graph: slowGraph(30, 10, color) });
		await until(() => finished(reported).some((one) => one.job_id === job_id));
		const own = reported.filter((one) => one.job_id === job_id);
		expect(own.flatMap(({ milestone }) => milestone ?? [])).toEqual([40, 60]);
		const percents = own.flatMap(({ kind, percent }) => (kind === 'progress' && percent !== null && percent < 99 ? [percent] : []));
		expect(Math.max(...percents)).toBeLessThanOrEqual(67);
		expect(harness.sandbox.requests(`GET /api/jobs/${job_id}`)).toHaveLength(1);
	}
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
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(3, 10, v1JobsRead ? 303 : 304) });
	await until(() => finished(reported).length === 1);
	if (v1JobsRead) expect(harness.sandbox.requests(`GET /api/jobs/${job_id}`)).toEqual([]);
	expect(finished(reported)).toMatchObject([{ status: 'succeeded', outputs: [{ node_id: '3' }] }]);
});

it('reports only the two chosen jobs, although the connection has the events of all jobs', async () => {
	const connection = harness.connectV1();
	harness.sandbox.configure({ workers: 0 });
	const chosen = [await connection.jobs.submit({ graph: colorGraph(315) }), await connection.jobs.submit({ graph: colorGraph(316) })];
	const jobIds = chosen.map(({ job_id }) => job_id);
	const { reported } = follow(connection, { jobIds });
	await until(isOpen);
	const other = await connection.jobs.submit({ graph: colorGraph(317) });
	harness.sandbox.configure({ workers: 4 });
	await until(() => harness.sandbox.job(other.job_id)?.status === 'succeeded');
	await until(() => finished(reported).length === 2);
	for (const jobId of jobIds) {
		const kinds = reported.filter((one) => one.job_id === jobId).map(({ kind }) => kind);
		expect(kinds).toEqual(expect.arrayContaining(['progress', 'finished']));
	}
	expect(reported.map((one) => one.job_id)).not.toContain(other.job_id);
});

it('reports jobs that began and ended before a dead connection was noticed', async () => {
	harness.sandbox.inject({ on: 'GET /ws', fault: { kind: 'silent_socket', afterFrames: 1 } });
	const connection = harness.connectV1({ limits: { streamIdleMs: 2_000 } });
	const { reported } = follow(connection);
	await until(() => harness.sandbox.requests('GET /ws').length === 1);
	const jobs = [await connection.jobs.submit({ graph: colorGraph(311) }), await connection.jobs.submit({ graph: colorGraph(312) })];
	// Without the limit of the connection, 45 s of silence pass before that is noticed.
	await until(() => finished(reported).length === 2, 20_000);
	for (const { job_id } of jobs)
		expect(finished(reported)).toContainEqual(
			expect.objectContaining({ job_id, status: 'succeeded', outputs: [expect.objectContaining({ type: 'image' })] }),
		);
	expect(harness.sandbox.requests('GET /ws').length).toBeGreaterThanOrEqual(2);
});
