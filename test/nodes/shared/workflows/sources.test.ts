import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { editorFile, exportedFile } from '../../support/editorFiles';
import { bytesOf, type Credential, type InputItem, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { CONTINUE } from '../../support/files';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { runRun } from '../../support/run';
import { jsons, submitRun, submitted } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

let color = 71_000;

const sentOf = ({ outputs, error }: NodeResult, index = 0): unknown => {
	expect(error).toBeUndefined();
	return sandbox.job(String(outputs[0]?.[index]?.json.job_id))?.graph;
};

const from = (workflowSource: string, parameters: IDataObject = {}, more: Partial<NodeRun> = {}): Partial<NodeRun> => ({
	...more,
	parameters: { workflowSource, ...parameters },
});
const submit = async (credential: Credential, more: Partial<NodeRun>) => await runNode(submitRun(credential, undefined, more));
const definitionsAsked = () => sandbox.requests().flatMap(({ path }) => (path.includes('object_info') ? [path] : []));
const bare = (changes: IDataObject = {}) => credentialFor(sandbox, 'bare_engine', changes);

/** Those that something stands beside which tells of nodes. */
const telling = ways.filter((way) => way !== 'deployment');
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
		expect(error?.message).toMatch(/does not provide node definitions/);
		expect(error?.description).toMatch(/File > Export \(API\)/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('in the editor’s format is rejected if a definition cannot be read', async () => {
		sandbox.inject({ on: 'GET /api/object_info/SaveImage', answer: { status: 403, code: 'forbidden' } });
		const { error } = await submit(bare({ token: 'refused' }), from('json', { workflow: JSON.stringify(editorFile(color++)) }));
		expect(error?.message).toMatch(/^Workflow is in the editor format, and the node definitions of ComfyUI could not be read: \w/);
		expect(sandbox.requests('POST /api/prompt')).toEqual([]);
	});

	it('is accepted as an object, with rows of Inputs by the ids of the editor', async () => {
		const inputs = { values: [{ input: { __rl: true, mode: 'name', value: 'Canvas.color' }, value: '5' }] };
		const result = await submit(bare(), from('json', { workflow: editorFile(color++) as IDataObject, inputs }));
		expect(sentOf(result)).toEqual(exportedFile(5));
	});

	it('needs only the definitions of its classes, once for all items', async () => {
		const items = Array.from({ length: 20 }, (_, index) => ({ json: { color: index } }));
		const rows = { values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $json.color }}' }] };
		const credential = bare({ keepLinksOnThisAddress: true });
		sandbox.resetRecords();
		const { outputs, error } = await submit(credential, from('json', { workflow: JSON.stringify(editorFile(1)), inputs: rows }, { items }));
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(20);
		expect(definitionsAsked().sort()).toEqual(['/api/object_info/EmptyImage', '/api/object_info/SaveImage']);
	});
});

describe('File', () => {
	const withFiles = (contents: Array<object | string | Buffer>, fileName = 'workflow.json', mimeType = 'application/json') => {
		const bytesOf = (content: object | string | Buffer) =>
			Buffer.isBuffer(content) || typeof content === 'string' ? content : JSON.stringify(content);
		const items = contents.map((content) => ({ files: { graph: { content: Buffer.from(bytesOf(content)), fileName, mimeType } } }));
		return from('file', { workflowBinaryField: 'graph' }, { items });
	};

	it('of each of two items holds a workflow in either format, of which extra data is left out', async () => {
		const mine = color++;
		const graph = colorGraph(mine);
		const ran = { ...graph, '1': { ...graph['1'], is_changed: ['a mark'], note: 'of somebody' } };
		const result = await submit(bare(), withFiles([ran, editorFile(mine + 1)]));
		color += 1;
		expect([sentOf(result), sentOf(result, 1)]).toEqual([graph, exportedFile(mine + 1)]);
	});

	it.each(['bare_engine', 'hosted', 'deployment'] as const)(
		'that is a picture of ComfyUI runs the workflow inside it again (%s)',
		async (way) => {
			const credential = credentialFor(sandbox, way);
			const mine = color++;
			const first = await runNode(runRun(credential, colorGraph(mine)));
			expect(first.error).toBeUndefined();
			const again = await submit(credential, withFiles([await bytesOf(first.outputs[0]?.[0])], 'picture.png', 'image/png'));
			expect(sentOf(again)).toEqual(colorGraph(mine));
		},
	);

	it('without a workflow is rejected in words', async () => {
		const { error } = await submit(credentialFor(sandbox), withFiles(['hello'], 'a.txt', 'text/plain'));
		expect([error?.message, error?.description]).toEqual([
			expect.stringMatching(/^The file in the field "graph" \(text\/plain\) does not contain a workflow/),
			expect.stringMatching(/^Nothing was sent/),
		]);
		const content = readFileSync(join(__dirname, '../../../client/graph/embedded/files/webui.png'));
		const foreign = await submit(credentialFor(sandbox), withFiles([colorGraph(color++), content]));
		expect(foreign.error?.message).toMatch(/^The image in the field "graph" contains the settings of a different program/);
		expect(foreign.error?.context.itemIndex).toBe(1);
		const broken = await submit(credentialFor(sandbox), withFiles(['{"1": ']));
		expect(broken.error?.message).toMatch(/not valid JSON/);
	});
});

