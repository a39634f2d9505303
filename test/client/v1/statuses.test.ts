import { isTerminal } from '../../../client';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { JOB } from '../support/v1';

const harness = useSandbox({ v1JobsRead: false });
let jobId: string;

beforeAll(async () => {
	const connection = harness.connectV1();
	jobId = (await connection.jobs.submit({ graph: quickGraph() })).job_id;
});
afterEach(() => harness.sandbox.setV1Status(jobId, null));

type Row = [word: string, status: string];

const SPECIFICATION: Row[] = [
	['success', 'succeeded'],
	['error', 'failed'],
	['non_retryable_error', 'failed'],
	['lost', 'failed'],
	['cancelled', 'canceled'],
	['submitted', 'queued'],
	['queued_waiting', 'queued'],
	['preparing', 'running'],
	['executing', 'running'],
	['cancel_requested', 'canceling'],
];
const OLDER: Row[] = [
	['pending', 'queued'],
	['in_progress', 'running'],
	['completed', 'succeeded'],
	['failed', 'failed'],
	['cancelled', 'canceled'],
];
const OLDER_STATUS_ROUTE: Row[] = [
	['waiting_to_dispatch', 'queued'],
	['pending', 'queued'],
	['in_progress', 'running'],
	['completed', 'succeeded'],
	['error', 'failed'],
	['cancelled', 'canceled'],
];
const UNKNOWN: Row[] = [
	['a_word_of_tomorrow', 'queued'],
	['toString', 'queued'],
];

describe.each([
	["the specification's words", SPECIFICATION],
	['the older vocabulary of its prose', OLDER],
	['the older vocabulary of the status route', OLDER_STATUS_ROUTE],
	['words that are new to us', UNKNOWN],
])('%s', (_name, rows) => {
	test.each(rows)('%s is %s', async (word, status) => {
		harness.sandbox.setV1Status(jobId, word);
		const job = await harness.connectV1().jobs.get(jobId);
		expect(job).toMatchObject({ interface: 'v1', status, service_status: word });
		expect(job.job_error === null).toBe(status !== 'failed');
		expect(harness.sandbox.requests(JOB)).toHaveLength(isTerminal(status) ? 1 : 0);
	});
});

test.each(['non_retryable_error', 'lost'])('%s is the code of the failure, with words of our own', async (word) => {
	harness.sandbox.setV1Status(jobId, word);
	const { job_error } = await harness.connectV1().jobs.get(jobId);
	expect(job_error).toMatchObject({ code: word, node_id: null, class_type: null, traceback: null });
	expect(job_error?.message).toMatch(/^The (service|job) /);
});

test('a failure of which nothing is told still has words', async () => {
	harness.sandbox.setV1Status(jobId, 'error');
	const { job_error } = await harness.connectV1().jobs.get(jobId);
	expect(job_error).toMatchObject({ code: 'execution_error', message: expect.stringContaining('does not say why') });
});

test.each(['specification', 'openapi', 'jobs'] as const)('a job runs to its end in the words of %s', async (v1StatusWords) => {
	harness.sandbox.configure({ v1StatusWords });
	const { jobs } = harness.connectV1();
	const { job_id } = await jobs.submit({ graph: quickGraph(Math.floor(Math.random() * 1e7)) });
	let job = await jobs.get(job_id);
	while (!isTerminal(job.status)) job = await jobs.get(job_id);
	expect(job).toMatchObject({ status: 'succeeded', service_status: v1StatusWords === 'specification' ? 'success' : 'completed' });
});
