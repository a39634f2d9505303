import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { JOB } from '../support/v1';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1JobsRead: true }));

const graph = quickGraph();
const saved = { nodes: [], links: [], version: 0.4 };

async function workflowIn(workflow: unknown) {
	harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'completed', workflow } } });
	return await harness.connectV1().jobs.workflow('a');
}

test('the executed graph, without the extra data', async () => {
	const { jobs } = harness.connectV1();
	const { job_id } = await jobs.submit({ graph, extraData: { api_key_comfy_org: harness.sandbox.keys.partnerKey } });
	await expect(jobs.workflow(job_id)).resolves.toEqual({ format: 'api', workflow: graph });
});

test.each<[string, unknown, 'api' | 'save', unknown]>([
	['wrapped with its extra data', { prompt: graph, extra_data: { api_key_comfy_org: 'secret' } }, 'api', graph],
	['wrapped as a workflow', { workflow: graph }, 'api', graph],
	['as saved in the editor', saved, 'save', saved],
	['as saved, wrapped', { workflow: saved }, 'save', saved],
	['with a node of that name', { prompt: graph['1'] }, 'api', { prompt: graph['1'] }],
])('%s', async (_name, workflow, format, expected) => {
	await expect(workflowIn(workflow)).resolves.toEqual({ format, workflow: expected });
});

test.each([null, undefined, 'text', []])('%j is none: the service does not hand it out', async (workflow) => {
	await expect(workflowIn(workflow)).rejects.toMatchObject({ interface: 'v1', code: 'not_implemented' });
});

test('a service without the jobs read is no missing job, and a missing job stays one', async () => {
	harness.sandbox.configure({ v1JobsRead: false });
	const { jobs } = harness.connectV1();
	await expect(jobs.workflow(harness.sandbox.seeds.pinnedJob)).rejects.toMatchObject({ code: 'not_implemented' });
	await expect(jobs.workflow(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' });
});