describe('Job', () => {
	it.each(ways)('runs the workflows of two jobs again by their ids (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const graphs = [colorGraph(color++), colorGraph(color++)];
		const ids: string[] = [];
		for (const graph of graphs) ids.push(await submitted(sandbox, graph, credential));
		const chosen = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const again = await submit(credential, from('job', { workflowJob: chosen }, { items: ids.map((id) => ({ json: { id } })) }));
		expect([sentOf(again), sentOf(again, 1)]).toEqual(graphs);
		expect(jsons(again).some(({ job_id: id }) => ids.includes(String(id)))).toBe(false);
	});

	it('is read again for the second of two items if the first read fails', async () => {
		const graph = colorGraph(color++);
		const id = await submitted(sandbox, graph);
		sandbox.inject({ on: 'GET /api/v2/jobs/:id/workflow', answer: { status: 403, code: 'forbidden' } });
		const more = { items: [{}, {}], ...CONTINUE };
		const result = await submit(
			credentialFor(sandbox),
			from('job', { workflowJob: { __rl: true, mode: 'id', value: id }, options: { concurrency: 1 } }, more),
		);
		expect(jsons(result)[0]).toHaveProperty('error');
		expect(sentOf(result, 1)).toEqual(graph);
	});

	it('that does not exist is named', async () => {
		const { error } = await submit(credentialFor(sandbox), from('job', { workflowJob: '7d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001' }));
		expect([error?.message, error?.description]).toEqual([
			'The server does not have the workflow of job 7d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001',
			expect.stringMatching(/^Nothing was sent\. Choose another job under Job/),
		]);
	});
});

describe.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)('Saved In ComfyUI (%s)', (node) => {
	const place = (way: Way) => ({ surface: way === 'hosted' || way === 'v1' ? ('hosted' as const) : ('engine' as const) });
	const run = async (credential: Credential, chosen: unknown, more: Partial<NodeRun> = {}) =>
		await runNode(
			(node === 'comfyRunWorkflow' ? runRun : submitRun)(credential, undefined, {
				...more,
				parameters: { workflowSource: 'saved', savedWorkflow: chosen as IDataObject, ...more.parameters },
			}),
		);
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
		const { outputs, error } = await run(bare(), listed('many.json'), {
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
		sandbox.saveWorkflow('deep/hawk.json', editorFile(mine + 1));
		color += 1;
		const items = ['owl', 'hawk', 'deep/owl', 'deep/owl.app.json'].map((name) => ({ json: { name } }));
		const result = await run(bare(), named('={{ $json.name }}'), { items });
		expect(items.map((_, index) => sentOf(result, index))).toEqual([0, 1, 0, 0].map((other) => exportedFile(mine + other)));
	});

	it('is reported in words if its name is ambiguous, deleted or empty, or the service is a deployment', async () => {
		sandbox.saveWorkflow('a/twin.json', editorFile(color++));
		sandbox.saveWorkflow('b/twin.json', editorFile(color++));
		const credential = bare();
		sandbox.saveWorkflow('old.json', editorFile(color++));
		sandbox.deleteWorkflow('old.json');
		for (const [chosen, message, advice] of [
			[named('twin'), /several saved workflows with the name "twin"/, /"a\/twin\.json", "b\/twin\.json"/],
			[listed('old.json'), /ComfyUI no longer has the saved workflow "old\.json"/, /Choose another workflow/],
			[listed(''), /^Saved Workflow is empty$/, /Choose a workflow that is saved in ComfyUI/],
		] as const) {
			const { error } = await run(credential, chosen);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(advice);
		}
		expect((await run(credentialFor(sandbox, 'deployment'), named('fox'))).error?.message).toMatch(/has no saved workflows/);
	});
});

