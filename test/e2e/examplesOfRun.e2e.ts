import sharp from 'sharp';
import { itemsOf, readExample, type Execution, type Item, type WorkflowDocument, type WorkflowNode } from '../../scripts/n8nHost';
import { openSession, type Session } from './support/session';
import { publish } from './support/triggers';
import { until } from './support/until';

const RUN = 'Comfy Run Workflow';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());
beforeEach(() => session.sandbox.resetRecords());

function nodeOf({ name, nodes }: WorkflowDocument, wanted: string): WorkflowNode {
	const found = nodes.find((node) => node.name === wanted);
	if (!found) throw new Error(`${name} has no node ${wanted}`);
	return found;
}

function succeeded(execution: Execution): Execution {
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

const fileOf = async ({ binary }: Item): Promise<Buffer> => await session.rest.binary(binary?.data?.id ?? 'none');

async function pixelsOf(file: Buffer): Promise<{ data: Buffer; width: number; height: number }> {
	const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}

const inputsOf = (jobId: unknown, node: string) => session.sandbox.job(String(jobId))?.graph[node]?.inputs;

/** What n8n's page at the end of a form saves in the browser. */
function filesInPage(html: string): Array<{ data: { data: number[] }; fileName: string; type: string }> {
	const written = /JSON\.parse\(decodeURIComponent\("([^"]*)"\)\)/.exec(html)?.[1];
	return written === undefined ? [] : (JSON.parse(decodeURIComponent(written)) as ReturnType<typeof filesInPage>);
}

test('prompt-to-picture returns the picture of the words in its form', async () => {
	const example = await readExample('prompt-to-picture');
	const { webhookId } = nodeOf(example, 'Form') as WorkflowNode & { webhookId: string };
	const published = await publish(session, example);
	const body = new FormData();
	body.set('field-0', 'a red fox, "in the snow"');
	body.set('field-1', '');
	const sent = await fetch(`${session.rest.url}/form/${webhookId}`, { method: 'POST', body });
	const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };
	const asked = new URL(formWaitingUrl);
	asked.pathname += '/n8n-execution-status';
	await until('the end of the form', async () => ((await (await fetch(asked)).text()).trim() === 'form-waiting' ? true : undefined));
	const [file] = filesInPage(await (await fetch(formWaitingUrl)).text());
	await fetch(formWaitingUrl, { method: 'POST' });
	const [execution] = await published.until(1);
	await published.deactivate();

	const [item] = itemsOf(succeeded(execution as Execution), RUN);
	expect(inputsOf(item?.json.job_id, '6')?.text).toBe('a red fox, "in the snow"');
	expect(inputsOf(item?.json.job_id, '7')?.text).toBe('text, watermark');
	expect(inputsOf(item?.json.job_id, '3')?.seed).not.toBe(156680208700286);
	expect(file).toMatchObject({ type: 'image/png', fileName: expect.stringMatching(/^prompt-to-picture.*\.png$/) });
	const picture = Buffer.from(file?.data.data ?? []);
	expect(picture.equals(await fileOf(item as Item))).toBe(true);
	expect(await pixelsOf(picture)).toMatchObject({ width: 512, height: 512 });
});

test('batch-from-rows makes twenty pictures under the names of their rows, even if one is rejected', async () => {
	session.sandbox.inject({
		on: 'POST /api/v2/jobs',
		times: 1,
		skip: 6,
		answer: { status: 400, code: 'invalid_workflow', message: 'not this one' },
	});
	const example = await readExample('batch-from-rows');
	const execution = succeeded(await session.execute(example));
	const rows = itemsOf(execution, 'One Item Each').map(({ json }) => json);
	expect(rows).toHaveLength(20);
	const named = itemsOf(execution, 'Names');
	expect(named.map(({ json }) => json.row)).toEqual(rows.map(({ name }) => name));
	const [bad, ...more] = named.filter(({ json }) => json.error !== '');
	expect([bad?.json.error, more]).toEqual([expect.stringContaining('not this one'), []]);
	const good = named.filter((item) => item !== bad);
	for (const { json } of good) expect(json.file).toMatch(new RegExp(`^${String(json.row)}.*\\.png$`));
	const prompts = good.map(({ json }) => inputsOf(json.job_id, '6')?.text);
	expect(prompts).toEqual(rows.filter(({ name }) => name !== bad?.json.row).map(({ prompt }) => prompt));
	const pictures = await Promise.all(good.map(fileOf));
	expect(new Set(pictures.map((picture) => picture.toString('base64'))).size).toBe(19);
});

