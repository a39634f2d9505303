import { clock, type Connection, type Job, waitForJob, type WaitOptions, type WaitOutcome } from '../../../client';
import { SharedPolling } from '../../../client/wait/sharedPolling';
import { waitTogether } from '../../../client/wait/waitForJob';
import type { RecordedRequest } from '../../../sandbox';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const READ = 'GET /api/v2/jobs/:id';
const EVENTS = 'GET /api/v2/jobs/:id/events';
const LIST = 'GET /api/v2/jobs';
const TIMES = 2;
const onClock = runFaster(TIMES);
const harness = useSandbox({ progressIntervalMs: 50 });
const count = (on: string) => harness.sandbox.requests(on).length;
const toEngine = () => harness.connect('hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine, token: undefined });

/** So many jobs that wait until they are let go; their submissions are forgotten. */
async function jobsOf(connection: Connection, many: number): Promise<Job[]> {
	const jobs = await Promise.all(Array.from({ length: many }, async () => await connection.jobs.submit({ graph: slowGraph(1, 10) })));
	harness.sandbox.resetRecords();
	return jobs;
}

const letGo = (): void => harness.sandbox.configure({ workers: 300 });

const waitAmong = async (shared: SharedPolling, { jobs }: Connection, job: Job, options: Partial<WaitOptions> = {}): Promise<WaitOutcome> =>
	await waitTogether(shared, jobs, job.job_id, { mode: 'live', maxWaitMs: 120_000, ...options });

const waitForAll = async (shared: SharedPolling, connection: Connection, jobs: readonly Job[], options: Partial<WaitOptions> = {}) =>
	await Promise.all(jobs.map(async (job) => await waitAmong(shared, connection, job, options)));

const succeeded = (waits: readonly WaitOutcome[]): number =>
	waits.filter(({ job, finished }) => finished && job.status === 'succeeded').length;

describe('waits of jobs that have not begun', () => {
	beforeEach(() => {
		for (const surface of ['deployment', 'self_hosted'] as const) harness.sandbox.forgetJobs(surface);
		harness.sandbox.configure({ workers: 0, engineConcurrency: 300, maxStreams: 3 });
	});
	afterEach(() => harness.sandbox.configure({ workers: 4, engineConcurrency: 1, maxStreams: null }));

	test('sixty waits share the three streams that are granted, looks at the list, and two reads each', async () => {
		const connection = harness.connect('self_hosted');
		const jobs = await jobsOf(connection, 60);
		const waits = waitForAll(new SharedPolling(), connection, jobs);
		await until(() => count(READ) >= 60 && count(LIST) >= 3);
		expect([count(EVENTS), harness.sandbox.requests(EVENTS).filter(({ status }) => status === 429).length]).toEqual([4, 1]);
		// On a loaded machine some are due before the first look is answered.
		expect(count(READ)).toBeLessThanOrEqual(70);
		const [first, ...looks] = harness.sandbox.requests(LIST);
		expect(looks.length).toBeLessThanOrEqual((2 * onClock(Date.now() - Number(first?.at))) / 1_000);
		letGo();
		expect(succeeded(await waits)).toBe(60);
		expect(count(READ)).toBeLessThanOrEqual(140);
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
});

test.each([
	['v1', () => harness.connectV1()],
	['an engine', toEngine],
] as const)('a job over %s that ended before its wait, while the socket was open, is known at once', async (_name, open) => {
	const connection = open();
	const ended = new Set<string | null>();
	let isOpen = false;
	const stop = new AbortController();
	void connection.feed?.follow(
		{
			onConnect: () => void (isOpen = true),
			onEvent: (event, jobId) => void (event.kind === 'status' && event.status === 'succeeded' && ended.add(jobId)),
			onTrouble: () => undefined,
		},
		stop.signal,
	);
	await until(() => isOpen);
	const job = await connection.jobs.submit({ graph: quickGraph(Math.floor(Math.random() * 1e6)) });
	await until(() => ended.has(job.job_id));
	const startedAt = clock.now();
	const { finished } = await waitAmong(new SharedPolling(), connection, job, { submitted: job });
	expect([finished, clock.now() - startedAt < 5_000]).toEqual([true, true]);
	stop.abort();
});

test('forty waits of an engine look at its queue together', async () => {
	harness.sandbox.configure({ engineJobRoutes: true });
	const connection = toEngine();
	const jobs = await jobsOf(connection, 40);
	const shared = new SharedPolling();
	await Promise.all(jobs.map(async (job) => await waitAmong(shared, connection, job, { submitted: job })));
	// Each by itself would ask about every job before it.
	expect(harness.sandbox.requests('GET /api/jobs/:id', 'engine').length).toBeLessThanOrEqual(160);
	harness.sandbox.configure({ engineJobRoutes: false });
});
