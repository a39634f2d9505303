import sharp from 'sharp';
import { itemsOf, readExample, importWorkflow, type Execution, type WorkflowDocument } from '../../scripts/n8nHost';
import { nodeNamed } from '../../scripts/demo/steps';
import { gated } from './support/graphs';
import { openSession, type Session } from './support/session';
import { submitJob } from './support/submitJob';
import { until } from './support/until';

const DOWNLOAD = 'n8n-nodes-comfy.comfyDownloadOutputs';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

async function fileOf(document: WorkflowDocument, execution: Execution, type: string): Promise<Buffer> {
	const [item] = itemsOf(execution, nodeNamed(document, type));
	return await session.rest.binary(item?.binary?.data?.id ?? 'none');
}

async function runStepByStep(): Promise<void> {
	const example = await readExample('step-by-step');
	const execution = await session.execute(example, nodeNamed(example, 'n8n-nodes-base.manualTrigger'));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	const input = await fileOf(example, execution, 'n8n-nodes-base.convertToFile');
	const output = await fileOf(example, execution, DOWNLOAD);
	const pixelsOf = async (picture: sharp.Sharp) => await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
	const [expected, saved] = [await pixelsOf(sharp(input).negate({ alpha: false })), await pixelsOf(sharp(output))];
	expect([saved.info.width, saved.info.height]).toEqual([expected.info.width, expected.info.height]);
	expect(saved.data.equals(expected.data)).toBe(true);
}

test('first-picture draws the same words twice, each time with another seed', async () => {
	const example = await readExample('first-picture');
	const execution = await session.execute(example, nodeNamed(example, 'n8n-nodes-base.manualTrigger'));
	expect(execution.data.resultData.error).toBeUndefined();
	const items = itemsOf(execution, 'Comfy Run Workflow');
	const graphs = items.map(({ json }) => session.sandbox.job(String(json.job_id))?.graph);
	expect(graphs.map((graph) => graph?.['6']?.inputs.text)).toEqual(['a red fox in the snow', 'a red fox in the snow']);
	expect(graphs.map((graph) => graph?.['3']?.inputs.seed)).toEqual([1, 4]);
	expect(items.map(({ json }) => json.file_name)).toEqual([
		expect.stringMatching(/^red-fox-1_.*png$/),
		expect.stringMatching(/^red-fox-4_.*png$/),
	]);
	const [one, other] = await Promise.all(items.map(async ({ binary }) => await session.rest.binary(binary?.data?.id ?? 'none')));
	expect(await sharp(one).metadata()).toMatchObject({ width: 512, height: 512 });
	expect(one?.equals(other ?? Buffer.of())).toBe(false);
});

test('step-by-step uploads, submits, waits, gets the workflow and saves the inverted picture', async () => {
	const before = session.sandbox.ledger.runs.length;
	await runStepByStep();
	expect(session.sandbox.ledger.runs).toHaveLength(before + 1);
	expect(session.sandbox.requests('GET /api/v2/jobs/:id/workflow')).toHaveLength(1);
});

/** Another client's job on the only worker, until the service opens its gate: the example's own job has to wait for its turn. */
async function keepBusy(): Promise<void> {
	session.sandbox.configure({ workers: 1, gateOpen: false });
	await submitJob(session.sandbox, gated(1));
}

test('step-by-step also succeeds without live events', async () => {
	session.sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: Infinity, answer: { status: 501, code: 'not_implemented' } });
	session.sandbox.resetRecords();
	await keepBusy();
	const reads = () => session.sandbox.requests('GET /api/v2/jobs/:id').length;
	const running = runStepByStep();
	await Promise.race([running, until('reads', () => reads() > 2 || undefined)]);
	session.sandbox.configure({ gateOpen: true });
	await running;
	expect(session.sandbox.requests('GET /api/v2/jobs/:id/events').map(({ status }) => status)).toEqual([501]);
	expect(reads()).toBeGreaterThan(2);
	session.sandbox.clearFaults();
});

test('nightly-picture is started by its schedule', async () => {
	const example = await readExample('nightly-picture');
	const schedule = example.nodes.find(({ type }) => type === 'n8n-nodes-base.scheduleTrigger');
	expect(schedule).toBeDefined();
	schedule!.parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
	const workflow = await importWorkflow(session.rest, example, session.credentials);
	await session.rest.activate(workflow);
	const finished = await until('an execution started by the schedule', async () => {
		const executions = await session.rest.executions(workflow.id);
		return executions.find(({ status, mode }) => mode === 'trigger' && !['new', 'running'].includes(status));
	});
	await session.rest.deactivate(workflow);

	const execution = await session.rest.execution(finished.id);
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	const picture = await fileOf(example, execution, DOWNLOAD);
	expect((await sharp(picture).metadata()).width).toBeGreaterThan(0);
});
