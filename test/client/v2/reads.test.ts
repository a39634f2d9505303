import type { ApiGraph } from '../../../client';
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
	test('200 save: a job pinned to a version gives the authoring workflow as saved', async () => {
		const { format, workflow } = await harness.connect().jobs.workflow(harness.sandbox.seeds.pinnedJob);
		expect(format).toBe('save');
		expect(workflow).toMatchObject({
			nodes: expect.arrayContaining([expect.objectContaining({ type: 'Note' })]),
			links: expect.any(Array),
		});
	});

	test('200 api: a pinned job whose version was deleted gives the executed graph', async () => {
		const { format, workflow } = await harness.connect().jobs.workflow(harness.sandbox.seeds.deletedVersionJob);
		expect(format).toBe('api');
		expect(Object.values(workflow as ApiGraph).map((node) => node.class_type)).toContain('SaveImage');
	});

	test.each(['hosted', 'deployment', 'self_hosted', 'self_hosted_token'] as const)(
		'200 api: a job submitted on %s gives its graph',
		async (surface) => {
			const { jobs } = harness.connect(surface);
			const { job_id } = await jobs.submit({ graph: quickGraph() });
			await expect(jobs.workflow(job_id)).resolves.toEqual({ format: 'api', workflow: quickGraph() });
		},
	);

	test('the api graph never holds the extra data', async () => {
		const { jobs } = harness.connect();
		const { job_id } = await jobs.submit({ graph: quickGraph(), extraData: { api_key_comfy_org: harness.sandbox.keys.partnerKey } });
		expect(JSON.stringify(await jobs.workflow(job_id))).not.toContain(harness.sandbox.keys.partnerKey);
	});

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

	test('an unknown format and unknown fields pass through', async () => {
		harness.sandbox.inject({ on: WORKFLOW, answer: { status: 200, json: { format: 'subgraph', workflow: { a: 1 }, version_id: 'v7' } } });
		await expect(harness.connect().jobs.workflow('a')).resolves.toEqual({ format: 'subgraph', workflow: { a: 1 }, version_id: 'v7' });
	});

	test('a proxy from before this route is no missing job, and a missing job stays one', async () => {
		harness.sandbox.inject({ on: WORKFLOW, times: 2, answer: { status: 404, json: { detail: 'Not Found' } } });
		const { jobs } = harness.connect('self_hosted');
		const { job_id } = await jobs.submit({ graph: quickGraph() });
		await expect(jobs.workflow(job_id)).rejects.toMatchObject({ code: 'not_implemented', status: 404 });
		await expect(jobs.workflow('a')).rejects.toMatchObject({ code: 'not_found' });
	});

	test('an id is one segment of the address, whatever it holds', async () => {
		await failureOf(harness.connect().jobs.workflow('../assets/x?y#z'));
		expect(harness.sandbox.requests()[0]?.path).toBe('/api/v2/jobs/..%2Fassets%2Fx%3Fy%23z/workflow');
	});
});

test('a read is repeated through trouble, within its budget', async () => {
	const { jobs } = harness.connect();
	harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 429, code: 'rate_limited', retryAfter: 1 } });
	harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', fault: { kind: 'drop_before' } });
	harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 500, badJson: true } });
	await expect(jobs.get(harness.sandbox.seeds.pinnedJob)).resolves.toMatchObject({ status: 'succeeded' });
	expect(harness.sandbox.requests('GET /api/v2/jobs/:id')).toHaveLength(4);
});
