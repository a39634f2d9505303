import { failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

/** Requests may arrive closer together than they were sent, by so many real milliseconds. */
const ARRIVE_CLOSER_MS = 10;
const onClock = runFaster(5);
const harness = useSandbox();
const WORKFLOW = 'GET /api/v2/jobs/:id/workflow';

describe('GET workflow', () => {
	test.each(['unknown', 'foreignJob', 'expiredJob'] as const)('404: %s', async (which) => {
		const id = which === 'unknown' ? crypto.randomUUID() : harness.sandbox.seeds[which];
		await expect(harness.connect().jobs.workflow(id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
	});

	test('429: repeated after Retry-After, for an unknown id too', async () => {
		harness.sandbox.inject({ on: WORKFLOW, times: 2, answer: { status: 429, code: 'rate_limited', retryAfter: 1 } });
		const { jobs } = harness.connect();
		const failure = await failureOf(jobs.workflow(crypto.randomUUID()));
		expect(failure).toMatchObject({ status: 404 });
		const [first, second] = harness.sandbox.requests(WORKFLOW).map(({ at }) => at);
		expect(onClock(Number(second) - Number(first) + ARRIVE_CLOSER_MS)).toBeGreaterThanOrEqual(1_000);
	});

	test('a proxy from before this route is no missing job, and a missing job stays one', async () => {
		harness.sandbox.inject({ on: WORKFLOW, times: 2, answer: { status: 404, json: { detail: 'Not Found' } } });
		const { jobs } = harness.connect('self_hosted');
		const { job_id } = await jobs.submit({ graph: quickGraph() });
		await expect(jobs.workflow(job_id)).rejects.toMatchObject({ code: 'not_implemented', status: 404 });
		await expect(jobs.workflow('a')).rejects.toMatchObject({ code: 'not_found' });
	});
});
