/** Which job of a process that is gone belongs to which submission. */
import { type ApiGraph, UnknownOutcomeError } from '../../../client';
import { JobFinder, type Sought } from '../../../client/lost/jobFinder';
import { TakenJobs, takenJobs } from '../../../client/lost/takenJobs';
import { failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();
const MINUTE_MS = 60_000;
let colors = 0x600000;
const newGraph = (): ApiGraph => quickGraph(++colors);
const find = async (sought: Pick<Sought, 'graph' | 'since'> & Partial<Sought>) =>
	await new JobFinder(harness.connectV1().jobs).earlier({ owner: {}, ...sought });

/** Made so many minutes ago, by a process that is gone. */
async function madeAgo(graph: ApiGraph, minutes: number): Promise<string> {
	const { job_id } = await harness.connectV1().jobs.submit({ graph });
	harness.sandbox.ageJob(job_id, minutes * MINUTE_MS);
	takenJobs.clear();
	return job_id;
}

const minutesAgo = (minutes: number): number => Date.now() - minutes * MINUTE_MS;

beforeEach(() => harness.sandbox.forgetJobs('hosted'));

test('equal submissions that began one after the other each find one, in whatever order they ask', async () => {
	const graph = newGraph();
	const starts = [50, 40, 30, 20];
	const made: string[] = [];
	for (const start of starts) made.push(await madeAgo(graph, start - 2));
	for (const order of [
		[0, 1, 2, 3],
		[3, 2, 1, 0],
		[1, 3, 0, 2],
	]) {
		takenJobs.clear();
		const found: Array<string | undefined> = [];
		for (const index of order) found.push((await find({ graph, since: minutesAgo(starts[index] ?? 0) }))?.job_id);
		expect(found.sort()).toEqual([...made].sort());
	}
});

test('a job of before is not it, unless the clock of the service lags a little', async () => {
	const graph = newGraph();
	const job = await madeAgo(graph, 10);
	await expect(find({ graph, since: minutesAgo(8) })).resolves.toBeUndefined();
	await expect(find({ graph, since: minutesAgo(9.5) })).resolves.toMatchObject({ job_id: job });
});

test('who asks again gets the same job; another does not', async () => {
	const graph = newGraph();
	const job = await madeAgo(graph, 1);
	const sought = { graph, since: minutesAgo(2) };
	for (let times = 0; times < 2; times++) await expect(find({ ...sought, owner: 'one' })).resolves.toMatchObject({ job_id: job });
	await expect(find({ ...sought, owner: 'other' })).resolves.toBeUndefined();
	takenJobs.clear();
	await expect(find({ ...sought, knownJobIds: new Set([job]) })).resolves.toBeUndefined();
});

test('where it cannot be certain that there is none, that is said', async () => {
	const graph = newGraph();
	await madeAgo(graph, 1);
	harness.sandbox.inject({ on: 'GET /api/jobs/:id', answer: { status: 403, code: 'forbidden' } });
	const failure = await failureOf(find({ graph, since: minutesAgo(2), before: 'untold' }));
	expect(failure).toBeInstanceOf(UnknownOutcomeError);
	expect(failure).toMatchObject({ before: 'untold', cause: { status: 403 } });
});

test('the registry of taken jobs is bounded: the oldest are forgotten', () => {
	const few = new TakenJobs(2);
	for (const jobId of ['a', 'b', 'c']) expect(few.take(jobId, 1)).toBe(true);
	expect(['a', 'b', 'c'].map((jobId) => few.isFreeFor(jobId, 2))).toEqual([true, false, false]);
});
