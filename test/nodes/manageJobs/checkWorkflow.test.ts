import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE, fileItem } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, invertGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { jsons, submitted } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const check = async (parameters: IDataObject, way: Way = 'engine', more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), 'workflow:check', { ...more, parameters }));
const json = (workflow: unknown): IDataObject => ({ workflowSource: 'json', workflow: JSON.stringify(workflow) });
const paths = (): string[] => sandbox.requests().map(({ method, path }) => `${method} ${path}`);

const RUNS = {
	can_run: true,
	summary: 'The workflow can run here.',
	missing_classes: [],
	missing_models: [],
	missing_files: [],
	other_faults: [],
	notes: [],
};

/** The editor's file of an empty picture that is saved. */
const editorFile = (more: object[] = []) => ({
	nodes: [
		{
			id: 1,
			type: 'EmptyImage',
			inputs: [],
			outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
			properties: {},
			widgets_values: [8, 8, 1, 3],
		},
		{ id: 2, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 1 }], outputs: [], properties: {}, widgets_values: ['a'] },
		...more,
	],
	links: [[1, 1, 0, 2, 0, 'IMAGE']],
	version: 0.4,
});

describe('a workflow that can run', () => {
	it.each<Way>(['engine', 'bare_engine', 'self_hosted', 'self_hosted_token', 'v1', 'hosted'])(
		'is said to (%s), and nothing is submitted',
		async (way) => {
			expect(jsons(await check(json(colorGraph(1)), way))).toEqual([RUNS]);
			expect(jsons(await check(json(editorFile()), way))).toEqual([RUNS]);
			expect(paths().filter((path) => path.startsWith('POST'))).toEqual([]);
		},
	);

	it('asks for its classes only, and once for a batch', async () => {
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		const result = await check({ workflowSource: 'json', workflow: JSON.stringify(colorGraph(1)), options: { concurrency: 1 } }, 'engine', {
			items,
		});
		expect(jsons(result)).toEqual([RUNS, RUNS, RUNS]);
		expect(paths().sort()).toEqual(['GET /api/object_info/EmptyImage', 'GET /api/object_info/SaveImage']);
	});
});

it('everything that is missing is told, each with what to do', async () => {
	const graph = {
		...invertGraph('gone.png'),
		4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'foxes.safetensors' }, _meta: { title: 'My Model' } },
		5: {
			class_type: 'KSampler',
			inputs: {
				model: ['4', 0],
				seed: 1,
				steps: 0,
				cfg: 8,
				sampler_name: 'eulr',
				scheduler: 'normal',
				positive: ['6', 0],
				negative: ['6', 0],
				latent_image: ['7', 0],
				denoise: 1,
			},
		},
		6: { class_type: 'CLIPTextEncode', inputs: { text: 'a fox', clip: ['4', 1] } },
		7: { class_type: 'EmptyLatentImage', inputs: { width: 512, height: 512, batch_size: 1 } },
		8: { class_type: 'VHS_VideoCombine', inputs: { images: ['5', 0] } },
	};
	const [item] = jsons(await check(json(graph)));
	expect(item).toEqual({
		can_run: false,
		summary:
			'The workflow cannot run here: this ComfyUI lacks 1 node class, 1 model and 1 input file, and 2 other things stand in its way.',
		missing_classes: [
			{
				class_name: 'VHS_VideoCombine',
				pack: 'ComfyUI-VideoHelperSuite',
				pack_is_guess: true,
				cause: 'custom_nodes',
				advice: expect.stringContaining('Install the custom nodes ComfyUI-VideoHelperSuite, which probably contain it'),
				nodes: [{ node_id: '8', title: 'VHS_VideoCombine', class_name: 'VHS_VideoCombine' }],
			},
		],
		missing_models: [
			{
				name: 'foxes.safetensors',
				folder: 'models/checkpoints',
				url: null,
				similar: [],
				advice: 'Put it into ComfyUI’s folder models/checkpoints, or choose a file that ComfyUI has.',
				nodes: [{ node_id: '4', title: 'My Model', class_name: 'CheckpointLoaderSimple', input: 'ckpt_name' }],
			},
		],
		missing_files: [
			{
				name: 'gone.png',
				folder: 'input',
				similar: [],
				advice: expect.stringContaining('Comfy Upload Asset'),
				nodes: [{ node_id: '1', title: 'Picture', class_name: 'LoadImage', input: 'image' }],
			},
		],
		other_faults: [
			'Node 5 (KSampler), steps: 0 is out of range; ComfyUI takes 1 to 10000.',
			expect.stringMatching(
				/^Node 5 \(KSampler\), sampler_name: "eulr" is not among what ComfyUI offers there\. It offers, by names like it: "euler"/,
			),
		],
		notes: [],
	});
	expect(JSON.stringify(item)).not.toMatch(/undefined|\[object/);
});

