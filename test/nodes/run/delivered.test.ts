import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { bytesOf, type NodeRun, runNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { partlyFailingGraph } from '../support/media';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted, waitRun } from '../support/submit';
import { countTurns } from '../../support/turnClock';

countTurns(5);
const sandbox = sharedSandbox();
const engine = () => credentialFor(sandbox, 'engine');
const asTool = true;
let color = 91_000;

const results = (title: string, value: unknown) => ({
	class_type: 'SandboxResults',
	_meta: { title },
	inputs: { results: JSON.stringify(value) },
});
const file = (name: string, text: string, kind = 'image', content_type = 'image/png') => ({
	class_type: 'SandboxFile',
	inputs: { name, kind, content_type, text },
});
const picture = () => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: color++ } },
});
const preview = (title: string) => ({ class_type: 'PreviewImage', _meta: { title }, inputs: { images: ['1', 0] } });

const run = async (graph: ApiGraph, more: Partial<NodeRun> = {}) => await runNode(runRun(engine(), graph, more));

type Node = 'run' | 'wait' | 'download' | 'get';

/** What each node that returns a job says about one job, as an item and as the tool of an agent. */
async function everyAnswer(graph: ApiGraph): Promise<Record<Node | `${Node}Tool`, IDataObject[]>> {
	const jobId = await submitted(sandbox, graph, engine());
	const answer = async (node: NodeRun) => jsons(await runNode(node));
	return {
		wait: await answer(waitRun(engine(), [jobId])),
		waitTool: await answer(waitRun(engine(), [jobId], { asTool })),
		download: await answer(downloadRun(engine(), [jobId])),
		downloadTool: await answer(downloadRun(engine(), [jobId], {}, { asTool })),
		get: await answer(manageRun(engine(), 'job:get', { parameters: { jobId } })),
		getTool: await answer(manageRun(engine(), 'job:get', { asTool, parameters: { jobId } })),
		run: jsons(await run(graph)),
		runTool: jsons(await run(graph, { asTool })),
	};
}

describe('values that two nodes report', () => {
	const graph = (): ApiGraph => ({
		...colorGraph(color++),
		'5': results('Tagger', { tags: ['fox', 'snow'] }),
		'6': results('Calculator', { value: [42], stats: { mean: 0.5 } }),
	});

	it('are outputs of each way to a result, with the value and the name of the node', async () => {
		const answers = await everyAnswer(graph());
		const expected = [
			{ node_id: '5', name: '5_tags.txt', text: 'fox\nsnow', value: ['fox', 'snow'] },
			{ node_id: '6', name: '6_value.txt', text: '42', value: 42 },
			{ node_id: '6', name: '6_stats.txt', text: '{"mean":0.5}', value: { mean: 0.5 } },
		];
		const valuesIn = (outputs: unknown) => (outputs as IDataObject[]).filter(({ type }) => type === 'text');
		expect(valuesIn(answers.run)).toMatchObject(expected);
		expect(valuesIn(answers.run)).toMatchObject([{ node_title: 'Tagger' }, { node_title: 'Calculator' }, { node_title: 'Calculator' }]);
		for (const way of ['wait', 'get'] as const) expect(valuesIn(answers[way][0]?.outputs)).toMatchObject(expected);
		expect(valuesIn(answers.download.map(({ output }) => output))).toMatchObject(expected);
		const texts = expected.map(({ node_id, text }) => ({ node_id, text }));
		for (const way of ['runTool', 'waitTool', 'downloadTool', 'getTool'] as const)
			expect(valuesIn(answers[way][0]?.outputs)).toMatchObject(texts);
		for (const items of Object.values(answers)) expect(items[0]).not.toHaveProperty('not_delivered');
	});
});

describe('a success that delivered nothing', () => {
	const socket = (title: string) => ({ class_type: 'SaveImageWebsocket', _meta: { title }, inputs: { images: ['1', 0] } });

	it('names the two nodes that reported nothing, in each way to a result', async () => {
		const answers = await everyAnswer({ ...picture(), '5': socket('First'), '6': socket('Second') });
		const not_delivered = [
			{ node_id: '5', node: 'First', reason: 'nothing_reported', message: expect.stringMatching(/^Node 5 \(First\) reported no file/) },
			{ node_id: '6', node: 'Second', reason: 'nothing_reported', message: expect.stringMatching(/^Node 6 \(Second\)/) },
		];
		for (const items of Object.values(answers)) expect(items).toMatchObject([{ status: 'succeeded', outputs: [], not_delivered }]);
	});

	it('names two previews, and a download that returns them says nothing', async () => {
		const graph: ApiGraph = { ...picture(), '5': preview('Look'), '6': preview('Compare') };
		const answers = await everyAnswer(graph);
		const both = [
			{ node_id: '5', node: 'Look', reason: 'only_previews', message: expect.stringContaining('Node 5 (Look)') },
			{ node_id: '6', node: 'Compare', reason: 'only_previews', message: expect.stringContaining('Node 6 (Compare)') },
		];
		const { download, ...others } = answers;
		for (const items of Object.values(others)) expect(items).toMatchObject([{ not_delivered: both }]);
		expect(download).toHaveLength(2);
		expect(download[0]).not.toHaveProperty('not_delivered');
	});

	it('names two savers that reported nothing beside one that saved, and repeats the first in a hint', async () => {
		const result = await run({ ...colorGraph(color++), '5': socket('First'), '6': socket('Second'), '7': preview('Look') });
		expect(jsons(result)).toMatchObject([{ node_id: '2', not_delivered: [{ node_id: '5' }, { node_id: '6' }] }]);
		expect(result.hints).toEqual([
			expect.stringMatching(/^Job \S+: Node 5 \(First\) reported no file.* The field not_delivered contains 1 more\.$/),
		]);
		const options = { outputs: { values: [{ node: '2' }, { node: '5' }] } };
		const chosen = await run({ ...colorGraph(color++), '5': socket('First'), '6': socket('Second') }, { parameters: { options } });
		expect(jsons(chosen)).toMatchObject([{ node_id: '2', not_delivered: [{ node_id: '5' }] }]);
		// A preview that is left out beside a saved file is not missing.
		const shown = await run({ ...colorGraph(color++), '5': preview('Look'), '6': preview('Compare') });
		expect(jsons(shown)[0]).not.toHaveProperty('not_delivered');
		expect(shown.hints).toEqual([]);
	});
});

