import { until } from '../../support/until';
import { UnknownOutcomeError, type ApiGraph, type SubmitOptions, type Job } from '../../../client';
import { takenJobs } from '../../../client/lost/takenJobs';
import type { ServiceSurface } from '../../../sandbox';
import { chunksOf, failureOf } from '../support/bytes';
import { imageGraph, quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';
import { json, serve } from '../support/server';

runFaster(10);
const harness = useSandbox();
const SUBMIT = 'POST /api/v2/jobs';
const LIST_V1 = 'GET /api/jobs';

let colors = 0;
const newGraph = (): ApiGraph => quickGraph(++colors);
const newKey = (): string => crypto.randomUUID();

describe('a failure whose effect is unknown', () => {
	test.each([
		[402, 'insufficient_credits'],
		[422, 'invalid_workflow'],
	])('a rejection after the key check (%d) proves that there is no job', async (status, code) => {
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_before' } });
		harness.sandbox.inject({ on: SUBMIT, answer: { status, code } });
		expect(await failureOf(harness.connect().jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey() }))).toMatchObject({ code });
	});
});

describe('the search for a lost job', () => {
	test('a lost job is found when the proxy lists file names in place of references', async () => {
		const { jobs, assets } = harness.connect('self_hosted');
		const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
		const { asset } = await assets.upload({ open: () => chunksOf(png), contentType: 'image/png' }, { filePath: 'lost.png' });
		const graph = imageGraph(assets.reference(asset));
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		const job = await jobs.submit({ graph }, { idempotencyKey: newKey() });
		expect(harness.sandbox.job(job.job_id)?.graph).toEqual(graph);
	});
});

/** Which job is the lost one, where lists tell times in this shape, in that one, or not at all. */
describe('which of the listed jobs is the lost one', () => {
	const DAY_MS = 24 * 60 * 60 * 1000;

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

		test('the lost job is found although the same workflow ran yesterday', async () => {
			const graph = newGraph();
			await submitYesterday(surface, graph);
			harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
			const job = await submit(surface, graph);
			expect(job.job_id).toBe(harness.sandbox.jobs(surface).at(-1)?.id);
		});

		test('the job of yesterday is never taken for the lost one', async () => {
			const graph = newGraph();
			await submitYesterday(surface, graph);
			const idempotencyKey = newKey();
			await submit(surface, newGraph(), { idempotencyKey });
			const failure = await failureOf(submit(surface, graph, { idempotencyKey, earlierAnswerLost: true }));
			expect(failure).toBeInstanceOf(UnknownOutcomeError);
		});
	});

	test('B1: only jobs that were made since the submission are read', async () => {
		const jobs = [];
		for (let index = 0; index < 20; index++) jobs.push(await submit('deployment', newGraph()));
		for (const { job_id } of jobs) harness.sandbox.ageJob(job_id, DAY_MS / 2);
		harness.sandbox.resetRecords();
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		const { job_id } = await submit('deployment', newGraph());
		expect(reads('/workflow')).toEqual([`/api/v2/jobs/${job_id}/workflow`]);
	});

	test('B1: the first old job ends the search when the list has no times', async () => {
		for (let index = 0; index < 20; index++) harness.sandbox.ageJob((await submit('deployment', newGraph())).job_id, DAY_MS / 2);
		harness.sandbox.configure({ listTimes: 'absent' });
		harness.sandbox.resetRecords();
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		await submit('deployment', newGraph());
		expect(new Set(reads('')).size).toBe(2);
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

		test('B6: a search without a match reads each candidate once', async () => {
			const options = await loseAmong(newGraph(), 12);
			const failure = await failureOf(submit('self_hosted', newGraph(), options));
			expect(failure).toBeInstanceOf(UnknownOutcomeError);
			const workflows = reads('/workflow');
			expect(workflows.length).toBeGreaterThanOrEqual(13);
			expect(new Set(workflows).size).toBe(workflows.length);
		});

		test('B6: a lost job behind a full list is found in the list of its status', async () => {
			harness.sandbox.configure({ engineConcurrency: 1 });
			const graph = slowGraph(600, 100);
			const options = await loseAmong(graph, 101);
			const lost = harness.sandbox.jobs('self_hosted').find(({ idempotencyKey }) => idempotencyKey === options.idempotencyKey);
			await until(() => lost?.status === 'running');
			await expect(submit('self_hosted', graph, options)).resolves.toMatchObject({ job_id: lost?.id });
			await harness.connect('self_hosted').jobs.cancel(lost?.id ?? '');
		});
	});
});

/** A submission over v2 whose answer was lost is looked for in the account's v1 list, where v2 lists none. */
describe('the list of v1, where v2 lists no jobs', () => {
	const lose = () => harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	const submit = async (graph: ApiGraph, hostedUrl: string) =>
		await harness.connect('hosted', { hostedUrl }).jobs.submit({ graph }, { idempotencyKey: newKey() });

	test.each([404, 501])('a submission stays unconfirmed when v1 has no list either (%d)', async (status) => {
		lose();
		harness.sandbox.inject({ on: LIST_V1, times: Infinity, answer: { status } });
		const failure = await failureOf(submit(newGraph(), harness.sandbox.urls.hosted));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ cause: { interface: 'v1', code: 'not_implemented' } });
	});

	test('the key goes to the address of the list only, and not with a redirect', async () => {
		const elsewhere = await serve(json(200, { jobs: [] }));
		const hosted = await serve((request, response) => void response.writeHead(302, { location: elsewhere.origin + request.url }).end());
		lose();
		expect(await failureOf(submit(newGraph(), hosted.origin))).toBeInstanceOf(UnknownOutcomeError);
		expect(hosted.seen.map(({ headers }) => [headers['x-api-key'], headers.authorization])).toContainEqual([
			harness.sandbox.keys.apiKey,
			undefined,
		]);
		expect(JSON.stringify(elsewhere.seen)).not.toContain(harness.sandbox.keys.apiKey);
		await Promise.all([hosted.close(), elsewhere.close()]);
	});

	test('a submission stays unconfirmed when the address of the list is invalid', async () => {
		lose();
		expect(await failureOf(submit(newGraph(), 'nowhere'))).toBeInstanceOf(UnknownOutcomeError);
	});

	test('the list of v1 serves no other purpose', async () => {
		const graph = newGraph();
		const { jobs } = harness.connect('hosted', { hostedUrl: harness.sandbox.urls.hosted });
		const { job_id } = await jobs.submit({ graph }, { idempotencyKey: newKey() });
		await jobs.get(job_id);
		await expect(jobs.list()).rejects.toMatchObject({ interface: 'v2', code: 'not_implemented' });
		expect(harness.sandbox.requests(LIST_V1)).toHaveLength(0);
	});
});
