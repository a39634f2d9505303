import { cpuMs } from '../../../support/cpuTime';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	checkWorkflow as checkedBy,
	classesToCheck,
	type Definitions,
	GraphError,
	CORE,
	likelyPack,
	parseExact,
	type WorkflowCheck,
} from '../../../../client';

/** Of ComfyUI 0.33.0 without a single model. */
const definitions = parseExact(readFileSync(join(__dirname, '../convert/definitions/core.json'), 'utf8')) as Definitions;
const withChoices = (className: string, input: string, choices: string[]): Definitions => {
	const { input: inputs } = definitions[className] as { input: { required: Record<string, unknown[]> } };
	return {
		...definitions,
		[className]: {
			...definitions[className],
			input: { required: { ...inputs.required, [input]: [choices, ...(inputs.required[input] ?? []).slice(1)] } },
		},
	};
};

const checkWorkflow = (
	workflow: unknown,
	has: Definitions,
	{ editor, listsFiles = true }: { editor?: unknown; listsFiles?: boolean } = {},
): WorkflowCheck => checkedBy(workflow, { definitions: has, listsFiles }, editor);

const node = (class_type: string, inputs: object, title?: string) => ({
	class_type,
	inputs,
	...(title !== undefined && { _meta: { title } }),
});
const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'a' });
const textToImage = {
	4: node('CheckpointLoaderSimple', { ckpt_name: 'fox-v2.safetensors' }),
	5: node('EmptyLatentImage', { width: 512, height: 512, batch_size: 1 }),
	6: node('CLIPTextEncode', { text: 'a fox', clip: ['4', 1] }),
	3: node('KSampler', {
		seed: 1,
		steps: 20,
		cfg: 8,
		sampler_name: 'euler',
		scheduler: 'normal',
		denoise: 1,
		model: ['4', 0],
		positive: ['6', 0],
		negative: ['6', 0],
		latent_image: ['5', 0],
	}),
	8: node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
	9: save('8'),
};
const ready = withChoices('CheckpointLoaderSimple', 'ckpt_name', ['fox-v2.safetensors', 'sub/other.safetensors']);
const nothing: WorkflowCheck = { missingClasses: [], missingModels: [], missingFiles: [], otherFaults: [], notes: [] };
const changed = (id: keyof typeof textToImage, inputs: object) => ({
	...textToImage,
	[id]: { ...textToImage[id], inputs: { ...textToImage[id].inputs, ...inputs } },
});

it('a workflow that the server can run has nothing to say', () => {
	expect(checkWorkflow(textToImage, ready)).toEqual(nothing);
	expect(classesToCheck(textToImage)).toEqual([
		'KSampler',
		'CheckpointLoaderSimple',
		'EmptyLatentImage',
		'CLIPTextEncode',
		'VAEDecode',
		'SaveImage',
	]);
});

it('a model that the server does not have is named, with its folder and what looks like it', () => {
	expect(checkWorkflow(textToImage, definitions).missingModels).toEqual([
		{
			name: 'fox-v2.safetensors',
			folder: 'models/checkpoints',
			near: [],
			nodes: [{ nodeId: '4', title: 'CheckpointLoaderSimple', className: 'CheckpointLoaderSimple', input: 'ckpt_name' }],
		},
	]);
	expect(checkWorkflow(changed(4, { ckpt_name: 'other.safetensors' }), ready).missingModels).toMatchObject([
		{ near: ['sub/other.safetensors'] },
	]);
});

it.each([
	[
		'a choice that is not offered',
		{ sampler_name: 'eulr' },
		{ fault: 'not_offered', nodeId: '3', input: 'sampler_name', value: 'eulr', near: expect.arrayContaining(['euler']) },
	],
	['a number out of range', { steps: 0 }, { fault: 'out_of_range', input: 'steps', value: 0, min: '1', max: '10000' }],
	['no number', { steps: 'many' }, { fault: 'no_number', input: 'steps', value: 'many' }],
	['a link to a node that is not there', { model: ['77', 0] }, { fault: 'dangling_link', input: 'model', from: '77' }],
])('%s', (_, inputs, fault) => expect(checkWorkflow(changed(3, inputs), ready)).toMatchObject({ ...nothing, otherFaults: [fault] }));

