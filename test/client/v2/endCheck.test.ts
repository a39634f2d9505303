/** The reads that check a silent event stream. */
import type { Job, JobEvent } from '../../../client';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const moveOn = useStillClock();
const harness = useSandbox();
const stops: AbortController[] = [];
let ended = 0;
beforeEach(() => (ended = 0));
afterEach(() => {
	for (const stop of stops.splice(0)) stop.abort();
	harness.sandbox.configure({ workers: 4 });
});

const READ = 'GET /api/v2/jobs/:id';
const reads = () => harness.sandbox.requests(READ).length;

/** Collects the events of a job until its stream ends or the test is over. */
function listen(jobs: ReturnType<typeof harness.connect>['jobs'], job: Job): JobEvent[] {
	const events: JobEvent[] = [];
	const stop = new AbortController();
	stops.push(stop);
	const collect = async (): Promise<void> => {
		for await (const event of jobs.events(job, { signal: stop.signal })) events.push(event);
	};
	void collect()
		.catch(() => undefined)
		.finally(() => (ended += 1));
	return events;
}

/** Opens this many streams of jobs that wait for a worker. Each stream has sent its first event. */
async function openStreams(count: number, surface: 'hosted' | 'deployment' = 'hosted') {
	harness.sandbox.configure({ workers: 0 });
	const { jobs } = harness.connect(surface);
	const submitted: Job[] = [];
	for (let index = 0; index < count; index++) submitted.push(await jobs.submit({ graph: slowGraph(1, 1) }));
	const streams = submitted.map((job) => listen(jobs, job));
	await until(() => streams.every((events) => events.length > 0));
	return { jobs, submitted, streams };
}

test('each of 8 silent streams is checked with a read after 1 s, and the streams of another service do not count', async () => {
	await openStreams(8);
	await openStreams(2, 'deployment');
	moveOn(999);
	expect(reads()).toBe(0);
	moveOn(101);
	await until(() => reads() === 10);
});

test('silent streams are not checked when more than 8 are open', async () => {
	const { jobs, submitted } = await openStreams(9);
	moveOn(1_100);
	await jobs.get(submitted[0] as Job);
	expect(reads()).toBe(1);
});

test('streams are checked again after one of 9 has ended', async () => {
	await openStreams(9);
	stops[0]?.abort();
	await until(() => ended === 1);
	moveOn(1_100);
	await until(() => reads() === 8);
});
