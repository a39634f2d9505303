import { hurryClock } from '../support/clock';
import { runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, gatedGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { jsons, submitRun, waitRun } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox();

const asTool = true;
const engine = () => credentialFor(sandbox, 'bare_engine');

it('an agent submits, waits, looks and downloads: everything is on the first output, in words', async () => {
	const [submitted] = jsons(await runNode(submitRun(engine(), colorGraph(1), { asTool })));
	expect(submitted).toMatchObject({ job_id: expect.any(String), interface: 'engine', status: 'queued' });
	const jobId = String(submitted?.job_id);
	const waited = await runNode(waitRun(engine(), [jobId], { asTool }));
	expect(jsons(waited)).toMatchObject([
		{ job_id: jobId, status: 'succeeded', outputs: [{ node_id: '2', url: expect.stringContaining('/api/view?') }] },
	]);
	expect(waited.outputs[1]).toEqual([]);
	expect(jsons(await runNode(manageRun(engine(), 'job:get', { asTool, parameters: { jobId } })))).toMatchObject([
		{ job_id: jobId, status: 'succeeded' },
	]);
	const [downloaded] = (await runNode(downloadRun(engine(), [jobId], {}, { asTool }))).outputs[0] ?? [];
	expect(downloaded?.json).toMatchObject({
		job_id: jobId,
		outputs: [{ node_id: '2', name: expect.stringContaining('.png') }],
		next: expect.stringContaining('job_id'),
	});
	expect(downloaded?.binary).toBeUndefined();
});

it('a job that still runs after Max Wait is on the first output too', async () => {
	sandbox.configure({ gateOpen: false });
	const [submitted] = jsons(await runNode(submitRun(engine(), gatedGraph(2), { asTool })));
	const result = await runNode(waitRun(engine(), [String(submitted?.job_id)], { asTool, parameters: { maxWaitMinutes: 0.005 } }));
	expect(jsons(result)).toMatchObject([{ job_id: submitted?.job_id, status: expect.stringMatching(/queued|running/) }]);
});

it('a later run looks for an unresolved submission by its recorded key, and sends nothing', async () => {
	sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'drop_after' } });
	sandbox.inject({ on: 'GET /api/jobs/:id', surface: 'engine', times: Infinity, answer: { status: 503, html: true } });
	hurryClock();
	const run = submitRun(engine(), colorGraph(3), { asTool, parameters: { options: { keepTryingForSeconds: 0 } } });
	const first = await runNode(run);
	jest.restoreAllMocks();
	sandbox.clearFaults();
	const contextData = JSON.parse(JSON.stringify(first.contextData).replaceAll('"0:0:', '"7:0:')) as typeof first.contextData;
	const second = await runNode({ ...run, contextData });
	expect(jsons(first)).toMatchObject([{ error: expect.any(String), idempotency_key: expect.any(String) }]);
	expect(jsons(second)[0]).toMatchObject({ job_id: jsons(first)[0]?.idempotency_key });
	expect([sandbox.ledger.runs.length, sandbox.requests('POST /api/prompt', 'engine').length]).toEqual([1, 1]);
});
