import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import {
	type Execution,
	importWorkflow,
	type Item,
	itemsOf,
	readExample,
	type SavedCredential,
	type WorkflowDocument,
} from '../../scripts/n8nHost/documents';
import { findNodeName } from '../../scripts/demo/steps';
import { textToImage } from '../support/stockGraphs';
import { colorsOf, nodeOf, pixelsOf, succeeded } from './support/exampleRuns';
import { engineRequests, onServer, saveServer } from './support/engine';
import { sendForm, untilLastPage } from './support/forms';
import { quick, slowFor } from './support/graphs';
import { openSession, type Session, submitJob } from './support/session';
import { publish } from './support/triggers';
import { until } from './support/until';
import { chain, TRIGGER } from './support/workflows';

const RUN = 'Comfy Run Workflow';
const SAVED_SEED = 156680208700286;

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const run = async (document: WorkflowDocument): Promise<Execution> =>
	succeeded(await session.execute(document, findNodeName(document, 'n8n-nodes-base.manualTrigger')));

const fileOf = async (item: Item | undefined): Promise<Buffer> => await session.rest.binary(item?.binary?.data?.id ?? 'none');
const jsonOf = (execution: Execution, node: string) => itemsOf(execution, node).map(({ json }) => json);

const inputsOf = (jobId: unknown, node: string) => session.sandbox.job(String(jobId))?.graph[node]?.inputs;

test('first-picture generates two images from one prompt and two seeds', async () => {
	const items = itemsOf(await run(await readExample('first-picture')), RUN);
	expect(items.map(({ json }) => inputsOf(json.job_id, '6')?.text)).toEqual(['a red fox in the snow', 'a red fox in the snow']);
	expect(items.map(({ json }) => inputsOf(json.job_id, '3')?.seed)).toEqual([1, 4]);
	expect(items.map(({ json }) => json.file_name)).toEqual([1, 4].map((seed) => expect.stringMatching(`^red-fox-${seed}_.*png$`)));
	const [one, other] = await Promise.all(items.map(fileOf));
	expect(await sharp(one).metadata()).toMatchObject({ width: 512, height: 512 });
	expect(one?.equals(other ?? Buffer.of())).toBe(false);
});

