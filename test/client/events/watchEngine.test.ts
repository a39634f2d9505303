import { type EventSource, isTerminal, type Job, type JobOutput, openPoolEvents, openServerEvents, type Trouble } from '../../../client';
import { clock } from '../../../client/async/clock';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { newKey } from '../engine/support/engine';
import { usePool } from '../pool/support/pool';
import { text } from '../support/frames';
import { gatedGraph, newGraph } from '../support/graphs';

const pool = usePool({ workers: 8 });
runFaster(10);
const open: Array<{ source: EventSource; stop: AbortController; watching: Promise<void> }> = [];
afterEach(async () => {
	jest.restoreAllMocks();
	for (const { source, stop, watching } of open.splice(0)) {
		stop.abort();
		await Promise.all([watching, source.close()]);
	}
});

/** Runs jobs on one engine as another program does, until all of them have ended. */
async function finish(nth: number, count: number): Promise<string[]> {
	const engine = pool.engine(nth);
	engine.configure({ engineConcurrency: 8 });
	const { jobs } = pool.open({ servers: pool.settings(nth) });
	const submitted = await Promise.all(Array.from({ length: count }, async () => await jobs.submit({ graph: newGraph() })));
	const jobIds = submitted.map(({ job_id: jobId }) => jobId);
	await until(() => jobIds.every((jobId) => engine.job(jobId)?.status === 'succeeded'));
	return jobIds.sort();
}

interface WatchOptions {
	/** The engines that are watched, by their number. */
	engines: readonly number[];
	jobIds?: string[];
	/** Epoch milliseconds. */
	since?: number;
	/** Jobs that were in flight when n8n stopped. */
	inFlight?: string[];
	/** A dispatcher remembers only the newest ends. */
	forgetsEnds?: boolean;
}

