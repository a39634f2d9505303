import { type Execution, importWorkflow, itemsOf, readExample, type SavedWorkflow } from '../../../scripts/n8nHost/documents';
import { createDataTable, type DataTable } from '../support/dataTables';
import { colorsOf, nodeOf, succeeded } from '../support/exampleRuns';
import { openSession, type Session } from '../support/session';
import { publish } from '../support/triggers';
import { until } from '../support/until';

const COLUMNS = ['product', 'prompt', 'status', 'image_urls', 'job_id', 'error'];
const ROWS = ['cup', 'lamp', 'chair'].map((product) => ({ product, prompt: `a blue ${product} on a white table` }));
const RUN = 'Comfy Run Workflow';

let session: Session;
let table: DataTable;
let workflow: SavedWorkflow;
let ids: number[];

beforeEach(async () => {
	session = await openSession();
	table = await createDataTable(session.rest, 'Product images', COLUMNS);
	ids = await table.insert(ROWS);
	workflow = await importWorkflow(session.rest, await readExample('product-table'), session.credentials);
});
afterEach(async () => {
	await table.delete().catch(() => undefined);
	await session.close();
});

const start = async (): Promise<string> => await session.rest.run(workflow, 'Start');
const run = async (): Promise<Execution> => await session.rest.waitFor(await start());
const column = async (name: string) => (await table.rows()).map((row) => row[name]);
const paidJobs = () => session.sandbox.ledger.runs.map(({ jobId }) => jobId);
const promptOf = (jobId: unknown) => session.sandbox.job(String(jobId))?.graph['6']?.inputs.text;
const rejectOne = (skip: number) =>
	session.sandbox.inject({
		on: 'POST /api/v2/jobs',
		skip,
		times: 1,
		answer: { status: 400, code: 'invalid_workflow', message: 'not this lamp' },
	});

/** Starts the workflow while no job can run, and waits until all three rows have a job. */
async function startHeld(): Promise<string> {
	session.sandbox.configure({ workers: 0 });
	const id = await start();
	await until('three jobs', () => paidJobs().length === 3 || undefined);
	return id;
}

async function picturesOf(links: unknown): Promise<Buffer[]> {
	const headers = { authorization: `Bearer ${session.sandbox.keys.bearer}` };
	return await Promise.all(
		String(links)
			.split('\n')
			.map(async (link) => Buffer.from(await (await fetch(link, { headers })).arrayBuffer())),
	);
}

test('three rows get the links of their images, and rows that have a status stay as they are', async () => {
	const [other] = await table.insert([{ product: 'old', prompt: 'an old table', status: 'done' }]);
	succeeded(await run());
	const rows = await table.rows();
	expect(rows.map(({ status, error }) => [status, error])).toEqual([...ROWS.map(() => ['done', '']), ['done', null]]);
	expect(rows.at(-1)).toMatchObject({ id: other, image_urls: null, job_id: null });
	const made = rows.slice(0, 3);
	expect(made.map(({ job_id }) => promptOf(job_id))).toEqual(ROWS.map(({ prompt }) => prompt));
	expect(paidJobs().sort()).toEqual(made.map(({ job_id }) => job_id).sort());
	const pictures = await Promise.all(made.map(async ({ image_urls }) => await picturesOf(image_urls)));
	expect(pictures.map(({ length }) => length)).toEqual([1, 1, 1]);
	for (const [picture] of pictures) expect(await colorsOf(picture!)).toMatchObject({ width: 512, height: 512 });
	expect(new Set(pictures.map(([picture]) => picture!.toString('base64'))).size).toBe(3);
});

test('a rejected row gets the message, the others get their images, and the row runs again after its status is cleared', async () => {
	rejectOne(1);
	succeeded(await run());
	const rows = await table.rows();
	const bad = rows.find(({ status }) => status === 'failed');
	expect(bad?.error).toBe('The server rejected this workflow: not this lamp');
	expect(rows.filter(({ status }) => status === 'done').map(({ id }) => id)).toEqual(ids.filter((id) => id !== bad?.id));
	expect(paidJobs()).toHaveLength(2);

	await table.update(bad!.id, { status: null });
	succeeded(await run());
	expect((await table.rows()).find(({ id }) => id === bad!.id)).toMatchObject({ status: 'done', error: '' });
	expect(await column('status')).toEqual(['done', 'done', 'done']);
	expect(paidJobs()).toHaveLength(3);
});

test('a second execution, during the first and after it, submits no job for the same rows', async () => {
	const first = await startHeld();
	expect(await column('status')).toEqual(['running', 'running', 'running']);
	expect(itemsOf(succeeded(await run()), 'Get New Rows')).toEqual([]);
	session.sandbox.configure({ workers: 4 });
	succeeded(await session.rest.waitFor(first));
	const rows = await table.rows();
	succeeded(await run());
	expect(await table.rows()).toEqual(rows);
	expect(rows.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
	expect(paidJobs().sort()).toEqual(rows.map(({ job_id }) => job_id).sort());
});

test('two executions that start at the same time share the rows', async () => {
	const more = Array.from({ length: 7 }, (_, index) => ({ product: `vase${index}`, prompt: `vase number ${index}` }));
	await table.insert(more);
	const started = await Promise.all([start(), start()]);
	const executions = await Promise.all(started.map(async (id) => succeeded(await session.rest.waitFor(id))));
	expect(await column('status')).toEqual(Array(10).fill('done'));
	const claimed = executions.flatMap((execution) => itemsOf(execution, 'Claim Row').map(({ json }) => json.id));
	expect(new Set(claimed).size).toBe(claimed.length);
	expect(paidJobs().sort()).toEqual((await column('job_id')).sort());
});

test('if a row is deleted while its job runs, the execution keeps its image and the other rows get theirs', async () => {
	const id = await startHeld();
	await table.deleteRow(ids[1]!);
	session.sandbox.configure({ workers: 4 });
	const execution = succeeded(await session.rest.waitFor(id));
	expect((await table.rows()).map((row) => [row.id, row.status])).toEqual([ids[0], ids[2]].map((kept) => [kept, 'done']));
	const [item, ...others] = itemsOf(execution, 'Image Without a Row');
	expect(others).toEqual([]);
	expect(item?.json).toMatchObject({ product: 'lamp', note: 'The row was deleted while its job ran.' });
	expect(promptOf(item?.json.job_id)).toBe(ROWS[1]?.prompt);
	expect(await colorsOf(await session.rest.binary(item?.binary?.data_0?.id ?? 'none'))).toMatchObject({ width: 512, height: 512 });
	expect(paidJobs()).toHaveLength(3);
});

test('the schedule fills in new rows, and rows without a prompt wait', async () => {
	await table.insert([{ product: 'no prompt yet' }]);
	const example = await readExample('product-table');
	nodeOf(example, 'Every 10 Minutes').parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
	const published = await publish(session, example);
	await until('all rows', async () => (await column('status')).filter((status) => status === 'done').length === 3 || undefined);
	await published.deactivate();
	expect(await column('status')).toEqual(['done', 'done', 'done', null]);
	expect(paidJobs()).toHaveLength(3);
	const executions = await until('the end of the execution', async () => {
		const all = await published.executions();
		return all.some((execution) => itemsOf(execution, RUN).length > 0) ? all : undefined;
	});
	expect(executions.flatMap((execution) => itemsOf(execution, RUN))).toHaveLength(3);
	expect(new Set(executions.map(({ mode }) => mode))).toEqual(new Set(['trigger']));
});