test('picture-to-picture uploads once, and the second workflow reads the output of the first without a download', async () => {
	const example = await readExample('picture-to-picture');
	const execution = succeeded(await session.execute(example));
	const [[input], [enlarged], [output]] = ['Picture', 'Enlarge', 'Invert'].map((name) => itemsOf(execution, name)) as [
		Item[],
		Item[],
		Item[],
	];
	const wanted = await sharp(await fileOf(input as Item))
		.resize(256, 192, { kernel: 'nearest' })
		.negate({ alpha: false })
		.removeAlpha()
		.raw()
		.toBuffer();
	expect(await pixelsOf(await fileOf(output as Item))).toEqual({ data: wanted, width: 256, height: 192 });
	expect(enlarged?.json.job_id).not.toBe(output?.json.job_id);
	expect(
		session.sandbox
			.requests()
			.filter(({ method, path }) => method === 'POST' && !path.endsWith('/jobs'))
			.map(({ path }) => path),
	).toEqual(['/api/v2/assets']);
});

test('long-job pauses while its job runs, returns until the job ends, and reports the progress', async () => {
	const example = await readExample('long-job');
	nodeOf(example, RUN).parameters.options = { maxWaitMinutes: 0.02 };
	nodeOf(example, 'Comfy Wait For Job').parameters.maxWaitMinutes = 0.02;
	nodeOf(example, 'Rest').parameters = { amount: 1, unit: 'seconds' };
	session.sandbox.configure({ workers: 0, samplerStepMs: 50 });
	const published = await publish(session, example);
	await until('the socket', () => session.sandbox.sockets('hosted').at(0));
	const before = session.sandbox.ledger.runs.length;
	const id = await session.rest.run(published.workflow, 'Start');
	const waits = () => session.sandbox.requests('GET /api/v2/jobs/:id/events').length;
	await until('three waits for the job', () => waits() >= 3 || undefined);
	session.sandbox.configure({ workers: 4 });
	const execution = succeeded(await session.rest.waitFor(id));
	const progress = await until('four messages', async () => {
		const texts = (await published.executions())
			.flatMap((one) => (one.mode === 'trigger' ? itemsOf(one, 'How Far') : []))
			.map(({ json }) => json.text);
		return texts.length >= 4 ? texts : undefined;
	});
	await published.deactivate();
	session.sandbox.configure({ samplerStepMs: 0 });

	const runs = session.sandbox.ledger.runs.slice(before);
	expect(runs).toHaveLength(1);
	const jobId = runs[0]?.jobId;
	expect(itemsOf(execution, RUN, 1).map(({ json }) => json.job_id)).toEqual([jobId]);
	expect(execution.data.resultData.runData['Comfy Wait For Job']?.length).toBeGreaterThan(1);
	const [item] = itemsOf(execution, 'File');
	expect(item?.json.job_id).toBe(jobId);
	expect(await pixelsOf(await fileOf(item as Item))).toMatchObject({ width: 1024, height: 1024 });
	expect(inputsOf(jobId, '3')?.steps).toBe(60);
	expect([...progress].sort()).toEqual([...[25, 50, 75].map((percent) => `Job ${jobId}: past ${percent} %`), `Job ${jobId}: succeeded`]);
});
