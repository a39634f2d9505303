import type { IDataObject } from 'n8n-workflow';

import { editorFile, exportedFile } from '../../support/editorFiles';
import { bytesOf, type Credential, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { jsons, submitRun, submitted } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

let color = 71_000;

const sentOf = ({ outputs, error }: NodeResult): unknown => {
	expect(error).toBeUndefined();
	return sandbox.job(String(outputs[0]?.[0]?.json.job_id))?.graph;
};

const from = (workflowSource: string, parameters: IDataObject = {}, more: Partial<NodeRun> = {}): Partial<NodeRun> => ({
	...more,
	parameters: { workflowSource, ...parameters },
});
const submit = async (credential: Credential, more: Partial<NodeRun>) => await runNode(submitRun(credential, undefined, more));
const definitionsAsked = () => sandbox.requests().filter(({ path }) => path.includes('object_info'));

/** Those that something stands beside which tells of nodes. */
const telling = ways.filter((way) => way !== 'deployment');
const jsonFile = (content: object | string, fileName = 'workflow.json') => ({
	content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
	fileName,
	mimeType: 'application/json',
});

describe('JSON', () => {
	it.each(telling)('in the editor’s format runs as ComfyUI would export it (%s)', async (way) => {
		const mine = color++;
		const { outputs, error } = await runNode(runRun(credentialFor(sandbox, way), JSON.stringify(editorFile(mine))));
		expect(error).toBeUndefined();
		expect(sandbox.job(String(outputs[0]?.[0]?.json.job_id))?.graph).toEqual(exportedFile(mine));
		expect(outputs[0]?.[0]?.json).toMatchObject({ node_title: 'Save', type: 'image' });
		expect(outputs[0]?.[0]?.json).not.toHaveProperty('conversion_notes');
		expect(outputs[0]?.[0]?.json).not.toHaveProperty('dynamic_prompts');
	});

	it('in the editor’s format is rejected over a deployment, which has no node definitions, and nothing is sent', async () => {
		const { error } = await submit(credentialFor(sandbox, 'deployment'), from('json', { workflow: JSON.stringify(editorFile(color)) }));
		expect(error?.message).toMatch(/does not tell what its nodes take/);
		expect(error?.description).toMatch(/File > Export \(API\)/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('is accepted as an object, with rows of Inputs by the ids of the editor', async () => {
		const row = { input: { __rl: true, mode: 'name', value: 'Canvas.color' }, value: '5' };
		expect(
			sentOf(
				await submit(
					credentialFor(sandbox, 'bare_engine'),
					from('json', { workflow: editorFile(color++) as IDataObject, inputs: { values: [row] } }),
				),
			),
		).toEqual(exportedFile(5));
	});

	it('needs only the definitions of its classes, once for all items', async () => {
		const items = Array.from({ length: 20 }, (_, index) => ({ json: { color: index } }));
		const rows = { values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $json.color }}' }] };
		const credential = credentialFor(sandbox, 'bare_engine', { keepLinksOnThisAddress: true });
		sandbox.resetRecords();
		const { outputs, error } = await submit(credential, from('json', { workflow: JSON.stringify(editorFile(1)), inputs: rows }, { items }));
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(20);
		expect(
			definitionsAsked()
				.map(({ path }) => path)
				.sort(),
		).toEqual(['/api/object_info/EmptyImage', '/api/object_info/SaveImage']);
	});

	it('names an unknown class, and requests it again the next time', async () => {
		const file = editorFile(color++);
		(file.nodes as Array<Record<string, unknown>>)[0]!.type = 'NoSuchClass';
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'unused' });
		for (let time = 0; time < 2; time += 1) {
			sandbox.resetRecords();
			const { error } = await submit(credential, from('json', { workflow: JSON.stringify(file) }));
			expect(error?.message).toBe('This ComfyUI does not have the node "NoSuchClass" that the workflow uses (node 1 "Canvas")');
			expect(error?.description).toMatch(/^Nothing was sent\. Update ComfyUI, or install the custom nodes/);
			expect(definitionsAsked().map(({ path }) => path)).toEqual(
				time === 0 ? expect.arrayContaining(['/api/object_info/NoSuchClass']) : ['/api/object_info/NoSuchClass'],
			);
		}
	});

	it('waits for late definitions, and reports missing ones', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'late' });
		sandbox.inject({ on: 'GET /api/object_info/EmptyImage', times: 1, fault: { kind: 'delay', ms: 4_000 } });
		const mine = color++;
		expect(sentOf(await submit(credential, from('json', { workflow: JSON.stringify(editorFile(mine)) })))).toEqual(exportedFile(mine));
		sandbox.inject({ on: 'GET /api/object_info/SaveImage', times: 1, answer: { status: 403, code: 'forbidden' } });
		const { error } = await submit(
			credentialFor(sandbox, 'bare_engine', { token: 'refused' }),
			from('json', { workflow: JSON.stringify(editorFile(mine)) }),
		);
		expect(error?.message).toMatch(/what its nodes take could not be read from ComfyUI: /);
	});
});

