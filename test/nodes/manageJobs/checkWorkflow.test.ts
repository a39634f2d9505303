import type { IDataObject } from 'n8n-workflow';

import { textToImage } from '../../support/graphs/templates';
import { type NodeRun, runNode } from '../support/engine';
import { editorFile } from '../support/editorFiles';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted } from '../support/submit';

const sandbox = sharedSandbox();

const check = async (parameters: IDataObject, way: Way = 'engine', more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), 'workflow:check', { ...more, parameters }));
const json = (workflow: unknown): IDataObject => ({ workflowSource: 'json', workflow: JSON.stringify(workflow) });
const paths = (): string[] => sandbox.requests().map(({ method, path }) => `${method} ${path}`);

const RUNS = {
	can_run: true,
	summary: 'This ComfyUI can run the workflow.',
	missing_classes: [],
	missing_models: [],
	missing_files: [],
	other_faults: [],
	notes: [],
};

describe('a workflow that can run', () => {
	it.each<Way>(['bare_engine', 'self_hosted', 'v1', 'hosted'])('is reported as that (%s), and nothing is submitted', async (way) => {
		expect(jsons(await check(json(colorGraph(1)), way))).toEqual([RUNS]);
		expect(jsons(await check(json(editorFile(3)), way))).toEqual([RUNS]);
		expect(paths().filter((path) => path.startsWith('POST'))).toEqual([]);
	});

	it('needs only the definitions of its classes, once for equal workflows of a batch, and each item is about its own workflow', async () => {
		const missing = { '9': { class_type: 'VHS_VideoCombine', inputs: {} } };
		const workflows = [colorGraph(1), { ...colorGraph(1), ...missing }, colorGraph(2), { ...colorGraph(3), ...missing }];
		const items = workflows.map((workflow) => ({ json: { workflow: JSON.stringify(workflow) } }));
		const parameters = { workflowSource: 'json', workflow: '={{ $json.workflow }}', options: { concurrency: 1 } };
		const lacks = { can_run: false, missing_classes: [{ class_name: 'VHS_VideoCombine' }] };
		expect(jsons(await check(parameters, 'engine', { items }))).toMatchObject([RUNS, lacks, RUNS, lacks]);
		const asked = paths().filter((path) => /(EmptyImage|SaveImage)$/.test(path));
		expect(asked.sort()).toEqual(['EmptyImage', 'EmptyImage', 'SaveImage', 'SaveImage'].map((name) => `GET /api/object_info/${name}`));
	});
});

it('everything that is missing is reported with what to do', async () => {
	const graph = {
		...textToImage,
		'1': { class_type: 'LoadImage', inputs: { image: 'gone.png' } },
		'2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
		'3': { class_type: 'KSampler', inputs: { ...textToImage['3']?.inputs, steps: 0, sampler_name: 'eulr' } },
		'8': { class_type: 'VHS_VideoCombine', inputs: { images: ['3', 0] } },
		'11': { class_type: 'LoaderOfAPack', inputs: { file: 'gone.safetensors' } },
	};
	const LoaderOfAPack = { input: { required: { file: [['here.safetensors']] } }, output: [], output_node: true };
	sandbox.inject({ on: 'GET /api/object_info/LoaderOfAPack', answer: { status: 200, json: { LoaderOfAPack } } });
	const [item] = jsons(await check(json(graph)));
	expect(item).toMatchObject({
		can_run: false,
		summary:
			'This ComfyUI cannot run the workflow: it does not have 1 node class, 2 models and 1 input file, and the workflow has 2 other problems.',
		missing_classes: [
			{
				class_name: 'VHS_VideoCombine',
				pack: 'ComfyUI-VideoHelperSuite',
				pack_is_guess: true,
				cause: 'custom_nodes',
				nodes: [{ node_id: '8' }],
				advice: expect.stringContaining('Install the custom nodes ComfyUI-VideoHelperSuite, which probably contain it'),
			},
		],
		missing_models: [
			{
				name: 'dream.safetensors',
				folder: 'models/checkpoints',
				url: null,
				nodes: [{ node_id: '4', title: 'Load Checkpoint', input: 'ckpt_name' }],
				advice: 'Put it into the folder models/checkpoints of ComfyUI, or choose a file that ComfyUI has.',
			},
			{
				name: 'gone.safetensors',
				advice: 'Put it into the folder from which this node loads its files, or choose a file that ComfyUI has.',
			},
		],
		missing_files: [
			{
				name: 'gone.png',
				folder: 'input',
				nodes: [{ node_id: '1', input: 'image' }],
				advice: expect.stringContaining('Comfy Upload Asset'),
			},
		],
		other_faults: [
			'Node 3 (KSampler), steps: 0 is out of range. The value must be between 1 and 10000.',
			expect.stringMatching(
				/^Node 3 \(KSampler\), sampler_name: "eulr" is not one of the values that ComfyUI offers\. Similar names in ComfyUI: "euler"/,
			),
		],
		notes: [],
	});
	expect(JSON.stringify(item)).not.toMatch(/undefined|\[object/);
});

it('a service that lacks two node classes advises what its users can do', async () => {
	const graph = { ...colorGraph(1), '8': { class_type: 'AcmeMaker', inputs: {} }, '9': { class_type: 'VHS_VideoCombine', inputs: {} } };
	const [item] = jsons(await check(json(graph), 'v1'));
	const advice = 'Replace it in the workflow, or run the workflow on a ComfyUI that has it.';
	expect(item).toMatchObject({
		can_run: false,
		missing_classes: [
			{ cause: 'unknown', advice },
			{ cause: 'custom_nodes', advice },
		],
	});
});

it('a workflow is checked from each other source as well: saved in ComfyUI, and a job', async () => {
	sandbox.saveWorkflow('to-check.json', editorFile(3), { surface: 'engine' });
	const saved = { workflowSource: 'saved', savedWorkflow: { mode: 'name', value: 'to-check' } };
	expect(jsons(await check(saved))).toEqual([{ workflow_name: 'to-check', ...RUNS }]);
	const jobId = await submitted(sandbox, colorGraph(4), credentialFor(sandbox, 'engine'));
	expect(jsons(await check({ workflowSource: 'job', workflowJob: { mode: 'id', value: jobId } }))).toEqual([RUNS]);
});

it.each<[string, unknown, Way, RegExp]>([
	['a deployment does not report its nodes', colorGraph(1), 'deployment', /does not provide node definitions[\s\S]*deployment/],
	['an object is no workflow', { a: 1 }, 'engine', /Workflow is not in API format/],
	['a node of an editor file has no type', { nodes: [{ id: 1 }], links: [] }, 'engine', /node 1 has no type/],
])('a message says so when %s', async (_, workflow, way, words) => {
	const { error } = await check(json(workflow), way);
	expect(`${error?.message} ${error?.description}`).toMatch(words);
});