it('numbers as text, and the largest seed, are no faults', () => {
	const seed = (parseExact('{"a": 18446744073709551615}') as { a: unknown }).a;
	expect(checkWorkflow(changed(3, { steps: '20', seed }), ready)).toEqual(nothing);
});

it('an input that is not filled', () => {
	const inputs = Object.fromEntries(Object.entries(textToImage[3].inputs).filter(([name]) => name !== 'model'));
	expect(checkWorkflow({ ...textToImage, 3: { ...textToImage[3], inputs } }, ready).otherFaults).toMatchObject([
		{ fault: 'missing_input', nodeId: '3', input: 'model' },
	]);
});

it('what no output depends on is not looked at by ComfyUI, nor here', () => {
	expect(checkWorkflow({ ...textToImage, 30: node('CheckpointLoaderSimple', { ckpt_name: 'gone.safetensors' }) }, ready)).toEqual(nothing);
});

it('a workflow without outputs', () => {
	const rest = Object.fromEntries(Object.entries(textToImage).filter(([id]) => id !== '9'));
	expect(checkWorkflow(rest, ready)).toEqual({ ...nothing, otherFaults: [{ fault: 'no_outputs' }] });
});

describe('files', () => {
	const loading = (image: unknown) => ({ 1: node('LoadImage', { image }), 9: save('1') });
	it('that the server has are no fault', () => expect(checkWorkflow(loading('example.png'), definitions)).toEqual(nothing));
	it.each(['cat.png [output]', 'clipspace/cat.png'])('in other folders (%s) cannot be seen, and that is told', (name) => {
		expect(checkWorkflow(loading(name), definitions)).toMatchObject({ ...nothing, notes: [{ note: 'file_unseen', name, nodeId: '1' }] });
	});
	it('that a service keeps by account cannot be seen', () => {
		const has = withChoices('LoadImage', 'image', []);
		expect(checkWorkflow(loading('cat.png'), has, { listsFiles: false })).toMatchObject({ ...nothing, notes: [{ note: 'file_unseen' }] });
		expect(checkWorkflow(loading('cat.png'), has)).toMatchObject({ ...nothing, missingFiles: [{ name: 'cat.png' }] });
	});
	it('that are references are no fault', () =>
		expect(checkWorkflow(loading({ __type: 'core/ASSET', id: 'a' }), definitions)).toEqual(nothing));
});

describe('choices that only the editor knows are no fault', () => {
	it('asked for elsewhere', () =>
		expect(checkWorkflow({ 1: node('LoadImageOutput', { image: 'a.png' }), 9: save('1') }, definitions)).toEqual(nothing));
	it('filled by the editor', () => {
		const workflow = { 1: node('CustomCombo', { choice: 'mine', index: 0 }), 2: node('PreviewAny', { source: ['1', 0] }) };
		expect(checkWorkflow(workflow, definitions)).toEqual(nothing);
	});
});

