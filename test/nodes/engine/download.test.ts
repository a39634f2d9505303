import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { hurryClock } from '../support/clock';
import { bytesOf, type NodeResult, runNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { finished, jsons, submitted, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const engine = () => credentialFor(sandbox, 'engine');
const outputOf = (result: NodeResult, index = 0): IDataObject => jsons(result)[index]?.output as IDataObject;
const clearHistory = async () =>
	await fetch(`${sandbox.urls.engine}/history`, {
		method: 'POST',
		body: '{"clear":true}',
		headers: { 'content-type': 'application/json' },
	});

describe('a text that a node saves and shows', () => {
	it.each([
		['hello, fox', 'hello, fox', 1],
		['{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}', 1],
		['another text', 'hello, fox', 2],
	])('L9: is one item if the file holds what is shown (%j)', async (shown, saved, count) => {
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
});

describe('D5: a text that a node shows', () => {
	const shown = (text: string): ApiGraph => ({
		'1': { class_type: 'PrimitiveString', inputs: { value: text } },
		'5': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
	});

	it('is in the item of Wait, and of Download with its file', async () => {
		const jobId = await submitted(sandbox, shown('A red chair, «täglich»'), engine());
		const waited = await runNode(waitRun(engine(), [jobId]));
		expect(jsons(waited)[0]?.outputs).toMatchObject([{ node_id: '5', type: 'text', text: 'A red chair, «täglich»' }]);
		const result = await runNode(downloadRun(engine(), [jobId]));
		expect(outputOf(result)).toMatchObject({
			type: 'text',
			text: 'A red chair, «täglich»',
			content_type: 'text/plain',
			file_name: '5_text.txt',
			binary_field: 'data',
		});
		expect(String(await bytesOf(result.outputs[0]?.[0]))).toBe('A red chair, «täglich»');
	});

	it('of more than 1 MiB is in its file only', async () => {
		const text = 'x'.repeat(1024 * 1024 + 1);
		const jobId = await submitted(sandbox, shown(text), engine());
		const waited = await runNode(waitRun(engine(), [jobId]));
		expect(jsons(waited)[0]?.outputs).toMatchObject([{ type: 'text', text: null, size_bytes: text.length }]);
		const result = await runNode(downloadRun(engine(), [jobId]));
		expect(outputOf(result)).toMatchObject({ text: null, size_bytes: text.length, file_name: '5_text.txt' });
		expect(String(await bytesOf(result.outputs[0]?.[0])) === text).toBe(true);
	});

	it('passes the filter Text, and no other', async () => {
		const jobId = await finished(
			sandbox,
			{
				...shown('filtered'),
				...colorGraph(7_001),
				'1': shown('filtered')['1'],
				'3': colorGraph(7_001)['1'],
				'2': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'beside' } },
			} as ApiGraph,
			engine(),
		);
		const types = async (type: string) =>
			jsons(await runNode(downloadRun(engine(), [jobId], { filters: { types: [type] } }))).map(
				({ output }) => (output as IDataObject).node_id,
			);
		expect([await types('text'), await types('image')]).toEqual([['5'], ['2']]);
	});
});

describe('D6: where the history was cleared between Wait and Download', () => {
	it('the outputs are taken from the item, texts as well', async () => {
		const graph: ApiGraph = { ...colorGraph(7_002), '5': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } } };
		const jobId = await submitted(sandbox, graph, engine());
		const waited = await runNode(waitRun(engine(), [jobId]));
		await clearHistory();
		const result = await runNode({ ...downloadRun(engine(), []), items: waited.outputs[0] });
		expect(result.status).toBe('success');
		expect(jsons(result)).toMatchObject(
			[2, 5].map((node) => ({ job_id: jobId, interface: 'engine', status: 'succeeded', output: { node_id: String(node) } })),
		);
		expect((await bytesOf(result.outputs[0]?.[0])).subarray(1, 4).toString()).toBe('PNG');
	});
});

it('an item that carries no outputs says that ComfyUI forgot the job', async () => {
	const jobId = await finished(sandbox, colorGraph(7_003), engine());
	await clearHistory();
	const { error } = await runNode(downloadRun(engine(), [jobId]));
	expect(error?.message).toMatch(/not known to ComfyUI any more/);
});