describe('File', () => {
	const withFile = (content: object | string): Partial<NodeRun> =>
		from('file', { workflowBinaryField: 'graph' }, { items: [{ files: { graph: jsonFile(content) } }] });

	it('holds a workflow in either format', async () => {
		const mine = color++;
		const credential = credentialFor(sandbox, 'bare_engine');
		expect(sentOf(await submit(credential, withFile(colorGraph(mine))))).toEqual(colorGraph(mine));
		expect(sentOf(await submit(credential, withFile(editorFile(mine))))).toEqual(exportedFile(mine));
	});

	it('leaves out extra data of the graph', async () => {
		const graph = colorGraph(color++);
		const ran = { ...graph, '1': { ...graph['1'], is_changed: ['a mark'], note: 'of somebody' } };
		expect(sentOf(await submit(credentialFor(sandbox, 'bare_engine'), withFile(ran)))).toEqual(graph);
	});

	it.each(['bare_engine', 'hosted', 'deployment'] as const)(
		'that is a picture of ComfyUI runs the workflow inside it again (%s)',
		async (way) => {
			const credential = credentialFor(sandbox, way);
			const mine = color++;
			const first = await runNode(runRun(credential, colorGraph(mine)));
			expect(first.error).toBeUndefined();
			const content = await bytesOf(first.outputs[0]?.[0]);
			const again = await submit(
				credential,
				from(
					'file',
					{ workflowBinaryField: 'data' },
					{ items: [{ files: { data: { content, fileName: 'picture.png', mimeType: 'image/png' } } }] },
				),
			);
			expect(sentOf(again)).toEqual(colorGraph(mine));
		},
	);

	it('without a workflow is rejected in words', async () => {
		const { error } = await submit(
			credentialFor(sandbox),
			from(
				'file',
				{ workflowBinaryField: 'graph' },
				{ items: [{ files: { graph: { content: Buffer.from('hello'), fileName: 'a.txt', mimeType: 'text/plain' } } }] },
			),
		);
		expect([error?.message, error?.description]).toEqual([
			expect.stringMatching(/^The file in the field "graph" \(text\/plain\) carries no workflow/),
			expect.stringMatching(/^Nothing was sent/),
		]);
		const broken = await submit(credentialFor(sandbox), withFile('{"1": '));
		expect(broken.error?.message).toMatch(/not readable JSON/);
	});
});

describe('Job', () => {
	it.each(ways)('runs the workflow of a job again by its id (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const graph = colorGraph(color++);
		const jobId = await submitted(sandbox, graph, credential);
		const chosen = { __rl: true, mode: 'id', value: jobId };
		const again = await submit(credential, from('job', { workflowJob: chosen }));
		expect(sentOf(again)).toEqual(graph);
		expect(jsons(again)[0]?.job_id).not.toBe(jobId);
	});

	it('that does not exist is named', async () => {
		const { error } = await submit(credentialFor(sandbox), from('job', { workflowJob: '7d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001' }));
		expect([error?.message, error?.description]).toEqual([
			'The service has no job 7d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001 whose workflow could be run again',
			expect.stringMatching(/^Nothing was sent\. Choose another under Job/),
		]);
	});
});