describe('files that are not what they should be', () => {
	const graph = (): ApiGraph => ({
		...colorGraph(color++),
		'5': file('empty.png', ''),
		'6': file('wrong.png', '{"error":"not found"}'),
		'7': file('empty.txt', '', 'text', 'text/plain'),
	});
	const reasons = [
		{ node_id: '5', reason: 'empty_file', message: expect.stringMatching(/"empty\.png" of node 5 is empty/) },
		{ node_id: '6', reason: 'wrong_type', message: expect.stringMatching(/"wrong\.png" of node 6.*image\/png.*application\/json/) },
	];

	it('are not saved and are named in the items, in a hint and in the answer for an agent, and the others are delivered', async () => {
		const result = await run(graph());
		expect(jsons(result)).toHaveLength(4);
		expect(result.outputs[0]?.map(({ binary = {} }) => Object.keys(binary).length).sort()).toEqual([0, 0, 1, 1]);
		expect(result.hints).toEqual([expect.stringMatching(/^Job \S+: The file "empty\.png".* The field not_delivered contains 1 more/)]);
		const { run: ran, runTool, download, downloadTool, getTool } = await everyAnswer(graph());
		for (const items of [jsons(result), ran, runTool, download, downloadTool, getTool]) {
			expect(items.length).toBeGreaterThan(0);
			for (const { not_delivered } of items) expect(not_delivered).toMatchObject(reasons);
		}
	});

	it('are named if the server closes the connection early and sent no length, and the whole file beside it is saved', async () => {
		const two = (): ApiGraph => ({
			...colorGraph(color++),
			'3': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'second' } },
		});
		const [whole] = (await run(two())).outputs[0] ?? [];
		const body = (await bytesOf(whole)).subarray(0, -20);
		const headers = { 'content-type': 'image/png' };
		sandbox.inject({ on: 'GET /api/view', surface: 'engine', answer: { status: 200, body, headers, isChunked: true } });
		const result = await run(two());
		const items = jsons(result);
		expect(items).toHaveLength(2);
		for (const item of items)
			expect(item.not_delivered).toMatchObject([{ reason: 'truncated', message: expect.stringMatching(/ends too early/) }]);
		expect(result.outputs[0]?.map(({ binary = {} }) => Object.keys(binary).length).sort()).toEqual([0, 1]);
	});

	it('fail the item if there is no other file', async () => {
		const { error } = await run({ '5': file('empty.png', ''), '6': file('wrong.png', '<html></html>') });
		expect(error?.message).toMatch(/"empty\.png" of node 5 is empty \(0 bytes\) \(and 1 more\)/);
		expect(error?.context.data).toMatchObject({ code: 'empty_file', job_id: expect.any(String) });
	});
});

describe('a job whose second branch fails', () => {
	const graph = (): ApiGraph => ({
		...partlyFailingGraph(color++),
		'4': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'also_saved' } },
		'5': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'not_chosen' } },
	});

	it('passes the two pictures of its chosen nodes on with the failed item, and names the node that failed', async () => {
		const options = { outputs: { values: [{ node: '2' }, { node: '4' }] }, binaryPropertyName: 'picture' };
		const [item] = (await run(graph(), { ...CONTINUE, parameters: { options } })).outputs[0] ?? [];
		expect(item?.json).toMatchObject({
			error: expect.stringContaining('CUDA out of memory'),
			outputs: [
				{ node_id: '2', binary_field: 'picture_0' },
				{ node_id: '4', binary_field: 'picture_1' },
			],
			not_delivered: [{ node_id: '7', node: 'SandboxFail', reason: 'node_failed', message: expect.stringContaining('CUDA out of memory') }],
		});
		for (const field of ['picture_0', 'picture_1']) expect((await bytesOf(item, field)).subarray(1, 4).toString()).toBe('PNG');
	});
});

it('a file that two nodes report is downloaded once, and both have it', async () => {
	const same = { images: [{ filename: 'same.txt', subfolder: '', type: 'output' }] };
	const graph: ApiGraph = { '5': file('same.txt', 'once', 'text', 'text/plain'), '6': results('One', same), '7': results('Other', same) };
	sandbox.resetRecords();
	const items = (await run(graph)).outputs[0] ?? [];
	expect(items.map(({ json }) => json.node_id).sort()).toEqual(['5', '6', '7']);
	for (const item of items) expect(String(await bytesOf(item))).toBe('once');
	expect(sandbox.requests('GET /api/view')).toHaveLength(1);
});
