import type { IDataObject } from 'n8n-workflow';

import { type InputItem, type NodeResult, runNode } from '../../support/engine';
import { editorFile } from '../../support/editorFiles';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { runRun } from '../../support/run';
import { jsons, submitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();
const credential = () => credentialFor(sandbox, 'engine');

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

describe.each(WRAPPED)('B15: a workflow in %s', (_, workflow) => {
	it.each([
		['Comfy Run Workflow', runRun],
		['Comfy Submit Workflow', submitRun],
	])('runs in %s, for two items', async (_node, toRun) => {
		const result = await runNode(toRun(credential(), workflow, { items: twice }));
		expect(result.error).toBeUndefined();
		expect(graphsOf(result)).toEqual([graph, graph]);
	});

	it('can be checked', async () => {
		const result = await runNode(manageRun(credential(), 'workflow:check', { items: twice, parameters: fields(workflow) }));
		expect(jsons(result)).toEqual([expect.objectContaining({ can_run: true }), expect.objectContaining({ can_run: true })]);
	});
});

it.each([
	['a list of one', JSON.stringify([graph])],
	['text in a wrapper', JSON.stringify({ input: { workflow: text } })],
])('B15: a file with %s runs as well', async (_, content) => {
	const files = { data: { content: Buffer.from(content), fileName: 'workflow.json', mimeType: 'application/json' } };
	const parameters = { workflowSource: 'file', workflowBinaryField: 'data' };
	const result = await runNode(submitRun(credential(), '', { items: [{ files }, { files }], parameters }));
	expect(result.error).toBeUndefined();
	expect(graphsOf(result)).toEqual([graph, graph]);
});

it.each([
	['Workflow', text.replace('"color"}', String.raw`"sub\color"}`), {}],
	['Input Values', text, { inputValues: String.raw`{"2": {"filename_prefix": "out\fox\user"}}` }],
])('B15: a backslash that JSON does not allow in %s is named', async (field, workflow, options) => {
	const { error } = await runNode(submitRun(credential(), workflow, { parameters: { options } }));
	expect(error?.message).toMatch(new RegExp(`^${field} is not valid.*Bad (escaped character|Unicode escape)`));
	expect(error?.description).toContain(
		String.raw`At this position is a backslash (\). In JSON, write each backslash of a text twice, for example "models\\fox`,
	);
});
