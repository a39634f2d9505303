import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { until } from '../../support/until';
import { bytesOf, type NodeResult, runNode, startNode } from '../support/engine';
import { CONTINUE, downloadRun, storedFiles } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { fileGraph, largeFileGraph } from '../support/media';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

const MIB = 1024 * 1024;

let textJob: string;
beforeAll(async () => {
	textJob = await finished(sandbox, fileGraph('hello.txt'));
});

const hosted = () => credentialFor(sandbox);
const download = async (jobId: string, credential = hosted()) => await runNode(downloadRun(credential, [jobId]));
const fromStorage = () => sandbox.requests('GET /blobs/:id', 'storage');

/** The next read of a job answers with its first output changed. */
async function changeOutput(jobId: string, change: IDataObject): Promise<void> {
	const response = await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}`, {
		headers: { authorization: `Bearer ${sandbox.keys.apiKey}` },
	});
	const job = (await response.json()) as { outputs: IDataObject[] };
	const json = { ...job, outputs: [{ ...job.outputs[0], ...change }] };
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
}

it.each(['signed', 'content'] as const)('links to another origin get no credential (%s links)', async (assetUrls) => {
	sandbox.configure({ assetUrls });
	const { outputs } = await download(textJob);
	expect(String(await bytesOf(outputs[0]?.[0]))).toBe('hello');
	expect(fromStorage()).toHaveLength(1);
	expect(fromStorage().filter(({ headers }) => headers.authorization !== undefined || headers.cookie !== undefined)).toEqual([]);
});

describe('bytes', () => {
	it.each([
		['hash', { hash: `blake3:${'0'.repeat(64)}` }, /its hash is blake3:\w+, not blake3:0+$/],
		['size', { size_bytes: 99 }, /its size is 5, not 99$/],
		['size', { size_bytes: 3 }, /its size is 5, not 3$/],
	])('of another %s than announced fail, and nothing is saved', async (_, change, message) => {
		const before = storedFiles();
		await changeOutput(textJob, change);
		const { status, error } = await download(textJob);
		expect(status).toBe('error');
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/Nothing was saved/);
		expect(storedFiles()).toEqual(before);
	});

	it('that stop on a stop leave nothing behind', async () => {
		const jobId = await finished(sandbox, largeFileGraph(4, 3));
		const before = storedFiles();
		sandbox.inject({ on: 'GET /blobs/:id', fault: { kind: 'stall', afterBytes: 2 * MIB } });
		const { result, stop } = startNode(downloadRun(hosted(), [jobId]));
		await until(() => (fromStorage()[0]?.responseBytes ?? 0) >= 2 * MIB);
		stop();
		await result.catch(() => undefined);
		await until(() => fromStorage()[0]?.finished === true);
		expect(storedFiles()).toEqual(before);
	});

	it.each(['hosted', 'self_hosted'] as const)('that are a web page fail, and nothing is saved (%s)', async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = surface === 'hosted' ? textJob : await finished(sandbox, colorGraph(1), credential);
		const before = storedFiles();
		const on = surface === 'hosted' ? 'GET /blobs/:id' : 'GET /api/v2/assets/:id/content';
		sandbox.inject({ on, times: Infinity, answer: { status: 200, html: true } });
		const { status, error } = await download(jobId, credential);
		expect(status).toBe('error');
		expect(error?.message).toMatch(/returned a web page \(HTTP 200\)/);
		expect(error?.description).toMatch(/proxy or (a )?login page responds/);
		expect(JSON.stringify(error)).not.toMatch(/X-Goog/);
		expect(storedFiles()).toEqual(before);
	});
});

it.each(['hosted', 'engine'] as const)(
	'a job that still runs fails its item with the advice to put Comfy Wait For Job before (%s)',
	async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = await submitted(sandbox, slowGraph(5_000, 20, 9), credential);
		const { error } = await download(jobId, credential);
		expect(error?.message).toMatch(new RegExp(`Job ${jobId} has not finished yet \\(status "(queued|running)"\\)`));
		expect(error?.description).toMatch(/^Place Comfy Wait For Job before this node\./);
		expect(sandbox.requests('GET /blobs/:id')).toEqual([]);
		await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
	},
);

const engine = () => credentialFor(sandbox, 'engine');
const outputOf = (result: NodeResult, index = 0): IDataObject => jsons(result)[index]?.output as IDataObject;

it.each([
	['hello, fox', 'hello, fox', 1],
	['{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}', 1],
	['another text', 'hello, fox', 2],
])('a text that a node saves and shows is one item if the file holds what is shown (%j)', async (shown, saved, count) => {
	const graph: ApiGraph = {
		'1': { class_type: 'PrimitiveString', inputs: { value: saved } },
		'5': { class_type: 'SaveText', inputs: { text: ['1', 0], filename_prefix: 'story' } },
	};
	const jobId = await finished(sandbox, graph, engine());
	const history = (await (await fetch(`${sandbox.urls.engine}/history/${jobId}`)).json()) as Record<string, { outputs: IDataObject }>;
	const entry = history[jobId]!;
	const [files] = Object.values(entry.outputs['5'] as IDataObject);
	entry.outputs = { '5': { text: [shown], files } as IDataObject };
	sandbox.inject({ on: 'GET /api/history/:id', times: Infinity, answer: { status: 200, json: { [jobId]: entry } } });
	const result = await runNode(downloadRun(engine(), [jobId]));
	expect(jsons(result).map((_, index) => outputOf(result, index).text)).toEqual([saved, shown].slice(0, count));
	expect(outputOf(result).file_name).toMatch(/^story.*\.txt$/);
});

describe('a text that a node shows', () => {
	const shown = (text: string): ApiGraph => ({
		'1': { class_type: 'PrimitiveString', inputs: { value: text } },
		'5': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
	});

	it.each([
		['of a few words is in the item of Wait, and of Download', 'A red chair, «täglich»', true],
		['of more than 1 MiB is in its file only', 'x'.repeat(1024 * 1024 + 1), false],
	])('%s', async (_, value, isInItem) => {
		const jobId = await submitted(sandbox, shown(value), engine());
		const text = isInItem ? value : null;
		const size_bytes = Buffer.byteLength(value);
		const waited = await runNode(waitRun(engine(), [jobId]));
		expect(jsons(waited)[0]?.outputs).toMatchObject([{ node_id: '5', type: 'text', text, size_bytes }]);
		const result = await runNode(downloadRun(engine(), [jobId]));
		const file = { file_name: '5_text.txt', content_type: 'text/plain', binary_field: 'data' };
		expect(outputOf(result)).toMatchObject({ type: 'text', text, size_bytes, ...file });
		expect(String(await bytesOf(result.outputs[0]?.[0])) === value).toBe(true);
	});
});

it('outputs are taken from the item, texts as well, where the history was cleared between Wait and Download', async () => {
	const graph: ApiGraph = { ...colorGraph(7_002), '5': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } } };
	const jobId = await submitted(sandbox, graph, engine());
	const waited = await runNode(waitRun(engine(), [jobId]));
	const headers = { 'content-type': 'application/json' };
	await fetch(`${sandbox.urls.engine}/history`, { method: 'POST', body: '{"clear":true}', headers });
	const result = await runNode(downloadRun(engine(), [], {}, { items: waited.outputs[0] }));
	expect(jsons(result)).toMatchObject(
		[2, 5].map((node) => ({ job_id: jobId, interface: 'engine', status: 'succeeded', output: { node_id: String(node) } })),
	);
	expect((await bytesOf(result.outputs[0]?.[0])).subarray(1, 4).toString()).toBe('PNG');
	const { error } = await runNode(downloadRun(engine(), [jobId]));
	expect(error?.message).toMatch(/ComfyUI no longer has job/);

	sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: Infinity, answer: { status: 404 } });
	const lacking = await runNode(downloadRun(engine(), [], {}, { items: waited.outputs[0] }));
	expect(jsons(lacking)).toHaveLength(2);
	for (const { not_delivered } of jsons(lacking)) expect(not_delivered).toMatchObject([{ node_id: '2', reason: 'file_missing' }]);
	expect(lacking.hints).toEqual([expect.stringMatching(/^Job \S+: The server no longer has the file/)]);
});

describe('a file that ComfyUI does not give', () => {
	const two = (color: number, name: string, kind = 'file'): ApiGraph => ({
		...colorGraph(color),
		'4': { class_type: 'SandboxFile', inputs: { name, kind, content_type: `${kind}/x`, text: '{}' } },
	});
	it('because it was deleted is reported by name, and the job’s other files are saved in their fields', async () => {
		const jobId = await finished(sandbox, two(7_004, 'a.json'), engine());
		// Its record names a file that is not there.
		const record = await (await fetch(`${sandbox.urls.engine}/history/${jobId}`)).text();
		const json: unknown = JSON.parse(record.replaceAll(/color_\d+_\.png/g, 'gone.png'));
		sandbox.inject({ on: 'GET /api/history/:id', surface: 'engine', times: Infinity, answer: { status: 200, json } });
		const result = await runNode(downloadRun(engine(), [jobId]));
		expect(result.status).toBe('success');
		expect(result.outputs[0]?.map(({ binary = {} }) => Object.keys(binary))).toEqual([[], ['data']]);
		expect(outputOf(result).not_saved).toMatch(/no longer has the file "gone.png" of node 2\. .*change a seed of the workflow/);
		expect(outputOf(result, 1)).not.toHaveProperty('not_saved');
		for (const { not_delivered } of jsons(result))
			expect(not_delivered).toEqual([{ node_id: '2', node: 'Save', reason: 'file_missing', message: outputOf(result).not_saved }]);
		expect(result.hints).toEqual([expect.stringMatching(/^Job \S+: The server no longer has the file "gone.png" of node 2\./)]);
		const onOne = await runNode(downloadRun(engine(), [jobId], { outputMode: 'singleItem' }));
		expect(Object.keys(onOne.outputs[0]?.[0]?.binary ?? {})).toEqual(['data_1']);
		expect(jsons(onOne)[0]?.outputs).toMatchObject([{ not_saved: expect.any(String), binary_field: null }, { binary_field: 'data_1' }]);
	});

	it('with ".." in its name is reported by name, the others are saved, and nothing is requested in vain', async () => {
		for (const [way, saved] of [
			['engine', 'GET /api/view'],
			['self_hosted', 'GET /api/v2/assets/:id/content'],
		] as const) {
			const credential = credentialFor(sandbox, way);
			const jobId = await finished(sandbox, two(7_006, 'a..b.png', 'image'), credential);
			sandbox.resetRecords();
			const result = await runNode(downloadRun(credential, [jobId]));
			expect(result.status).toBe('success');
			expect(jsons(result).map((_, index) => outputOf(result, index).not_saved)).toEqual([
				undefined,
				expect.stringMatching(/"a\.\.b\.png" of node 4.*rejects every name that contains "\.\."/),
			]);
			expect(sandbox.requests(saved)).toHaveLength(1);
		}
	});

	it('fails the node by name if it is the only one', async () => {
		const jobId = await finished(sandbox, colorGraph(8_000), engine());
		sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: Infinity, answer: { status: 410 } });
		const { error, status } = await runNode(downloadRun(engine(), [jobId]));
		expect([status, error?.message]).toEqual(['error', expect.stringMatching(/no longer has the file "color_\S+" of node 2/)]);
		const [item] = jsons(await runNode(downloadRun(engine(), [jobId], {}, CONTINUE)));
		expect(item).toMatchObject({ job_id: jobId, error: error?.message });
	});
});
