/** A submission that the service put off is sent as soon as a job of the connection has ended. */
import type { Connection, Job } from '../../../client';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { newGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ workers: 4 }));

const SUBMIT = 'POST /api/v2/jobs';
const HOUR_SECONDS = 3_600;
const submissions = () => harness.sandbox.requests(SUBMIT).length;

const endOf = async (job: Job): Promise<void> => await until(() => harness.sandbox.job(job.job_id)?.status === 'succeeded');

test.each<[how: string, workers: number, end: (jobs: Connection['jobs'], job: Job) => Promise<unknown>]>([
	['a read of the job', 4, async (jobs, job) => await endOf(job).then(async () => await jobs.get(job))],
	['the cancelation of the job', 0, async (jobs, job) => await jobs.cancel(job)],
	[
		'a read that no longer finds the job',
		4,
		async (jobs, { job_id }) => {
			harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 404, code: 'not_found' } });
			expect(await failureOf(jobs.get(job_id))).toMatchObject({ status: 404 });
		},
	],
	[
		'the event stream of the job',
		4,
		async (jobs, job) => {
			for await (const event of jobs.events(job)) expect(event.kind).toBeTruthy();
		},
	],
])('a submission is sent before its Retry-After is over when %s shows the end of another job', async (_how, workers, showEnd) => {
	harness.sandbox.configure({ workers });
	const { jobs } = harness.connect();
	const first = await jobs.submit({ graph: newGraph() });
	harness.sandbox.inject({ on: SUBMIT, answer: { status: 429, code: 'queue_full', retryAfter: HOUR_SECONDS } });
	const submitting = jobs.submit({ graph: newGraph() }, { retryBudgetMs: HOUR_SECONDS * 1_000 });
	await until(() => submissions() === 2);
	await showEnd(jobs, first);
	await until(() => submissions() === 3);
	expect((await submitting).job_id).not.toBe(first.job_id);
});

test('a submission is sent before its Retry-After is over when the job list shows the end of the older of two jobs', async () => {
	const { jobs } = harness.connect('deployment');
	const [older, newer] = [await jobs.submit({ graph: newGraph() }), await jobs.submit({ graph: slowGraph(1_000, 20) })];
	harness.sandbox.inject({ on: SUBMIT, answer: { status: 429, code: 'queue_full', retryAfter: HOUR_SECONDS } });
	const submitting = jobs.submit({ graph: newGraph() }, { retryBudgetMs: HOUR_SECONDS * 1_000 });
	await until(() => submissions() === 3);
	await endOf(older);
	await jobs.list();
	await until(() => submissions() === 4);
	await submitting;
	await jobs.cancel(newer);
});

test('each page of the list is requested with the statuses and the workflow of the caller, and without them for all jobs', async () => {
	const { jobs } = harness.connect('deployment', { hostedUrl: harness.sandbox.urls.hosted });
	const filter = { statuses: ['queued', 'running'], madeInWorkflow: 'flow-1', limit: 5 } as const;
	await jobs.list({ ...filter, statuses: [...filter.statuses] });
	harness.sandbox.inject({ on: 'GET /api/v2/jobs', answer: { status: 200, json: { jobs: [] } } });
	await jobs.list({ ...filter, statuses: [...filter.statuses], cursor: 'page-2' });
	await jobs.list({ limit: 500 });
	const filtered = { limit: '5', 'metadata[n8n_workflow_id]': 'flow-1', status: 'queued,running' };
	expect(harness.sandbox.requests('GET /api/v2/jobs').map(({ query }) => Object.fromEntries(new URLSearchParams(query)))).toEqual([
		filtered,
		{ ...filtered, cursor: 'page-2' },
		{ limit: '100' },
	]);
});
