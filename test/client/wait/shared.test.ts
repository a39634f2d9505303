import { clock, type Connection, type Job, StoppedError, waitForJob } from '../../../client';
import { SharedWait } from '../../../client/wait/sharedWait';
import { FIRST_INTERVAL_MS, SHARED_TIMES, type SharedTimes, slower } from '../../../client/wait/times';
import type { RecordedRequest, ServiceSurface } from '../../../sandbox';
import { runFaster, fasterClock } from '../../support/fastClock';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { slowGraph, quickGraph } from '../support/graphs';
import { CANCEL, EVENTS, READ, useWaits, wait, waitAmong, type Waited } from '../support/waits';
import { setClock } from '../../../client/clock';
import { useSandbox } from '../support/sandbox';

const LIST = 'GET /api/v2/jobs';
const TIMES = 2;
const onClock = runFaster(TIMES);
/** How much closer together requests may arrive than they were sent, in real milliseconds. */
const ARRIVE_CLOSER_MS = 10;
const { harness, count } = useWaits();

beforeEach(() => {
	for (const surface of ['hosted', 'deployment', 'self_hosted'] as const) harness.sandbox.forgetJobs(surface);
	harness.sandbox.configure({ workers: 0, engineConcurrency: 300, maxStreams: 3 });
});
afterEach(() => harness.sandbox.configure({ workers: 4, engineConcurrency: 1, maxStreams: null }));

const sharedWait = (times: Partial<SharedTimes> = {}): SharedWait => new SharedWait({ ...SHARED_TIMES, ...times });

/** So many jobs that wait until they are let go; their submissions are forgotten. */
async function jobsOf(connection: Connection, many: number, ms = 10): Promise<Job[]> {
	const jobs = await Promise.all(Array.from({ length: many }, async () => await connection.jobs.submit({ graph: slowGraph(1, ms) })));
	harness.sandbox.resetRecords();
	return jobs;
}

const letGo = (): void => harness.sandbox.configure({ workers: 300 });

/** Since the oldest of these requests. */
const secondsSince = ([first]: readonly RecordedRequest[]): number => onClock(Date.now() - Number(first?.at)) / 1_000;

const waitForAll = async (
	shared: SharedWait,
	connection: Connection,
	jobs: readonly Job[],
	options: Parameters<typeof wait>[2] = {},
): Promise<Waited[]> => await Promise.all(jobs.map(async (job) => await waitAmong(shared, connection, job, options)));

const answered = (on: string, status: number): RecordedRequest[] =>
	harness.sandbox.requests(on).filter((request) => request.status === status);
const succeeded = (waits: readonly Waited[]): number => waits.filter(({ job, finished }) => finished && job.status === 'succeeded').length;