const graph = colorGraph(1);
const text = JSON.stringify(graph);
const WRAPPED: Array<[string, unknown]> = [
	['the body of RunPod', JSON.stringify({ input: { workflow: graph, images: [] } })],
	['the body of a submission', { prompt: graph, client_id: 'one' }],
	['the object of the editor, which has both formats', { workflow: editorFile(3), output: graph }],
	['a list of one', JSON.stringify([graph])],
	['JSON text in JSON text', JSON.stringify(text)],
	['JSON text in a wrapper, next to a prompt with braces', { prompt: '{red|blue} fox', workflow: text }],
	['a code fence', `\`\`\`json\n${text}\n\`\`\``],
	['a code fence between sentences', `Here is the workflow:\n\`\`\`\n${text}\n\`\`\`\nIt has "one" canvas.`],
	['three wrappers', JSON.stringify([{ input: JSON.stringify({ prompt: graph }) }])],
];

const fields = (workflow: unknown): IDataObject => ({ workflowSource: 'json', workflow }) as IDataObject;
const twice: InputItem[] = [{}, {}];
const graphsOf = (result: NodeResult): unknown[] => jsons(result).map(({ job_id: id }) => sandbox.job(String(id))?.graph);

it.each(WRAPPED)('B15: a workflow in %s runs in two nodes, for two items, and can be checked', async (_, workflow) => {
	for (const toRun of [runRun, submitRun]) {
		const result = await runNode(toRun(credentialFor(sandbox, 'engine'), workflow, { items: twice }));
		expect(result.error).toBeUndefined();
		expect(graphsOf(result)).toEqual([graph, graph]);
	}
	const checked = await runNode(
		manageRun(credentialFor(sandbox, 'engine'), 'workflow:check', { items: twice, parameters: fields(workflow) }),
	);
	expect(jsons(checked)).toMatchObject([{ can_run: true }, { can_run: true }]);
});

it.each([
	['a list of one', JSON.stringify([graph])],
	['text in a wrapper', JSON.stringify({ input: { workflow: text } })],
])('B15: a file with %s runs as well', async (_, content) => {
	const files = { data: { content: Buffer.from(content), fileName: 'workflow.json', mimeType: 'application/json' } };
	const parameters = { workflowSource: 'file', workflowBinaryField: 'data' };
	const result = await runNode(submitRun(credentialFor(sandbox, 'engine'), '', { items: [{ files }, { files }], parameters }));
	expect(result.error).toBeUndefined();
	expect(graphsOf(result)).toEqual([graph, graph]);
});

it.each([
	['Workflow', text.replace('"color"}', String.raw`"sub\color"}`), {}],
	['Input Values', text, { inputValues: String.raw`{"2": {"filename_prefix": "out\fox\user"}}` }],
])('B15: a backslash that JSON does not allow in %s is named', async (field, workflow, options) => {
	const { error } = await runNode(submitRun(credentialFor(sandbox, 'engine'), workflow, { parameters: { options } }));
	expect(error?.message).toMatch(new RegExp(`^${field} is not valid.*Bad (escaped character|Unicode escape)`));
	expect(error?.description).toContain(
		String.raw`At this position is a backslash (\). In JSON, write each backslash of a text twice, for example "models\\fox`,
	);
});