describe.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)('Saved In ComfyUI (%s)', (node) => {
	const place = (way: Way) => ({ surface: way === 'hosted' || way === 'v1' ? ('hosted' as const) : ('engine' as const) });
	const run = async (credential: Credential, chosen: unknown, more: Partial<NodeRun> = {}) =>
		await runNode({
			node,
			credential,
			...more,
			parameters: { workflowSource: 'saved', savedWorkflow: chosen as IDataObject, inputs: {}, options: {}, ...more.parameters },
		});
	const listed = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: value });
	const named = (value: string) => ({ __rl: true, mode: 'name', value });

	it.each(telling)('runs in its current version, and the item has its name (%s)', async (way) => {
		const mine = color++;
		sandbox.saveWorkflow('folder/fox.json', editorFile(mine), place(way));
		const first = await run(credentialFor(sandbox, way), listed('folder/fox.json'));
		expect(sentOf(first)).toEqual(exportedFile(mine));
		expect(first.outputs[0]?.[0]?.json).toMatchObject({ workflow_name: 'folder/fox' });
		sandbox.saveWorkflow('folder/fox.json', editorFile(mine + 1), place(way));
		expect(sentOf(await run(credentialFor(sandbox, way), listed('folder/fox.json')))).toEqual(exportedFile(mine + 1));
		color += 1;
	});

	it('is read once for all items of a run', async () => {
		sandbox.saveWorkflow('many.json', editorFile(color++));
		sandbox.resetRecords();
		const items = Array.from({ length: 12 }, (_, index) => ({ json: { index } }));
		const { outputs, error } = await run(credentialFor(sandbox, 'bare_engine'), listed('many.json'), {
			items,
			parameters: { options: { inputValues: '={{ { "1": { "color": $json.index } } }}' } },
		});
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(12);
		expect(sandbox.requests().filter(({ path }) => path.includes('userdata'))).toHaveLength(1);
	});

	it('By Name takes an expression, with or without folder and ending', async () => {
		const mine = color++;
		sandbox.saveWorkflow('deep/owl.app.json', editorFile(mine));
		for (const name of ['owl', 'deep/owl', 'deep/owl.app.json']) {
			expect(sentOf(await run(credentialFor(sandbox, 'bare_engine'), named('={{ $json.name }}'), { items: [{ json: { name } }] }))).toEqual(
				exportedFile(mine),
			);
		}
	});

	it('is reported in words when its name is ambiguous, deleted or empty', async () => {
		sandbox.saveWorkflow('a/twin.json', editorFile(color++));
		sandbox.saveWorkflow('b/twin.json', editorFile(color++));
		const credential = credentialFor(sandbox, 'bare_engine');
		const twins = (await run(credential, named('twin'))).error;
		expect([twins?.message, twins?.description]).toEqual([
			expect.stringMatching(/several saved workflows called "twin"/),
			expect.stringMatching(/"a\/twin\.json", "b\/twin\.json"/),
		]);
		sandbox.saveWorkflow('old.json', editorFile(color++));
		sandbox.deleteWorkflow('old.json');
		expect((await run(credential, listed('old.json'))).error?.message).toMatch(/ComfyUI has no saved workflow "old\.json"/);
		const none = (await run(credential, listed(''))).error;
		expect([none?.message, none?.description]).toEqual([
			'Saved Workflow is empty',
			expect.stringMatching(/Choose a workflow that is saved in ComfyUI/),
		]);
	});

	it('is not available on a deployment', async () => {
		expect((await run(credentialFor(sandbox, 'deployment'), named('fox'))).error?.message).toMatch(/keeps no saved workflows/);
	});
});
