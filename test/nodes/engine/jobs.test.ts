import { until } from '../../support/until';
import { runNode, startNode } from '../support/engine';
import { downloadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { everyKindGraph } from '../support/media';
import { finished, jsons, submitRun, submitted, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const ways = ['engine', 'bare_engine'] as const;
const engine = () => credentialFor(sandbox, 'engine');
let seed = 900;

describe.each([
	['without job routes', false],
	['with job routes', true],
])('an engine %s', (_, engineJobRoutes) => {
	beforeEach(() => sandbox.configure({ engineJobRoutes }));

	it.each(['live', 'polling'])('Wait outputs the ended job (%s)', async (mode) => {
		const jobId = await submitted(sandbox, slowGraph(4, 20, seed++), engine());
		const result = await runNode(waitRun(engine(), [jobId], { parameters: { mode } }));
		expect(jsons(result)).toMatchObject([
			{
				job_id: jobId,
				interface: 'engine',
				status: 'succeeded',
				service_status: 'success',
				job_error: null,
				outputs: [{ node_id: '3', type: 'image', content_type: 'image/png' }],
			},
		]);
		expect(jsons(result)[0]).not.toHaveProperty('error');
	});

	it.each(ways)('Get Workflow outputs the graph of an ended, a running and a waiting job, and none of its extra data (%s)', async (way) => {
		const extraData = { note: 'canary-extra' };
		const [ended] = jsons(
			await runNode(submitRun(engine(), colorGraph(seed++), { parameters: { options: { extraData, sendPartnerKey: true } } })),
		);
		await runNode(waitRun(engine(), [String(ended?.job_id)]));
		const graphs = [slowGraph(3_000, 50, seed++), slowGraph(3_000, 50, seed++)];
		const jobIds = [String(ended?.job_id)];
		for (const graph of graphs) jobIds.push(await submitted(sandbox, graph, engine()));
		const result = await runNode(workflowRun(credentialFor(sandbox, way), jobIds));
		expect(jsons(result)).toMatchObject(jobIds.map((job_id) => ({ job_id, interface: 'engine', format: 'api' })));
		expect(jsons(result).map(({ workflow }) => workflow)).toEqual(jobIds.map((id) => sandbox.job(id)?.graph));
		expect(result.stored).not.toMatch(/canary-extra|client_id/);
		expect(result.stored).not.toContain(sandbox.keys.partnerKey);
		await runNode({
			node: 'comfyManageJobs',
			credential: engine(),
			parameters: { resource: 'job', operation: 'cancel', jobId: '={{ $json.id }}' },
			items: jobIds.slice(1).map((id) => ({ json: { id } })),
		});
	});

	it('Stop ends its own job alone: the one of somebody else runs on', async () => {
		sandbox.configure({ engineConcurrency: 2, gateOpen: false });
		const [mine, theirs] = [await submitted(sandbox, gatedGraph(seed++), engine()), await submitted(sandbox, gatedGraph(seed++), engine())];
		await until(() => [mine, theirs].every((id) => sandbox.job(id)?.status === 'running'));
		const { result, stop } = startNode(waitRun(engine(), [mine]));
		await until(() => sandbox.sockets('engine').length > 0);
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(mine)?.status === 'canceled');
		sandbox.configure({ gateOpen: true });
		expect((await runNode(waitRun(engine(), [theirs]))).status).toBe('success');
		sandbox.configure({ engineConcurrency: 1 });
	});
});

it('Get Workflow of an unknown job says what to check', async () => {
	const { error } = await runNode(workflowRun(engine(), ['00000000-0000-4000-8000-000000000000']));
	expect(error?.message).toMatch(/knows no such job/);
});

it('Wait with 20 items outputs them in their order, over one socket that they share', async () => {
	const turn = jobsWait(sandbox, () => sandbox.sockets('engine').length > 0);
	const graphs = Array.from({ length: 20 }, () => ({ json: { color: seed++ } }));
	const submit = submitRun(engine(), colorGraph(0), {
		items: graphs,
		parameters: { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } },
	});
	const jobIds = jsons(await runNode(submit)).map(({ job_id }) => String(job_id));
	sandbox.resetRecords();
	const result = await runNode(waitRun(engine(), jobIds, { parameters: { options: { concurrency: 20 } } }));
	await turn;
	expect(jsons(result).map(({ job_id, status }) => [job_id, status])).toEqual(jobIds.map((id) => [id, 'succeeded']));
	// On a busy machine all that have begun may have ended before the next one begins: it opens another.
	expect(sandbox.requests('GET /ws', 'engine').length).toBeLessThanOrEqual(2);
});

it('two executions at once do not cut each other’s socket', async () => {
	const turn = jobsWait(sandbox, () => sandbox.requests('GET /ws', 'engine').length === 2);
	const jobIds = [
		await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
		await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
	];
	sandbox.resetRecords();
	const results = await Promise.all(jobIds.map(async (id) => await runNode(waitRun(engine(), [id]))));
	await turn;
	expect(results.map(({ status }) => status)).toEqual(['success', 'success']);
	const clientIds = sandbox.requests('GET /ws', 'engine').map(({ query }) => new URLSearchParams(query).get('clientId'));
	expect(new Set(clientIds).size).toBe(clientIds.length);
	expect(clientIds).toHaveLength(2);
});

it('every kind of output is downloaded as it was made', async () => {
	const jobId = await finished(sandbox, everyKindGraph(7), engine());
	const { outputs, status } = await runNode(downloadRun(engine(), [jobId]));
	expect(status).toBe('success');
	const types = outputs[0]?.map(({ binary }) => binary?.data?.mimeType);
	expect(types).toEqual(expect.arrayContaining(['image/png', expect.stringMatching(/^video\//), expect.stringMatching(/^audio\//)]));
});

it('a job that failed tells its node; Download says so as well', async () => {
	const jobId = await submitted(sandbox, failingGraph(`engine ${seed++}`), engine());
	await runNode(waitRun(engine(), [jobId]));
	const { error } = await runNode(downloadRun(engine(), [jobId]));
	expect(error?.message).toMatch(/node 7 \(SandboxFail\)/);
});

it('the token goes to the proxy alone, Engine Authorization to the engine alone', async () => {
	const secrets = { token: 'the-token', engineAuthorizationSecret: 'Basic the-authorization' };
	sandbox.resetRecords();
	for (const way of ['engine', 'self_hosted'] as const) {
		const credential = credentialFor(sandbox, way, secrets);
		await finished(sandbox, slowGraph(3, 20, seed++), credential);
		await runNode({ node: 'comfyManageJobs', credential, parameters: { resource: 'queue', operation: 'get' } });
	}
	const sentTo = (surface: 'engine' | 'self_hosted') => [
		...new Set(sandbox.requests('* *', surface).map(({ headers }) => headers.authorization)),
	];
	expect(sentTo('engine')).toEqual(['Basic the-authorization']);
	expect(sentTo('self_hosted')).toEqual(['Bearer the-token']);
	expect(JSON.stringify(sandbox.requests('* *', 'engine'))).not.toContain('the-token');
});