describe('sixty waits where three streams are granted', () => {
	test.each(['self_hosted', 'deployment'] as const)(
		'on %s, which lists its jobs: a refusal, looks for all, two reads each',
		async (surface) => {
			const connection = harness.connect(surface);
			const jobs = await jobsOf(connection, 60);
			const waits = waitForAll(sharedWait(), connection, jobs);
			await until(() => count(READ) >= 60 && count(LIST) >= 3);
			expect([count(EVENTS), answered(EVENTS, 429).length]).toEqual([4, 1]);
			// On a loaded machine some are due before the first look is answered.
			expect(count(READ)).toBeLessThanOrEqual(70);
			const looks = harness.sandbox.requests(LIST);
			expect(looks.length).toBeLessThanOrEqual(1 + 2 * secondsSince(looks));
			letGo();
			expect(succeeded(await waits)).toBe(60);
			expect(count(READ)).toBeLessThanOrEqual(140);
		},
	);

	test('on hosted, which lists nothing: one look, and no more reads than plain polling', async () => {
		const connection = harness.connect('hosted');
		const jobs = await jobsOf(connection, 60);
		const startedAt = clock.now();
		const waits = waitForAll(sharedWait(), connection, jobs);
		await until(() => count(READ) >= 150);
		letGo();
		expect(succeeded(await waits)).toBe(60);
		const tookMs = clock.now() - startedAt;
		expect(answered(EVENTS, 429).length).toBeLessThanOrEqual(1 + Math.floor(tookMs / SHARED_TIMES.refusedMs));
		expect(count(LIST)).toBe(1);
		let polls = 0;
		for (let at = 0, intervalMs = FIRST_INTERVAL_MS; at <= tookMs; at += intervalMs, intervalMs = slower(intervalMs)) polls++;
		// One more for those whose stream told of the end.
		for (const { job_id } of jobs) expect(harness.sandbox.requests(`GET /api/v2/jobs/${job_id}`).length).toBeLessThanOrEqual(polls + 1);
	});

	test('one is asked for again after each Retry-After, for all', async () => {
		const connection = harness.connect('hosted');
		const jobs = await jobsOf(connection, 30);
		harness.sandbox.inject({ on: EVENTS, times: Infinity, answer: { status: 429, code: 'too_many_streams', retryAfter: 1 } });
		const waits = waitForAll(sharedWait({ refusedMs: 100 }), connection, jobs);
		await until(() => count(EVENTS) >= 4);
		const at = harness.sandbox.requests(EVENTS).map((request) => request.at);
		letGo();
		await waits;
		for (const [index, moment] of at.slice(1).entries())
			expect(onClock(moment - Number(at[index]) + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(1_000);
	});
});

test('every one has a stream where any number is granted', async () => {
	harness.sandbox.configure({ maxStreams: null });
	const connection = harness.connect('hosted');
	const jobs = await jobsOf(connection, 60);
	const waits = waitForAll(sharedWait(), connection, jobs);
	await until(() => count(EVENTS) === 60);
	letGo();
	expect(succeeded(await waits)).toBe(60);
	expect([answered(EVENTS, 200).length, count(EVENTS)]).toEqual([60, 60]);
});

test('a service that is away is asked by one for all, less and less often', async () => {
	harness.sandbox.inject({ on: EVENTS, times: Infinity, fault: { kind: 'drop_before' } });
	const connection = harness.connect('hosted');
	const jobs = await jobsOf(connection, 30);
	const waits = waitForAll(sharedWait(), connection, jobs);
	await until(() => count(EVENTS) >= 5);
	const at = harness.sandbox.requests(EVENTS).map((request) => request.at);
	letGo();
	await waits;
	// Each after 0.1, 0.2, 0.4, 0.8 s.
	expect(onClock(Number(at[4]) - Number(at[0]) + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(1_500);
});

/** What ends before the refusal of another is known frees nothing for it: then it is asked again later. */
describe('a stream that is no longer needed is the next one’s', () => {
	test('when its wait is stopped', async () => {
		harness.sandbox.configure({ maxStreams: 1 });
		const shared = sharedWait();
		const connection = harness.connect('hosted');
		const [one, other] = (await jobsOf(connection, 2)) as [Job, Job];
		const stop = new AbortController();
		const first = failureOf(waitAmong(shared, connection, one, { signal: stop.signal }));
		await until(() => count(EVENTS) === 1);
		const second = waitAmong(shared, connection, other);
		await until(() => shared.gate.isFull);
		stop.abort();
		expect(await first).toBeInstanceOf(StoppedError);
		await until(() => count(EVENTS) === 3);
		letGo();
		expect((await second).job.status).toBe('succeeded');
		expect(answered(EVENTS, 429)).toHaveLength(1);
	});

	test('M15: is opened only when the service has had time to notice that the earlier one is closed', async () => {
		const freeingMs = 2_000;
		harness.sandbox.configure({ maxStreams: 1 });
		const shared = sharedWait({ freeingMs });
		const connection = harness.connect('hosted');
		const [one, other] = (await jobsOf(connection, 2)) as [Job, Job];
		const stop = new AbortController();
		const first = failureOf(waitAmong(shared, connection, one, { signal: stop.signal }));
		await until(() => count(EVENTS) === 1);
		const second = waitAmong(shared, connection, other);
		await until(() => shared.gate.isFull);
		const stoppedAt = Date.now();
		stop.abort();
		await first;
		await until(() => count(EVENTS) === 3);
		expect(onClock(Number(harness.sandbox.requests(EVENTS)[2]?.at) - stoppedAt + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(freeingMs);
		letGo();
		expect((await second).job.status).toBe('succeeded');
	});

	test('when its job has ended', async () => {
		harness.sandbox.configure({ maxStreams: 1 });
		const connection = harness.connect('hosted');
		const [one] = (await jobsOf(connection, 1)) as [Job];
		const [other] = (await jobsOf(connection, 1, 1_000)) as [Job];
		const shared = sharedWait();
		const waits = waitForAll(shared, connection, [one, other]);
		await until(() => shared.gate.isFull);
		letGo();
		await until(() => count(EVENTS) === 3);
		expect(succeeded(await waits)).toBe(2);
		expect(answered(EVENTS, 429)).toHaveLength(1);
	});
});

describe('two executions with the same credential', () => {
	test('one is stopped: its jobs are canceled, and the other’s go on', async () => {
		const shared = sharedWait();
		const [mine, theirs] = [harness.connect('self_hosted'), harness.connect('self_hosted')];
		const [myJobs, theirJobs] = [await jobsOf(mine, 10), await jobsOf(theirs, 10)];
		const stop = new AbortController();
		const stopped = Promise.all(myJobs.map(async (job) => await failureOf(waitAmong(shared, mine, job, { signal: stop.signal }))));
		const waits = waitForAll(shared, theirs, theirJobs);
		await until(() => count(LIST) >= 1);
		stop.abort();
		expect((await stopped).every((failure) => failure instanceof StoppedError)).toBe(true);
		await mine.close();
		letGo();
		expect(succeeded(await waits)).toBe(10);
		expect(new Set(harness.sandbox.requests(CANCEL).map(({ path }) => path.split('/').at(-2)))).toEqual(
			new Set(myJobs.map(({ job_id }) => job_id)),
		);
	});

	test('one is stopped while it looks for all: another looks', async () => {
		const shared = sharedWait();
		const [mine, theirs] = [harness.connect('self_hosted'), harness.connect('self_hosted')];
		const [myJobs, theirJobs] = [await jobsOf(mine, 4), await jobsOf(theirs, 10)];
		harness.sandbox.inject({ on: LIST, fault: { kind: 'stall' } });
		const stop = new AbortController();
		const stopped = Promise.all(
			myJobs.map(async (job) => await failureOf(waitAmong(shared, mine, job, { signal: stop.signal, mode: 'polling' }))),
		);
		await until(() => count(LIST) === 1);
		const waits = waitForAll(shared, theirs, theirJobs, { mode: 'polling' });
		stop.abort();
		await stopped;
		await mine.close();
		await until(() => count(LIST) >= 2);
		letGo();
		expect(succeeded(await waits)).toBe(10);
	});
});

test('M16: when the wait that reads the list is stopped, a different one reads it at once', async () => {
	const looksApartMs = 6_000;
	const shared = sharedWait({ looksApartMs });
	const [mine, theirs] = [harness.connect('self_hosted'), harness.connect('self_hosted')];
	const [myJobs, theirJobs] = [await jobsOf(mine, 4), await jobsOf(theirs, 4)];
	harness.sandbox.inject({ on: LIST, fault: { kind: 'stall' } });
	const stop = new AbortController();
	const stopped = myJobs.map(async (job) => await failureOf(waitAmong(shared, mine, job, { signal: stop.signal, mode: 'polling' })));
	const waits = waitForAll(shared, theirs, theirJobs, { mode: 'polling' });
	await until(() => count(LIST) === 1);
	const stoppedAt = Date.now();
	stop.abort();
	await Promise.all(stopped);
	await until(() => count(LIST) === 2);
	expect(onClock(Number(harness.sandbox.requests(LIST)[1]?.at) - stoppedAt)).toBeLessThan(looksApartMs / 2);
	letGo();
	expect(succeeded(await waits)).toBe(4);
});

describe('what a list says', () => {
	/** In waits without streams, whose lists are made to say something else. */
	async function waitsFor(
		surface: ServiceSurface,
		many: number,
		falsify: (jobs: readonly Job[]) => void,
	): Promise<{ waits: Promise<Waited[]>; readsOf: (index: number) => number }> {
		const connection = harness.connect(surface);
		const jobs = await jobsOf(connection, many);
		falsify(jobs);
		const waits = waitForAll(sharedWait({ silenceMs: 3_000 * TIMES }), connection, jobs, { mode: 'polling' });
		return { waits, readsOf: (index) => harness.sandbox.requests(`GET /api/v2/jobs/${jobs[index]?.job_id}`).length };
	}
	const listing = (jobs: object[], truncated = false) =>
		void harness.sandbox.inject({ on: LIST, times: Infinity, answer: { status: 200, json: { jobs, truncated } } });
	const running = (jobs: readonly Job[]) => jobs.map(({ job_id }) => ({ id: job_id, status: 'running' }));

	test('of an end is believed when the job’s own read says it, which is asked once', async () => {
		const { waits, readsOf } = await waitsFor('self_hosted', 6, ([one, ...others]) =>
			listing([{ id: one?.job_id, status: 'expired' }, ...running(others)]),
		);
		await until(() => count(LIST) >= 3);
		// The first, and another for the list's word, whenever it says so.
		expect(readsOf(0)).toBeGreaterThanOrEqual(2);
		expect(readsOf(0)).toBeLessThanOrEqual(count(LIST) + 1);
		harness.sandbox.clearFaults();
		letGo();
		expect(succeeded(await waits)).toBe(6);
	});

	test('by its silence about an end is believed for a while', async () => {
		const longAgo = [{ id: 'another', status: 'succeeded', created_at: '2020-01-01T00:00:00Z' }];
		const { waits, readsOf } = await waitsFor('self_hosted', 6, () => listing(longAgo, true));
		await until(() => count(LIST) >= 3);
		expect([0, 1, 2, 3, 4, 5].map(readsOf)).toEqual([1, 1, 1, 1, 1, 1]);
		letGo();
		expect(succeeded(await waits)).toBe(6);
	});

	test('by leaving a job out: it is read by itself', async () => {
		const { waits, readsOf } = await waitsFor('deployment', 6, (jobs) => listing(running(jobs.slice(1))));
		await until(() => readsOf(0) >= 3);
		expect([1, 2, 3, 4, 5].map(readsOf)).toEqual([1, 1, 1, 1, 1]);
		harness.sandbox.clearFaults();
		letGo();
		expect(succeeded(await waits)).toBe(6);
	});

	test('of a hundred of two hundred that have ended: those which it cuts off are read', async () => {
		const { waits } = await waitsFor('self_hosted', 205, () => undefined);
		await until(() => count(READ) >= 205);
		await until(() => harness.sandbox.requests(LIST).filter(({ query }) => query.includes('status=succeeded%2C')).length >= 2);
		// On a loaded machine some are due before the first look is answered.
		expect(count(READ)).toBeLessThanOrEqual(225);
		letGo();
		expect(succeeded(await waits)).toBe(205);
		expect(count(READ)).toBeLessThanOrEqual(500);
	});

	test('nothing while it fails: all are read by themselves', async () => {
		const { waits } = await waitsFor('self_hosted', 6, () =>
			harness.sandbox.inject({ on: LIST, answer: { status: 403, code: 'forbidden' } }),
		);
		await until(() => count(READ) >= 18);
		letGo();
		expect([succeeded(await waits), count(LIST)]).toEqual([6, 1]);
	});
});

test('two credentials share nothing: each asks for its own jobs with its own key', async () => {
	const { keys } = harness.sandbox;
	const [mine, theirs] = [harness.connect('deployment'), harness.connect('deployment', { token: keys.otherApiKey })];
	expect(mine.jobs.identity).not.toBe(theirs.jobs.identity);
	expect(mine.jobs.identity).toBe(harness.connect('deployment').jobs.identity);
	const [theirJobs, myJobs] = [await jobsOf(theirs, 6), await jobsOf(mine, 6)];
	const waitsOf = ({ jobs }: Connection, own: Job[]) =>
		own.map(async ({ job_id }) => await waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: 600_000 }));
	const waits = [...waitsOf(mine, myJobs), ...waitsOf(theirs, theirJobs)];
	await until(() => count(LIST) >= 4);
	letGo();
	await Promise.all(waits);
	const bearerOf = ({ headers }: RecordedRequest) => headers.authorization;
	const mineByKey = harness.sandbox.requests().filter((request) => bearerOf(request) === `Bearer ${keys.apiKey}`);
	const theirsByKey = harness.sandbox.requests().filter((request) => bearerOf(request) === `Bearer ${keys.otherApiKey}`);
	expect(mineByKey.length + theirsByKey.length).toBe(harness.sandbox.requests().length);
	for (const { job_id } of theirJobs) expect(mineByKey.some(({ path }) => path.includes(job_id))).toBe(false);
	for (const { job_id } of myJobs) expect(theirsByKey.some(({ path }) => path.includes(job_id))).toBe(false);
	for (const byKey of [mineByKey, theirsByKey]) expect(byKey.some(({ path }) => path === '/api/v2/jobs')).toBe(true);
});

test('a job that was just submitted needs no first read: a stream, and a read at its end', async () => {
	const connection = harness.connect('hosted');
	letGo();
	const [job] = (await jobsOf(connection, 1, 800)) as [Job];
	const { job: ended, queuedMs, ranMs } = await wait(connection, job, { submitted: job });
	expect([ended.status, count(EVENTS), count(READ)]).toEqual(['succeeded', 1, 1]);
	expect(queuedMs).toBeGreaterThanOrEqual(0);
	expect(ranMs).toBeGreaterThanOrEqual(750);
});

test('the same where no stream is granted', async () => {
	harness.sandbox.inject({ on: EVENTS, answer: { status: 501, code: 'not_implemented' } });
	const connection = harness.connect('hosted');
	letGo();
	const [job] = (await jobsOf(connection, 1, 300 / TIMES)) as [Job];
	await expect(wait(connection, job, { submitted: job })).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
	expect(count(READ)).toBeLessThanOrEqual(2);
});

describe('a look that gets no answer', () => {
	const SPEED = 10;
	/** Nothing of a wait is due so soon, but what is set for a moment that is over. */
	const AT_ONCE_MS = 0.2;

	let atOnce = 0;
	beforeEach(() => {
		harness.sandbox.configure({ workers: 0 });
		const faster = fasterClock(SPEED);
		setClock({
			...faster,
			after: (milliseconds, call) => {
				if (milliseconds <= AT_ONCE_MS) atOnce += 1;
				return faster.after(milliseconds, call);
			},
		});
	});
	afterEach(() => {
		harness.sandbox.configure({ workers: 4 });
		setClock(fasterClock(1));
	});

	test('a look at a list that does not answer keeps nobody busy', async () => {
		const connection = harness.connect('self_hosted');
		const shared = new SharedWait();
		const jobs = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => await connection.jobs.submit({ graph: slowGraph(1, 10) })));
		harness.sandbox.inject({ on: LIST, times: Infinity, fault: { kind: 'stall' } });
		const waits = jobs.map(async (job) => await waitAmong(shared, connection, job, { mode: 'polling' }));
		await until(() => count(LIST) === 1);
		const readsBefore = count('GET /api/v2/jobs/:id');
		// The waits read their jobs by themselves once the look has taken too long.
		await until(() => count('GET /api/v2/jobs/:id') >= readsBefore + 40);
		expect(atOnce).toBeLessThan(50);
		harness.sandbox.clearFaults();
		harness.sandbox.configure({ workers: 4 });
		expect((await Promise.all(waits)).every(({ finished }) => finished)).toBe(true);
	});
});

describe('a feed that is open', () => {
	runFaster(2);
	const harness = useSandbox({ progressIntervalMs: 50 });
	const stops: AbortController[] = [];
	afterEach(() => {
		for (const stop of stops.splice(0)) stop.abort();
		harness.sandbox.configure({ engineJobRoutes: false });
	});

	const WAYS = [
		['v1', () => harness.connectV1()],
		['an engine', () => harness.connect('hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine, token: undefined })],
	] as const;

	/** Its socket is open, as it is while other jobs are waited for. @returns ids of jobs whose end it has told. */
	async function listening(connection: Connection): Promise<ReadonlySet<string | null>> {
		const ended = new Set<string | null>();
		const stop = new AbortController();
		stops.push(stop);
		let isOpen = false;
		void connection.feed?.follow(
			{
				onConnect: () => void (isOpen = true),
				onEvent: (event, jobId) => void (event.kind === 'status' && event.status === 'succeeded' && ended.add(jobId)),
				onTrouble: () => undefined,
			},
			stop.signal,
		);
		await until(() => isOpen);
		harness.sandbox.resetRecords();
		return ended;
	}

	const paths = ({ job_id: jobId }: Job): string[] =>
		harness.sandbox.requests().map(({ method, path }) => `${method} ${path.replace(jobId, ':id')}`);

	describe.each(WAYS)('a job submitted over %s while its socket is open', (name, open) => {
		test('is heard of from start to end, with few requests', async () => {
			const connection = open();
			await listening(connection);
			const job = await connection.jobs.submit({ graph: slowGraph(20, 20) });
			const { job: ended } = await waitAmong(new SharedWait(), connection, job, { submitted: job });
			const { bytes } = await connection.assets.download({ url: String(ended.outputs[0]?.url) });
			for await (const chunk of bytes) expect(chunk.length).toBeGreaterThan(0);
			expect(ended).toMatchObject({ status: 'succeeded', outputs: [{ node_id: '3' }] });
			const asked = paths(job).filter((path) => !path.startsWith('GET /blobs'));
			expect(asked.at(-1)).toMatch(/view$/);
			// v1: submission, read at the end, file. An engine may be asked whether it is awake, and about its queue until the job runs.
			expect(asked.length).toBeLessThanOrEqual(name === 'v1' ? 3 : 7);
		});

		test('and has ended before anybody waits: it is known at once', async () => {
			const connection = open();
			const ended = await listening(connection);
			const job = await connection.jobs.submit({ graph: quickGraph(Math.floor(Math.random() * 1e6)) });
			await until(() => ended.has(job.job_id));
			const { tookMs, finished } = await waitAmong(new SharedWait(), connection, job, { submitted: job });
			expect([finished, tookMs < 5_000]).toEqual([true, true]);
		});

		test('and whose socket is lost meanwhile is read again', async () => {
			const connection = open();
			await listening(connection);
			const job = await connection.jobs.submit({ graph: slowGraph(20, 20) });
			const waiting = waitAmong(new SharedWait(), connection, job, { submitted: job });
			await new Promise((resolve) => setTimeout(resolve, 100));
			harness.sandbox.dropSockets();
			await expect(waiting).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
		});
	});

	test('forty waits of an engine look at its queue together', async () => {
		harness.sandbox.configure({ engineJobRoutes: true });
		const connection = harness.connect('hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine, token: undefined });
		const jobs = await Promise.all(Array.from({ length: 40 }, async () => await connection.jobs.submit({ graph: slowGraph(1, 20) })));
		harness.sandbox.resetRecords();
		const shared = new SharedWait();
		await Promise.all(jobs.map(async (job) => await waitAmong(shared, connection, job, { submitted: job })));
		// Each by itself would ask about every job before it.
		expect(harness.sandbox.requests('GET /api/jobs/:id', 'engine').length).toBeLessThanOrEqual(160);
	});
});
