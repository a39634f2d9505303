import type { INodeListSearchResult } from 'n8n-workflow';

import { searchFileInputs, searchOutputNodes } from '../../../nodes/shared/listSearch/inputs';
import { useSandbox } from '../../client/support/sandbox';
import { editorContext } from '../support/editor';
import { editorFile } from '../support/editorFiles';
import { type Credential, nodes } from '../support/engine';
import { credentialFor, ways } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { submitted } from '../support/submit';

const harness = useSandbox();

type Listing = 'comfyRunWorkflow' | 'comfySubmitWorkflow';
const editorOf = (parameters: Record<string, unknown>, credential?: Credential, node: Listing = 'comfyRunWorkflow') =>
	editorContext(node, parameters as never, credential);
const search = async (
	parameters: Record<string, unknown>,
	credential?: Credential,
	node: Listing = 'comfyRunWorkflow',
): Promise<INodeListSearchResult> => await nodes[node].methods.listSearch.searchInputs.call(editorOf(parameters, credential, node));
const namesOf = ({ results }: INodeListSearchResult): string[] => results.map(({ name }) => name);
const listed = (value: string) => ({ __rl: true, mode: 'list', value });

const OF_THE_FILE = [
	expect.stringMatching(/^Canvas · width \(was 16; \d+ to \d+\)$/),
	expect.stringMatching(/^Canvas · height \(was 8/),
	expect.stringMatching(/^Canvas · batch_size \(was 1/),
	expect.stringMatching(/^Canvas · color \(was 9/),
	expect.stringMatching(/^Save · filename_prefix \(was "from-editor"/),
];
const telling = ways.filter((way) => way !== 'deployment');

describe.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)('the list of inputs of %s', (node) => {
	it.each(telling)('is that of a workflow that is saved in ComfyUI (%s)', async (way) => {
		const surface = way === 'hosted' || way === 'v1' ? 'hosted' : 'engine';
		harness.sandbox.saveWorkflow(`of-${way}.json`, editorFile(9), { surface });
		const credential = credentialFor(harness.sandbox, way);
		expect(namesOf(await search({ workflowSource: 'saved', savedWorkflow: listed(`of-${way}.json`) }, credential, node))).toEqual(
			OF_THE_FILE,
		);
	});

	it.each(telling)('is that of a pasted file of the editor (%s)', async (way) => {
		expect(
			namesOf(await search({ workflowSource: 'json', workflow: JSON.stringify(editorFile(9)) }, credentialFor(harness.sandbox, way), node)),
		).toEqual(OF_THE_FILE);
	});

	it.each(ways)('is that of what a job ran (%s)', async (way) => {
		const credential = credentialFor(harness.sandbox, way);
		const workflowJob = listed(await submitted(harness.sandbox, colorGraph(12), credential));
		expect(namesOf(await search({ workflowSource: 'job', workflowJob }, credential, node))).toContainEqual(
			expect.stringMatching(/^Canvas · color \(was 12/),
		);
	});
});

it('typing into a search reads nothing again, and what was saved anew is seen soon', async () => {
	const credential = credentialFor(harness.sandbox, 'bare_engine', { token: 'typing' });
	harness.sandbox.saveWorkflow('typed.json', editorFile(9));
	const parameters = { workflowSource: 'saved', savedWorkflow: listed('typed.json') };
	await search(parameters, credential);
	const asked = harness.sandbox.requests().length;
	for (const filter of ['c', 'co', 'col'])
		await nodes.comfyRunWorkflow.methods.listSearch.searchInputs.call(editorOf(parameters, credential), filter);
	expect(harness.sandbox.requests()).toHaveLength(asked);
	harness.sandbox.saveWorkflow('typed.json', editorFile(10));
	const now = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
	expect(namesOf(await search(parameters, credential))).toContainEqual(expect.stringMatching(/^Canvas · color \(was 10/));
	jest.restoreAllMocks();
});

it('files and output nodes are listed as well', async () => {
	const credential = credentialFor(harness.sandbox, 'bare_engine');
	harness.sandbox.saveWorkflow('outputs.json', editorFile(9));
	const parameters = { workflowSource: 'saved', savedWorkflow: listed('outputs.json') };
	expect((await searchOutputNodes.call(editorOf(parameters, credential))).results).toMatchObject([
		{ name: 'Save · SaveImage', value: '2' },
	]);
	const [, save] = editorFile(9).nodes as object[];
	const load = {
		id: 1,
		type: 'LoadImage',
		title: 'Picture',
		mode: 0,
		inputs: [],
		outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
		widgets_values: ['room.png', 'image'],
	};
	const workflow = JSON.stringify(editorFile(9, { nodes: [load, save] }));
	expect(namesOf(await searchFileInputs.call(editorOf({ workflowSource: 'json', workflow }, credential)))).toEqual([
		expect.stringMatching(/^Picture · image \(was "room\.png"; takes an image\)/),
	]);
});

describe('in place of the list stands one line', () => {
	it.each([
		[
			'nothing is chosen',
			{ workflowSource: 'saved', savedWorkflow: listed('') },
			/^Saved Workflow is empty: choose a workflow there first/,
		],
		['no job is chosen', { workflowSource: 'job', workflowJob: listed('') }, /^Job is empty: choose one there first/],
		[
			'an expression chooses',
			{ workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'name', value: '={{ $json.name }}' } },
			/^The workflow comes by an expression.*Choose By Name/,
		],
		['a file brings it', { workflowSource: 'file' }, /^The workflow comes as a file/],
		['it is gone', { workflowSource: 'saved', savedWorkflow: listed('gone.json') }, /^ComfyUI has no saved workflow "gone\.json"/],
		[
			'the job is gone',
			{ workflowSource: 'job', workflowJob: listed('6d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001') },
			/^The service has no job 6d1f8a54/,
		],
		[
			'it cannot be converted',
			{ workflowSource: 'json', workflow: JSON.stringify({ nodes: [{ id: 1, type: 'NoSuchClass', mode: 0 }], links: [] }) },
			/^This ComfyUI does not have the node "NoSuchClass" that the workflow uses \(node 1\)\. Update ComfyUI/,
		],
	])('where %s', async (_name, parameters, words) => {
		expect((await search(parameters, credentialFor(harness.sandbox, 'bare_engine'))).results).toEqual([
			{ name: expect.stringMatching(words), value: '' },
		]);
	});

	it('where no credential is chosen, and over a deployment', async () => {
		const workflow = JSON.stringify(editorFile(9));
		expect(namesOf(await search({ workflowSource: 'json', workflow }))).toEqual([
			expect.stringMatching(/^No credential is chosen\. Choose one at the top/),
		]);
		expect(namesOf(await search({ workflowSource: 'json', workflow }, credentialFor(harness.sandbox, 'deployment')))).toEqual([
			expect.stringMatching(/does not tell what its nodes take/),
		]);
	});
});
