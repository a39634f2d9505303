/** Which job is the lost one, where lists tell times in this shape, in that one, or not at all. */
import { UnknownOutcomeError, type ApiGraph, type Job, type SubmitOptions } from '../../../client';
import { takenJobs } from '../../../client/lost/takenJobs';
import type { ServiceSurface } from '../../../sandbox';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

runFaster(10);
const harness = useSandbox();
const SUBMIT = 'POST /api/v2/jobs';
const DAY_MS = 24 * 60 * 60 * 1000;

let colors = 0x400000;
const newGraph = (): ApiGraph => quickGraph(++colors);
const newKey = (): string => crypto.randomUUID();
const reads = (what: string) => harness.sandbox.requests(`GET /api/v2/jobs/:id${what}`).map(({ path }) => path);
const submit = async (surface: ServiceSurface, graph: ApiGraph, options: SubmitOptions = {}): Promise<Job> =>
	await harness.connect(surface).jobs.submit({ graph }, { idempotencyKey: newKey(), ...options });

async function submitYesterday(surface: ServiceSurface, graph: ApiGraph): Promise<string> {
	const { job_id } = await submit(surface, graph);
	await until(() => harness.sandbox.job(job_id)?.status === 'succeeded');
	harness.sandbox.ageJob(job_id, DAY_MS - 60_000);
	return job_id;
}

beforeEach(() => harness.sandbox.forgetJobs('deployment'));
afterEach(() => harness.sandbox.configure({ listTimes: 'told', lastCursor: 'absent' }));

describe.each([
	['B1: a lost answer', 'deployment', 'told'],
	['B1: a lost answer', 'deployment', 'absent'],
	['B1: a lost answer', 'self_hosted', 'absent'],
	['a lost answer', 'self_hosted', 'told'],
] as const)('%s on %s, whose list has its times %s', (_name, surface, listTimes) => {
	beforeEach(() => harness.sandbox.configure({ listTimes }));

	test('is found although the same was run yesterday', async () => {
		const graph = newGraph();
		await submitYesterday(surface, graph);
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		const job = await submit(surface, graph);
		expect(job.job_id).toBe(harness.sandbox.jobs(surface).at(-1)?.id);
	});

	test('is never the job of yesterday', async () => {
		const graph = newGraph();
		await submitYesterday(surface, graph);
		const idempotencyKey = newKey();
		await submit(surface, newGraph(), { idempotencyKey });
		const failure = await failureOf(submit(surface, graph, { idempotencyKey, earlierAnswerLost: true }));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
	});
});

test('B1: of the jobs of a deployment only those are read that were made since', async () => {
	const jobs = [];
	for (let index = 0; index < 20; index++) jobs.push(await submit('deployment', newGraph()));
	for (const { job_id } of jobs) harness.sandbox.ageJob(job_id, DAY_MS / 2);
	harness.sandbox.resetRecords();
	harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	const { job_id } = await submit('deployment', newGraph());
	expect(reads('/workflow')).toEqual([`/api/v2/jobs/${job_id}/workflow`]);
});

test('B1: where no time is listed, the first job that is old ends the search: the list is newest first', async () => {
	for (let index = 0; index < 20; index++) harness.sandbox.ageJob((await submit('deployment', newGraph())).job_id, DAY_MS / 2);
	harness.sandbox.configure({ listTimes: 'absent' });
	harness.sandbox.resetRecords();
	harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	await submit('deployment', newGraph());
	expect(new Set(reads('')).size).toBe(2);
});

test('B1: one of which nobody knows when it was made may be ours: that is said, not guessed', async () => {
	const graph = newGraph();
	harness.sandbox.configure({ listTimes: 'absent' });
	harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	const timeless = { id: 'a', status: 'queued' };
	harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 200, json: timeless } });
	expect(await failureOf(submit('deployment', graph))).toBeInstanceOf(UnknownOutcomeError);
});

test.each(['null', 'empty'] as const)('B1: a cursor that is %s is the last page', async (lastCursor) => {
	harness.sandbox.configure({ lastCursor });
	const graph = newGraph();
	await submitYesterday('deployment', graph);
	harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	const { job_id } = await submit('deployment', graph);
	expect(job_id).toBe(harness.sandbox.jobs('deployment').at(-1)?.id);
	expect(harness.sandbox.requests('GET /api/v2/jobs', 'deployment').map(({ query }) => query)).toEqual(['limit=100']);
});

describe('B6: a lost job', () => {
	const loseAmong = async (graph: ApiGraph, others: number, lost = newKey()): Promise<SubmitOptions> => {
		const firstSentAt = Date.now();
		await submit('self_hosted', graph, { idempotencyKey: lost });
		for (let index = 0; index < others; index++) await submit('self_hosted', newGraph());
		harness.sandbox.resetRecords();
		takenJobs.clear();
		return { idempotencyKey: lost, earlierAnswerLost: true, firstSentAt };
	};

	test('that is not in the list has each candidate read once', async () => {
		const options = await loseAmong(newGraph(), 12);
		const failure = await failureOf(submit('self_hosted', newGraph(), options));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		const workflows = reads('/workflow');
		expect(workflows.length).toBeGreaterThanOrEqual(13);
		expect(new Set(workflows).size).toBe(workflows.length);
	});

	test('behind more than the proxy lists is found in the list of its status', async () => {
		harness.sandbox.configure({ engineConcurrency: 1 });
		const graph = slowGraph(600, 100);
		const options = await loseAmong(graph, 101);
		const lost = harness.sandbox.jobs('self_hosted').find(({ idempotencyKey }) => idempotencyKey === options.idempotencyKey);
		await until(() => lost?.status === 'running');
		await expect(submit('self_hosted', graph, options)).resolves.toMatchObject({ job_id: lost?.id });
		await harness.connect('self_hosted').jobs.cancel(lost?.id ?? '');
	});
});