describe('an editor’s file', () => {
	const editorFile = (nodes: object[], more: object = {}) => ({ nodes, links: [[1, 1, 0, 2, 0, 'IMAGE']], version: 0.4, ...more });
	const upscaled = (properties: object = {}) => [
		{
			id: 1,
			type: 'FrobLoader',
			inputs: [],
			outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
			properties: { cnr_id: 'comfyui-frob', ...properties },
			widgets_values: ['a'],
		},
		{ id: 2, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 1 }], outputs: [], properties: {}, widgets_values: ['a'] },
	];

	it('that cannot be converted says why', () => {
		const muted = upscaled().map((one) => ({ ...one, mode: 2 }));
		expect(checkWorkflow(editorFile(muted), definitions)).toMatchObject({
			otherFaults: [{ fault: 'refused', refusals: [{ refusal: 'nothing_to_run' }] }],
		});
	});

	it('beside a graph tells where its models are to be had', () => {
		const editor = {
			nodes: [{ properties: { models: [{ name: 'fox-v2.safetensors', url: 'https://example.test/a', directory: 'checkpoints' }] } }],
			links: [],
		};
		expect(checkWorkflow(textToImage, definitions, { editor }).missingModels).toMatchObject([{ url: 'https://example.test/a' }]);
	});
});

it.each([null, 'x', [], { a: 1 }, { nodes: 'x', links: [] }, '{"a"'])('%j is no workflow', (value) =>
	expect(() => checkWorkflow(value, definitions)).toThrow(GraphError),
);

it('hostile files end in answers', () => {
	const proto = parseExact(
		'{"__proto__": {"class_type": "__proto__", "inputs": {"__proto__": ["__proto__", 0]}}, "constructor": {"class_type": "constructor", "inputs": {"a": ["constructor", 0]}}}',
	);
	expect(checkWorkflow(proto, definitions).missingClasses.map(({ className }) => className)).toEqual(['__proto__', 'constructor']);
	const models = editorModels([{ name: 'a', url: 5, directory: null }, null, 'x', { name: 'y'.repeat(10_000) }]);
	expect(checkWorkflow(textToImage, definitions, { editor: models }).missingModels).toHaveLength(1);
	const long = checkWorkflow(changed(4, { ckpt_name: `${'x'.repeat(1_000_000)}.safetensors` }), ready);
	expect(long.otherFaults).toHaveLength(1);
});
it('a file of ten thousand loaders is looked at within seconds', () => {
	const offered = Array.from({ length: 3_000 }, (_, index) => `folder/model-number-${index}-of-many.safetensors`);
	const loaders = Array.from({ length: 10_000 }, (_, index) => [
		`l${index}`,
		node('CheckpointLoaderSimple', { ckpt_name: `my-own-model-${index}.safetensors` }),
	]);
	const images = Object.fromEntries([
		...loaders,
		...loaders.map((_, index) => [`s${index}`, node('SaveImage', { images: [`l${index}`, 0], filename_prefix: 'a' })]),
	]);
	const before = cpuMs();
	expect(checkWorkflow(images, withChoices('CheckpointLoaderSimple', 'ckpt_name', offered)).missingModels).toHaveLength(10_000);
	expect(cpuMs() - before).toBeLessThan(15_000);
});

const editorModels = (models: unknown[]) => ({
	nodes: [{ properties: { models } }, { properties: 'x' }, null],
	links: [],
	models,
	definitions: { subgraphs: [null, { nodes: 5 }] },
});

it.each([
	['ImageResizeKJv2', 'ComfyUI-KJNodes'],
	['Seed (rgthree)', 'rgthree-comfy'],
	['UnetLoaderGGUF', 'ComfyUI-GGUF'],
	['PreviewBridge', 'ComfyUI-Impact-Pack'],
	['HighRes-Fix Script', 'efficiency-nodes-comfyui'],
	['ImageConcatMulti', 'ComfyUI-KJNodes'],
	['AILab_QwenVL', 'ComfyUI-QwenVL'],
	['AILab_LoadImage', 'ComfyUI-RMBG'],
	['GeminiNodeV3', CORE],
	['Wan3ReferenceToVideoApi', CORE],
	['WanVideoSampler', 'ComfyUI-WanVideoWrapper'],
	['SeedVR2Preprocess', undefined],
	['KSampler', undefined],
	['x'.repeat(10_000), undefined],
])('C5: the class %s belongs to %s', (className, pack) => expect(likelyPack(className)).toBe(pack));