it('an editor’s file tells its packs, and where its models are to be had', async () => {
	const url = 'https://example.test/foxes.safetensors';
	const more = [
		{
			id: 3,
			type: 'FrobScale',
			title: 'Scale',
			inputs: [{ name: 'model', type: 'MODEL', link: 2 }],
			outputs: [],
			properties: { aux_id: 'acme/ComfyUI-Frob' },
			widgets_values: [],
		},
		{
			id: 4,
			type: 'CheckpointLoaderSimple',
			inputs: [],
			outputs: [{ name: 'MODEL', type: 'MODEL', links: [2] }],
			properties: { models: [{ name: 'foxes.safetensors', url, directory: 'checkpoints' }] },
			widgets_values: ['foxes.safetensors'],
		},
	];
	const file = editorFile(more);
	const [item] = jsons(await check(json({ ...file, links: [...file.links, [2, 4, 0, 3, 0, 'MODEL']] })));
	expect(item).toMatchObject({
		missing_classes: [{ class_name: 'FrobScale', pack: 'acme/ComfyUI-Frob', pack_is_guess: false }],
		missing_models: [
			{
				name: 'foxes.safetensors',
				folder: 'models/checkpoints',
				url,
				advice: expect.stringContaining('url says where the workflow’s author had it from'),
			},
		],
		other_faults: [],
	});
});

describe('Workflow From', () => {
	it('Saved In ComfyUI, by name', async () => {
		const body = JSON.stringify(editorFile());
		await fetch(`${sandbox.urls.engine}/api/userdata/workflows%2Fto-check.json?overwrite=true`, { method: 'POST', body });
		const parameters = { workflowSource: 'saved', savedWorkflow: { mode: 'name', value: 'to-check' } };
		expect(jsons(await check(parameters))).toEqual([{ workflow_name: 'to-check', ...RUNS }]);
	});

	it('File: a picture', async () => {
		const picture = await readFile(join(__dirname, '../../client/graph/carried/files/saved.png'));
		const [item] = jsons(await check({ workflowSource: 'file', workflowBinaryField: 'data' }, 'engine', { items: [fileItem(picture)] }));
		expect(item).toMatchObject({
			can_run: false,
			other_faults: [expect.stringContaining('The workflow has no node that outputs anything')],
		});
	});

	it('Job', async () => {
		const jobId = await submitted(sandbox, colorGraph(4), credentialFor(sandbox, 'engine'));
		expect(jsons(await check({ workflowSource: 'job', workflowJob: { mode: 'id', value: jobId } }))).toEqual([RUNS]);
	});
});

it('an item that met a failure leaves it to the next one to ask again', async () => {
	sandbox.inject({ on: 'GET /api/object_info/:class', answer: { status: 403 } });
	const items = [{ json: {} }, { json: {} }];
	const options = { concurrency: 1 };
	const [first, second] = jsons(await check({ ...json(colorGraph(1)), options }, 'engine', { ...CONTINUE, items }));
	expect(first).toHaveProperty('error');
	expect(second).toEqual(RUNS);
});

it('a deployment tells nobody what it has, and that is said', async () => {
	const { error } = await check(json(colorGraph(1)), 'deployment');
	expect(error?.message).toContain('does not tell what its nodes take');
	expect(error?.description).toContain('deployment');
});

it('what is no workflow is said in words', async () => {
	expect((await check(json({ a: 1 }))).error?.message).toContain('Workflow is not in API format');
	const [item] = jsons(await check(json({ nodes: [{ id: 1 }], links: [] }), 'engine', CONTINUE));
	expect(String(item?.error)).toContain('node 1 has no type');
});
