import { clock, type Connection, type Job, waitForJob } from '../../../client';
import type { RecordedRequest } from '../../../sandbox';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const LIST = 'GET /api/v2/jobs';
runFaster(2);
const harness = useSandbox({ progressIntervalMs: 50 });
const toEngine = () => harness.connect('hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine, token: undefined });

/** So many jobs; their submissions are forgotten. */
async function jobsOf(connection: Connection, many: number): Promise<Job[]> {
	const jobs = await Promise.all(Array.from({ length: many }, async () => await connection.jobs.submit({ graph: slowGraph(1, 10) })));
	harness.sandbox.resetRecords();
	return jobs;
}
const waitFor = async ({ jobs }: Connection, { job_id }: Job, submitted?: Job) =>
	await waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: 120_000, submitted });

test('two credentials share nothing: each asks for its own jobs with its own key', async () => {
	harness.sandbox.configure({ workers: 0, maxStreams: 3 });
	const { keys } = harness.sandbox;
	const [mine, theirs] = [harness.connect('deployment'), harness.connect('deployment', { token: keys.otherApiKey })];
	expect(mine.jobs.identity).not.toBe(theirs.jobs.identity);
	expect(mine.jobs.identity).toBe(harness.connect('deployment').jobs.identity);
	const [theirJobs, myJobs] = [await jobsOf(theirs, 6), await jobsOf(mine, 6)];
	const waits = [...myJobs.map(async (job) => await waitFor(mine, job)), ...theirJobs.map(async (job) => await waitFor(theirs, job))];
	await until(() => harness.sandbox.requests(LIST).length >= 4);
	harness.sandbox.configure({ workers: 300 });
	await Promise.all(waits);
	harness.sandbox.configure({ workers: 4, maxStreams: null });
	const bearerOf = ({ headers }: RecordedRequest) => headers.authorization;
	const mineByKey = harness.sandbox.requests().filter((request) => bearerOf(request) === `Bearer ${keys.apiKey}`);
	const theirsByKey = harness.sandbox.requests().filter((request) => bearerOf(request) === `Bearer ${keys.otherApiKey}`);
	expect(mineByKey.length + theirsByKey.length).toBe(harness.sandbox.requests().length);
	for (const { job_id } of theirJobs) expect(mineByKey.some(({ path }) => path.includes(job_id))).toBe(false);
	for (const { job_id } of myJobs) expect(theirsByKey.some(({ path }) => path.includes(job_id))).toBe(false);
	for (const byKey of [mineByKey, theirsByKey]) expect(byKey.some(({ path }) => path === '/api/v2/jobs')).toBe(true);
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
	const { finished } = await waitFor(connection, job, job);
	expect([finished, clock.now() - startedAt < 5_000]).toEqual([true, true]);
	stop.abort();
});

test('forty waits of an engine look at its queue together', async () => {
	harness.sandbox.configure({ engineJobRoutes: true });
	const connection = toEngine();
	const jobs = await jobsOf(connection, 40);
	await Promise.all(jobs.map(async (job) => await waitFor(connection, job, job)));
	// Each by itself would ask about every job before it.
	expect(harness.sandbox.requests('GET /api/jobs/:id', 'engine').length).toBeLessThanOrEqual(160);
	harness.sandbox.configure({ engineJobRoutes: false });
});