test('bare-comfyui generates its image on an engine without a proxy', async () => {
	const example = await readExample('bare-comfyui');
	const workflow = await importWorkflow(session.rest, example, await saveServer(session));
	const id = await session.rest.run(workflow, findNodeName(example, 'n8n-nodes-base.manualTrigger'));
	const execution = succeeded(await session.rest.waitFor(id));
	const [item] = itemsOf(execution, findNodeName(example, 'n8n-nodes-comfy.comfyDownloadOutputs'));
	const { data, ...size } = await colorsOf(await fileOf(item));
	expect(size).toEqual({ width: 256, height: 192 });
	expect(data.equals(Buffer.alloc(data.length, Buffer.from([0x1f, 0x5f, 0xcf])))).toBe(true);
	expect(item?.json.interface).toBe('engine');
	expect(session.sandbox.ledger.runs).toHaveLength(1);
	expect(session.sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

test('nightly-picture is started by its schedule', async () => {
	const example = await readExample('nightly-picture');
	nodeOf(example, 'n8n-nodes-base.scheduleTrigger').parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
	const published = await publish(session, example);
	const [execution] = await published.until(1);
	await published.deactivate();
	expect(execution?.mode).toBe('trigger');
	const [item] = itemsOf(succeeded(execution!), findNodeName(example, 'n8n-nodes-comfy.comfyDownloadOutputs'));
	expect((await sharp(await fileOf(item)).metadata()).width).toBeGreaterThan(0);
});

test('mask-inputs inverts the image where the mask is transparent, over v1 alone', async () => {
	const execution = await run(await readExample('mask-inputs'));
	const file = async (node: string) => await fileOf(itemsOf(execution, node)[0]);
	const [picture, output] = await Promise.all(['Example Image', 'Download'].map(async (node) => await colorsOf(await file(node))));
	const mask = await pixelsOf(sharp(await file('Example Mask')).ensureAlpha());

	const isMasked = (value: number): boolean => mask.data[Math.floor(value / 3) * 4 + 3] === 0;
	const inverted = [...picture!.data].map((value, index) => (isMasked(index) ? 255 - value : value));
	expect(output).toEqual({ ...picture, data: Buffer.from(inverted) });
	expect([mask.width, mask.height]).toEqual([picture!.width, picture!.height]);
	const masked = [...picture!.data.keys()].filter(isMasked).length;
	expect(masked).toBeGreaterThan(1000);
	expect(masked).toBeLessThan(picture!.data.length / 2);
	expect(session.sandbox.requests('POST /api/upload/mask')).toHaveLength(1);
	expect(session.sandbox.requests().filter(({ path }) => path.startsWith('/api/v2'))).toEqual([]);
});

async function receiver() {
	const received: Array<Record<string, unknown>> = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>);
			response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/progress`, close: () => server.close() };
}

test('progress-to-webhook reports milestones, outputs and the end to the address that its user enters', async () => {
	const { received, url, close } = await receiver();
	const example = await readExample('progress-to-webhook');
	nodeOf(example, 'n8n-nodes-base.httpRequest').parameters.url = url;
	const trigger = await publish(session, example);
	await until('the socket', () => session.sandbox.sockets('hosted').at(0));
	const jobId = await submitJob(session.sandbox, slowFor(1_000));
	const executions = await trigger.until(5);
	await trigger.deactivate();
	close();

	expect(executions.map(({ status }) => status)).toEqual(Array(5).fill('success'));
	const outputs = received.find(({ kind }) => kind === 'output')?.outputs;
	expect(outputs).toEqual([expect.stringMatching(/\.png$/)]);
	const milestone = (percent: number) => ({ kind: 'milestone', milestone: percent, status: 'running', outputs: [] });
	const expected = [
		...[25, 50, 75].map(milestone),
		{ kind: 'output', milestone: null, outputs },
		{ kind: 'finished', milestone: null, status: 'succeeded', percent: 100, outputs },
	];
	// Executions run side by side: they start in order, and may arrive in another.
	expect(received).toHaveLength(expected.length);
	for (const one of expected) expect(received).toContainEqual(expect.objectContaining({ ...one, job_id: jobId, problem: null }));
	for (const one of received) expect(Object.keys(one)).toEqual(['job_id', 'kind', 'percent', 'milestone', 'status', 'outputs', 'problem']);
});

test('queue-janitor removes a job that waits for too long, and leaves the others', async () => {
	const { sandbox } = session;
	sandbox.configure({ workers: 0 });
	const [old, fresh] = [await submitJob(sandbox, quick), await submitJob(sandbox, quick)];
	const job = sandbox.job(old) as { createdAt: number };
	job.createdAt -= 61 * 60_000;

	const example = await readExample('queue-janitor');
	const execution = succeeded(await session.execute(example, nodeOf(example, 'n8n-nodes-base.scheduleTrigger').name));
	expect(jsonOf(execution, 'Get Queue').map(({ job_id }) => job_id)).toEqual([old, fresh]);
	expect(jsonOf(execution, 'Delete From Queue')).toEqual([{ job_id: old, interface: 'v1', was: 'queued', deleted: true }]);
	expect([old, fresh].map((id) => sandbox.job(id)?.status)).toEqual(['canceled', 'queued']);
});

/** The file that n8n's page at the end of a form saves in the browser. */
function fileInPage(html: string): { data: { data: number[] }; fileName: string; type: string } | undefined {
	const written = /JSON\.parse\(decodeURIComponent\("([^"]*)"\)\)/.exec(html)?.[1];
	return written === undefined ? undefined : (JSON.parse(decodeURIComponent(written)) as Array<ReturnType<typeof fileInPage>>)[0];
}

/** Publishes the example, fills in its form, and waits for the page at its end. */
async function fillIn(example: WorkflowDocument, fields: Array<string | File>, credentials?: SavedCredential[]) {
	const published = await publish(session, example, credentials);
	const lastPage = await untilLastPage(await sendForm(session, example, fields));
	const file = fileInPage(await (await fetch(lastPage)).text());
	await fetch(lastPage, { method: 'POST' });
	const [execution] = await published.until(1);
	await published.deactivate();
	return { file, picture: Buffer.from(file?.data.data ?? []), item: itemsOf(succeeded(execution!), RUN)[0] };
}

test('prompt-to-picture returns an image of the prompt in its form', async () => {
	const { file, picture, item } = await fillIn(await readExample('prompt-to-picture'), ['a red fox, "in the snow"', '']);
	expect(inputsOf(item?.json.job_id, '6')?.text).toBe('a red fox, "in the snow"');
	expect(inputsOf(item?.json.job_id, '7')?.text).toBe('text, watermark');
	expect(inputsOf(item?.json.job_id, '3')?.seed).not.toBe(SAVED_SEED);
	expect(file).toMatchObject({ type: 'image/png', fileName: expect.stringMatching(/^prompt-to-picture.*\.png$/) });
	expect(picture.equals(await fileOf(item))).toBe(true);
	expect(await colorsOf(picture)).toMatchObject({ width: 512, height: 512 });
});

test('picture-again runs the workflow of a PNG from a form again with another seed', async () => {
	const credentials = await saveServer(session);
	const once = chain('A picture', onServer('comfyRunWorkflow', { workflow: JSON.stringify(textToImage) }));
	const execution = succeeded(await session.rest.waitFor(await session.start(once, TRIGGER, credentials)));
	const fox = new File([await fileOf(itemsOf(execution, 'comfyRunWorkflow')[0])], 'fox.png', { type: 'image/png' });
	const { picture, item } = await fillIn(await readExample('picture-again'), [fox], credentials);

	const [first, again] = engineRequests(session, 'POST', '/prompt').map(
		({ bodyText }) => (JSON.parse(bodyText) as { prompt: Record<string, { inputs: Record<string, unknown> }> }).prompt,
	);
	const seed = again?.['3']?.inputs.seed;
	expect(first?.['3']?.inputs.seed).toBe(SAVED_SEED);
	expect(seed).not.toBe(SAVED_SEED);
	expect(again).toEqual({ ...first, '3': { ...first?.['3'], inputs: { ...first?.['3']?.inputs, seed } } });
	expect(item?.json.seeds).toEqual({ '3.seed': seed });
	expect(await colorsOf(picture)).toMatchObject({ width: 512, height: 512 });
});

test('batch-from-rows generates twenty images under the names of their rows, even if one is rejected', async () => {
	const answer = { status: 400, code: 'invalid_workflow', message: 'not this one' };
	session.sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, skip: 6, answer });
	const execution = await run(await readExample('batch-from-rows'));
	const rows = jsonOf(execution, 'Split Out Rows');
	expect(rows).toHaveLength(20);
	const named = itemsOf(execution, 'Results');
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
	const execution = await run(await readExample('picture-to-picture'));
	const [input, enlarged, output] = ['Example Image', 'Enlarge', 'Invert'].map((name) => itemsOf(execution, name)[0]);
	const wanted = sharp(await fileOf(input))
		.resize(256, 192, { kernel: 'nearest' })
		.negate({ alpha: false })
		.removeAlpha();
	expect(await colorsOf(await fileOf(output))).toEqual(await pixelsOf(wanted));
	expect(enlarged?.json.job_id).not.toBe(output?.json.job_id);
	const posts = session.sandbox.requests().filter(({ method, path }) => method === 'POST' && !path.endsWith('/jobs'));
	expect(posts.map(({ path }) => path)).toEqual(['/api/v2/assets']);
});

test('long-job pauses while its job runs, returns until the job ends, and reports the progress', async () => {
	const { sandbox, rest } = session;
	const example = await readExample('long-job');
	nodeOf(example, RUN).parameters.options = { maxWaitMinutes: 0.02 };
	nodeOf(example, 'Comfy Wait For Job').parameters.maxWaitMinutes = 0.02;
	nodeOf(example, 'Wait Before Next Check').parameters = { amount: 1, unit: 'seconds' };
	sandbox.configure({ workers: 0, samplerStepMs: 50 });
	const published = await publish(session, example);
	await until('the socket', () => sandbox.sockets('hosted').at(0));
	const id = await rest.run(published.workflow, 'Start');
	await until('three waits for the job', () => sandbox.requests('GET /api/v2/jobs/:id/events').length >= 3 || undefined);
	sandbox.configure({ workers: 4 });
	const execution = succeeded(await rest.waitFor(id));
	const progress = await until('four messages', async () => {
		const triggered = (await published.executions()).filter(({ mode }) => mode === 'trigger');
		const texts = triggered.flatMap((one) => jsonOf(one, 'Progress Message')).map(({ text }) => text);
		return texts.length >= 4 ? texts : undefined;
	});
	await published.deactivate();

	expect(sandbox.ledger.runs).toHaveLength(1);
	const jobId = sandbox.ledger.runs[0]?.jobId;
	expect(itemsOf(execution, RUN, 1).map(({ json }) => json.job_id)).toEqual([jobId]);
	expect(execution.data.resultData.runData['Comfy Wait For Job']?.length).toBeGreaterThan(1);
	const [item] = itemsOf(execution, 'Result File');
	expect(item?.json.job_id).toBe(jobId);
	expect(await colorsOf(await fileOf(item))).toMatchObject({ width: 1024, height: 1024 });
	expect(inputsOf(jobId, '3')?.steps).toBe(60);
	expect([...progress].sort()).toEqual([...[25, 50, 75].map((percent) => `Job ${jobId}: ${percent}% complete`), `Job ${jobId}: succeeded`]);
});