/** Watches engines, alone or as a pool, until the test is over. */
function watch({ engines, jobIds = [], since = Date.now(), inFlight = [], forgetsEnds = false }: WatchOptions) {
	const servers = pool.settings(...engines);
	const [first] = servers;
	if (first === undefined) throw new Error('At least one engine is watched');
	const source = servers.length > 1 ? openPoolEvents({ servers }, jobIds) : openServerEvents(first, jobIds);
	const seen = { outputs: [] as JobOutput[], ends: [] as Job[], troubles: [] as Trouble[], connects: [] as Array<string | undefined> };
	const followed = new Set(inFlight);
	const stop = new AbortController();
	const watching = source.watch(
		{
			since,
			onEvent: (event, jobId) => {
				if (jobId !== null && event.kind === 'status') followed.add(jobId);
				if (event.kind === 'output') seen.outputs.push(event.output);
			},
			onJob: (job) => {
				if (!isTerminal(job.status)) return;
				seen.ends.push(job);
				followed.delete(job.job_id);
			},
			onConnect: (server) => seen.connects.push(server),
			onTrouble: (trouble) => seen.troubles.push(trouble),
			inFlight: () => [...followed],
			hasEnded: (jobId) => !forgetsEnds && seen.ends.some(({ job_id }) => job_id === jobId),
		},
		stop.signal,
	);
	open.push({ source, stop, watching });
	return { ...seen, endedIds: () => seen.ends.map(({ job_id: jobId }) => jobId).sort(), followed: () => [...followed] };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const HISTORY = 'GET /api/history';
const HISTORY_ENTRY = 'GET /api/history/:id';
const LIST = 'GET /api/jobs';
const QUEUE = 'GET /api/queue';
const SOCKET = 'GET /ws';

/** Returns a time after the end of all jobs that have ended so far. */
async function now(): Promise<number> {
	const before = Date.now();
	await until(() => Date.now() > before);
	return Date.now();
}

test('jobs that are older than a day are not reported', async () => {
	await finish(0, 65);
	const aDayAgo = await now();
	const recent = await finish(0, 65);
	jest.spyOn(clock, 'wallNow').mockReturnValue(aDayAgo + DAY_MS);
	const { connects, endedIds } = watch({ engines: [0], since: 0 });
	await until(() => connects.length > 0);
	expect(endedIds()).toEqual(recent);
});

test('if the newest entries of the history contain a job that was reported, the trigger reads no others', async () => {
	await finish(0, 2);
	const since = await now();
	const jobIds = await finish(0, 63);
	pool.engine(0).resetRecords();
	const { connects, endedIds } = watch({ engines: [0], since });
	await until(() => connects.length > 0);
	expect(endedIds()).toEqual(jobIds);
	expect([LIST, HISTORY, QUEUE].map((on) => pool.counts(on)[0])).toEqual([0, 1, 1]);
});

test('after a lost connection, 65 new jobs are reported, and earlier jobs are not reported again', async () => {
	const since = await now();
	const before = await finish(0, 65);
	// A dispatcher forgets ends that are more than 500 jobs old.
	const { connects, endedIds } = watch({ engines: [0], since, forgetsEnds: true });
	await until(() => connects.length > 0);
	expect(endedIds()).toEqual(before);
	pool.inject(0, { on: QUEUE, times: Infinity, answer: { status: 503 } });
	pool.engine(0).dropSockets('engine');
	const later = await finish(0, 65);
	pool.engine(0).clearFaults();
	await until(() => endedIds().length >= 130);
	expect(endedIds()).toEqual([...before, ...later].sort());
});

test('all pages of the list of jobs are read, also if there are more than ten', async () => {
	const since = await now();
	const jobIds = await finish(0, 76);
	const { jobs } = await pool.open().jobs.list({ limit: 76 });
	for (const [page, { job_id: id, completed_at: end }] of jobs.entries()) {
		const times = { create_time: Date.now(), execution_end_time: Date.parse(end ?? '') };
		const json = { jobs: [{ id, status: 'completed', ...times }], pagination: { has_more: page < 75 } };
		pool.inject(0, { on: LIST, answer: { status: 200, json } });
	}
	const { ends, endedIds } = watch({ engines: [0], since });
	await until(() => ends.length >= 76);
	expect(endedIds()).toEqual(jobIds);
});

test('a list of jobs that the engine refuses is reported, and the jobs in the history are still reported', async () => {
	const since = await now();
	await finish(0, 65);
	pool.inject(0, { on: LIST, times: Infinity, answer: { status: 401 } });
	const { ends, troubles } = watch({ engines: [0], since });
	await until(() => ends.length >= 64);
	expect(troubles).toMatchObject([{ error: { status: 401 }, retryInMs: null }]);
});

test('if a read fails in between, each job is still reported once', async () => {
	const since = await now();
	const jobIds = await finish(0, 80);
	const { troubles, endedIds } = watch({ engines: [0], since, forgetsEnds: true });
	await until(() => endedIds().length >= 3);
	pool.inject(0, { on: HISTORY_ENTRY, times: Infinity, answer: { status: 503 } });
	await until(() => troubles.length > 0);
	pool.engine(0).clearFaults();
	await until(() => endedIds().length >= 80);
	expect(endedIds()).toEqual(jobIds);
});

describe('a server of a pool that does not respond', () => {
	test('does not make the trigger read the other server more often', async () => {
		const { connects, troubles } = watch({ engines: [0, 1] });
		await until(() => connects.includes(pool.address(0)) && connects.includes(pool.address(1)));
		pool.engine(0).resetRecords();
		await pool.engine(1).stopEngine();
		const failedReads = () => troubles.filter(({ retryInMs }) => retryInMs === 5_000);
		await until(() => failedReads().length >= 4);
		expect(troubles.every(({ server }) => server === pool.address(1))).toBe(true);
		// An open socket leads to one read in 30 seconds.
		expect(Math.max(...[QUEUE, HISTORY].map((on) => pool.counts(on)[0] ?? 0))).toBeLessThanOrEqual(1);
		expect(pool.counts(SOCKET)[0]).toBe(0);
	});

	test('keeps its jobs in flight, and they are reported as expired if it has lost them', async () => {
		const { connects, followed, ends, troubles } = watch({ engines: [0, 1] });
		await until(() => connects.includes(pool.address(0)) && connects.includes(pool.address(1)));
		pool.engine(1).configure({ gateOpen: false });
		const jobs = await Promise.all([1, 2].map(async () => (await pool.submitTo(1, gatedGraph(1, 1))).job_id));
		await until(() => jobs.every((jobId) => followed().includes(jobId)));
		await pool.engine(1).stopEngine();
		await until(() => troubles.some(({ retryInMs }) => retryInMs === 5_000));
		const [other = ''] = await finish(0, 1);
		await until(() => ends.length > 0);
		expect(ends).toMatchObject([{ job_id: other, status: 'succeeded', server: pool.address(0) }]);
		const askedFor = pool.engine(0).requests(HISTORY_ENTRY, 'engine');
		expect(askedFor.filter(({ path }) => jobs.some((jobId) => path.endsWith(jobId)))).toEqual([]);
		pool.engine(1).restartEngine();
		await pool.engine(1).startEngine();
		await until(() => ends.length >= 3);
		expect(ends.slice(1).map(({ job_id: jobId, status }) => [jobId, status])).toEqual(
			expect.arrayContaining(jobs.map((jobId) => [jobId, 'expired'])),
		);
	});

	test('may have jobs that were in flight before a restart of n8n', async () => {
		const [onFirst = ''] = await finish(0, 1);
		const [onSecond = ''] = await finish(1, 1);
		await pool.engine(1).stopEngine();
		const lost = newKey();
		const { connects, ends } = watch({ engines: [0, 1], inFlight: [onFirst, onSecond, lost] });
		await until(() => connects.includes(pool.address(0)));
		expect(ends).toMatchObject([{ job_id: onFirst, server: pool.address(0) }]);
		await pool.engine(1).startEngine();
		await until(() => ends.length >= 3);
		expect(ends.slice(1)).toMatchObject([
			{ job_id: onSecond, status: 'succeeded', server: pool.address(1) },
			{ job_id: lost, status: 'expired' },
		]);
	});
});

test('a job that one server of a pool lost and another one has taken is not reported as expired', async () => {
	// The second server reports no changes, so the trigger does not read its queue again soon.
	pool.inject(1, { on: SOCKET, fault: { kind: 'silent_socket' } });
	for (const nth of [0, 1]) pool.engine(nth).configure({ gateOpen: false });
	const { connects, followed, ends } = watch({ engines: [0, 1] });
	await until(() => connects.includes(pool.address(0)) && connects.includes(pool.address(1)));
	const submit = async (nth: number) => await pool.submitTo(nth, gatedGraph(1, 1), { idempotencyKey: 'moved' });
	const { job_id: jobId } = await submit(0);
	await until(() => followed().includes(jobId));
	await submit(1);
	pool.engine(0).resetRecords();
	pool.engine(0).restartEngine();
	await until(() => (pool.counts(QUEUE)[0] ?? 0) >= 2);
	pool.engine(1).configure({ gateOpen: true });
	await until(() => ends.length > 0);
	expect(ends).toMatchObject([{ job_id: jobId, status: 'succeeded', server: pool.address(1) }]);
});

test('the status of each of two chosen jobs is reported, of which one runs and one waits, and of no other job', async () => {
	pool.engine(0).configure({ gateOpen: false });
	const jobs = [
		await pool.submitTo(0, gatedGraph(1, 1)),
		await pool.submitTo(0, gatedGraph(1, 1)),
		await pool.submitTo(0, gatedGraph(1, 1)),
	];
	const [first = '', other = '', second = ''] = jobs.map(({ job_id: jobId }) => jobId);
	const { followed } = watch({ engines: [0], jobIds: [first, second] });
	await until(() => followed().includes(first) && followed().includes(second));
	expect(followed()).not.toContain(other);
});

test('chosen jobs of a pool that ended earlier are reported with their servers, and an unknown one is a trouble', async () => {
	const [onFirst = ''] = await finish(0, 1);
	const [onSecond = ''] = await finish(1, 1);
	const unknown = newKey();
	const { ends, endedIds, troubles } = watch({ engines: [0, 1], jobIds: [onFirst, onSecond, unknown] });
	// A source may report an end again. The trigger knows which ends it has delivered.
	await until(() => new Set(endedIds()).size >= 2 && troubles.length > 0);
	expect([...new Set(endedIds())]).toEqual([onFirst, onSecond].sort());
	expect(ends.map(({ job_id: jobId, server }) => [jobId, server])).toEqual(
		expect.arrayContaining([
			[onFirst, pool.address(0)],
			[onSecond, pool.address(1)],
		]),
	);
	expect(troubles).toMatchObject([{ jobId: unknown, retryInMs: null }]);
});

test('an output that the second server of a pool reports to all its clients can be used on each server', async () => {
	const { connects, outputs } = watch({ engines: [0, 1] });
	await until(() => connects.includes(pool.address(1)));
	const output = { images: [{ filename: 'a.png', subfolder: '', type: 'output' }] };
	pool.engine(1).sendFrame(text('executed', { prompt_id: newKey(), node: '9', output }), 'engine');
	await until(() => outputs.length > 0);
	expect(outputs).toMatchObject([{ reference: `${pool.address(1)}/api/view?filename=a.png&subfolder=&type=output` }]);
});
