import { type Connection, type Job } from '../../../client';
import { SharedWait } from '../../../client/wait/sharedWait';
import { until } from '../../support/until';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { waitAmong } from '../support/waits';
import { runFaster } from '../../support/fastClock';

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
