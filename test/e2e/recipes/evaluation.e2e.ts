import { randomUUID } from 'node:crypto';
import { importWorkflow, readExample, type WorkflowDocument } from '../../../scripts/n8nHost/documents';
import { createDataTable, type DataTable } from '../support/dataTables';
import { evaluate } from '../support/evaluations';
import { nodeOf } from '../support/exampleRuns';
import { openSession, type Session } from '../support/session';

const PROMPTS = ['a red fox in the snow', 'a lighthouse at sunset', 'a green frog'];

let session: Session;
let table: DataTable;
let example: WorkflowDocument;
beforeEach(async () => {
	session = await openSession();
	table = await createDataTable(session.rest, `Prompts ${randomUUID()}`, ['prompt']);
	await table.insert(PROMPTS.map((prompt) => ({ prompt })));
	example = await readExample('evaluation');
	for (const { parameters } of example.nodes) {
		if ('dataTableId' in parameters) parameters.dataTableId = { __rl: true, mode: 'id', value: table.id };
	}
});
afterEach(async () => {
	await table.delete().catch(() => undefined);
	await session.close();
});

/** Saves the workflow and evaluates it. */
async function evaluateExample() {
	const { id } = await importWorkflow(session.rest, example, session.credentials);
	return await evaluate(session.rest, id);
}

const jobIds = (): string[] => session.sandbox.ledger.runs.map(({ jobId }) => jobId);

test.each(['comfyApi', 'comfySelfHostedApi'])(
	'with %s, an evaluation runs one job for each prompt, writes the results to the rows, and sets the metrics',
	async (credential) => {
		nodeOf(example, 'Comfy Run Workflow').parameters.authentication = credential;
		const { run, cases } = await evaluateExample();
		expect([run.status, run.errorCode]).toEqual(['completed', null]);
		const rows = await table.rows();
		expect(rows.map(({ prompt, job_id }) => [prompt, job_id])).toEqual(PROMPTS.map((prompt, index) => [prompt, jobIds()[index]]));
		expect(jobIds().map((id) => session.sandbox.job(id)?.graph['6']?.inputs.text)).toEqual(PROMPTS);
		for (const row of rows) expect(row).toMatchObject({ image: expect.stringMatching(/^evaluation_\d+_\.png$/), error: '' });
		expect(cases.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
		// n8n stores 0, the time of a job that the sandbox finished at once, as an empty cell.
		expect(cases.map(({ metrics }) => metrics?.seconds)).toEqual(rows.map(({ seconds }) => seconds ?? 0));
		for (const { metrics } of cases) expect(metrics).toMatchObject({ succeeded: 1, size_bytes: expect.any(Number) });
		const sizes = cases.map(({ metrics }) => metrics?.size_bytes ?? 0);
		expect(Math.min(...sizes)).toBeGreaterThan(1_000);
		expect(run.metrics?.succeeded).toBe(1);
		expect(run.metrics?.size_bytes).toBeCloseTo(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
	},
);

test('a rejected prompt gets its reason and the metric 0, and the other prompts still run', async () => {
	const answer = { status: 400, code: 'invalid_workflow', message: 'not this one' };
	session.sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, skip: 1, answer });
	const { run, cases } = await evaluateExample();
	expect(run.status).toBe('completed');
	expect(run.metrics?.succeeded).toBeCloseTo(2 / 3);
	expect(cases.map(({ metrics }) => metrics?.succeeded)).toEqual([1, 0, 1]);
	const [first, rejected, last] = await table.rows();
	expect(rejected).toMatchObject({ image: '', job_id: '', seconds: 0, error: expect.stringContaining('not this one') });
	expect([first?.job_id, last?.job_id]).toEqual(jobIds());
	expect([first?.error, last?.error]).toEqual(['', '']);
});

test('a job that is still running after Max Wait leaves its ID in the row', async () => {
	session.sandbox.configure({ workers: 0 });
	nodeOf(example, 'Comfy Run Workflow').parameters.options = { maxWaitMinutes: 0.01 };
	const { cases } = await evaluateExample();
	expect(cases.map(({ metrics }) => metrics?.succeeded)).toEqual([0, 0, 0]);
	const rows = await table.rows();
	expect(rows.map(({ job_id }) => job_id)).toEqual(jobIds());
	for (const { error } of rows) expect(error).toBe('The job is still running after Max Wait.');
});

test('without an evaluation, an execution from Prompts writes the result of the first prompt to its row', async () => {
	const execution = await session.execute(example, 'Prompts');
	expect(execution.status).toBe('success');
	const rows = await table.rows();
	expect(rows.map(({ job_id }) => job_id)).toEqual([...jobIds(), null, null]);
	expect(jobIds()).toHaveLength(1);
});
