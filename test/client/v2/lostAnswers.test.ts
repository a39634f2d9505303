import { until } from '../../support/until';
import { UnknownOutcomeError, type ApiGraph, type SubmitOptions, type Job } from '../../../client';
import type { ServiceSurface } from '../../../sandbox';
import { failureOf } from '../support/bytes';
import { newGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';
import { json, serve } from '../support/server';

runFaster(10);
const harness = useSandbox();
const SUBMIT = 'POST /api/v2/jobs';

const newKey = (): string => crypto.randomUUID();

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
		['deployment', 'absent'],
		['self_hosted', 'told'],
	] as const)('on %s, whose list has its times %s', (surface, listTimes) => {
		beforeEach(() => harness.sandbox.configure({ listTimes }));

		test('the lost job is found, and the job of the same workflow of yesterday is never taken for it', async () => {
			const graph = newGraph();
			await submitYesterday(surface, graph);
			harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
			const job = await submit(surface, graph);
			expect(job.job_id).toBe(harness.sandbox.jobs(surface).at(-1)?.id);
			const idempotencyKey = newKey();
			await submit(surface, newGraph(), { idempotencyKey });
			const failure = await failureOf(submit(surface, graph, { idempotencyKey, earlier: { answerLost: true } }));
			expect(failure).toBeInstanceOf(UnknownOutcomeError);
		});
	});

	test('a key in use leads to the job of its item that was made since the record was lost, not since the latest try', async () => {
		const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;
		for (const graph of [newGraph(), newGraph()]) {
			const idempotencyKey = newKey();
			const { job_id } = await submit('deployment', graph, { idempotencyKey });
			harness.sandbox.ageJob(job_id, 10 * 60_000);
			const earlier = { lostRecord: { since: minutesAgo(11) }, firstSentAt: minutesAgo(1) };
			await expect(submit('deployment', graph, { idempotencyKey, keyIsOurs: true, earlier })).resolves.toMatchObject({ job_id });
		}
	});

	test('the first old job ends the search when the list has no times', async () => {
		for (let index = 0; index < 20; index++) harness.sandbox.ageJob((await submit('deployment', newGraph())).job_id, DAY_MS / 2);
		harness.sandbox.configure({ listTimes: 'absent' });
		harness.sandbox.resetRecords();
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
		await submit('deployment', newGraph());
		expect(new Set(reads('')).size).toBe(2);
	});
});

/** A submission over v2 whose answer was lost is looked for in the account's v1 list, where v2 lists none. */
describe('the list of v1, where v2 lists no jobs', () => {
	const lose = () => harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
	const submit = async (graph: ApiGraph, hostedUrl: string) =>
		await harness.connect('hosted', { hostedUrl }).jobs.submit({ graph }, { idempotencyKey: newKey() });

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
});