describe('W6: a file that ComfyUI does not give', () => {
	const two = (color: number, name: string): ApiGraph => ({
		...colorGraph(color),
		'4': { class_type: 'SandboxFile', inputs: { name, kind: 'file', content_type: 'application/json', text: '{}' } },
	});
	/** The job's picture is not in the folder any more: its record names one that is not there. */
	async function deletePicture(jobId: string): Promise<void> {
		const record = await (await fetch(`${sandbox.urls.engine}/history/${jobId}`)).text();
		const json: unknown = JSON.parse(record.replaceAll(/color_\d+_\.png/g, 'gone.png'));
		sandbox.inject({ on: 'GET /api/history/:id', surface: 'engine', times: Infinity, answer: { status: 200, json } });
	}

	it('because it was deleted: by name, and the job’s other files are saved', async () => {
		const jobId = await finished(sandbox, two(7_004, 'a.json'), engine());
		await deletePicture(jobId);
		const result = await runNode(downloadRun(engine(), [jobId]));
		expect(result.status).toBe('success');
		expect(
			result.outputs[0]?.map(({ binary = {}, json }) => [Object.keys(binary), (json.output as IDataObject).not_saved === undefined]),
		).toEqual([
			[[], false],
			[['data'], true],
		]);
		expect(outputOf(result).not_saved).toMatch(/no longer has the bytes of "gone.png" of node 2\. .*Run the workflow again/);
		expect(result.hints).toEqual([expect.stringMatching(/1 of 2 files could not be saved.*node 2/)]);
	});

	it('on one item: its place stays, the others keep their fields', async () => {
		const jobId = await finished(sandbox, two(7_005, 'a.json'), engine());
		await deletePicture(jobId);
		const result = await runNode(downloadRun(engine(), [jobId], { outputMode: 'singleItem' }));
		expect(Object.keys(result.outputs[0]?.[0]?.binary ?? {})).toEqual(['data_1']);
		expect(jsons(result)[0]?.outputs).toMatchObject([{ not_saved: expect.any(String), binary_field: null }, { binary_field: 'data_1' }]);
	});

	it('a name that holds ".." is told by name, and the others are saved', async () => {
		const jobId = await finished(sandbox, two(7_006, 'a..b.json'), engine());
		const result = await runNode(downloadRun(engine(), [jobId]));
		expect(result.status).toBe('success');
		expect(jsons(result).map(({ output }) => (output as IDataObject).not_saved)).toEqual([
			undefined,
			expect.stringMatching(/"a\.\.b\.json" of node 4.*refuses every name that holds "\.\."/),
		]);
	});

	it('and that is the only one: the node fails, and names it', async () => {
		const jobId = await finished(sandbox, colorGraph(7_007), engine());
		await deletePicture(jobId);
		const { error, status } = await runNode(downloadRun(engine(), [jobId]));
		expect([status, error?.message]).toEqual(['error', expect.stringMatching(/no longer has the bytes of "gone.png" of node 2/)]);
		const [item] = jsons(await runNode(downloadRun(engine(), [jobId], {}, CONTINUE)));
		expect(item).toMatchObject({ job_id: jobId, error: error?.message });
	});

	it('through the proxy: by name, and nothing is asked for in vain', async () => {
		const proxy = credentialFor(sandbox, 'self_hosted');
		const jobId = await finished(
			sandbox,
			{
				...two(7_008, 'a..b.txt'),
				'4': { class_type: 'SandboxFile', inputs: { name: 'a..b.png', kind: 'image', content_type: 'image/png', text: 'x' } },
			},
			proxy,
		);
		sandbox.resetRecords();
		const result = await runNode(downloadRun(proxy, [jobId]));
		expect(jsons(result).map(({ output }) => (output as IDataObject).not_saved)).toEqual([
			undefined,
			expect.stringMatching(/"a\.\.b\.png" of node 4/),
		]);
		expect(sandbox.requests('GET /api/v2/assets/:id/content')).toHaveLength(1);
	});
});

it('a file that cannot be had now fails the node as before: trying again may help', async () => {
	const jobId = await finished(sandbox, colorGraph(7_009), engine());
	sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: Infinity, answer: { status: 503, html: true } });
	hurryClock();
	expect((await runNode(downloadRun(engine(), [jobId]))).error?.message).toMatch(/HTTP 503/);
});
