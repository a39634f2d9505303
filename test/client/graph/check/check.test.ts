import {
	checkWorkflow as checkedBy,
	CORE_PACK,
	type Definitions,
	GraphError,
	guessPack,
	listClassesToCheck,
	parseExact,
} from '../../../../client';
import type { WorkflowCheck } from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';
import { definitions } from '../convert/support/recordings';

/** The recorded definitions of ComfyUI 0.33.0 list no models. These list the choices. */
const withChoices = (className: string, input: string, choices: string[]): Definitions => {
	const { required } = (definitions[className] as { input: { required: Record<string, unknown[]> } }).input;
	const changed = { ...required, [input]: [choices, ...(required[input] ?? []).slice(1)] };
	return { ...definitions, [className]: { ...definitions[className], input: { required: changed } } };
};
const ready = withChoices('CheckpointLoaderSimple', 'ckpt_name', ['fox-v2.safetensors', 'sub/other.safetensors']);
const nothing: WorkflowCheck = { missingClasses: [], missingModels: [], missingFiles: [], otherFaults: [], notes: [] };

const checkWorkflow = (workflow: unknown, has: Definitions = ready, editor?: unknown, listsFiles = true): WorkflowCheck =>
	checkedBy(workflow, { definitions: has, listsFiles }, editor);

const node = (class_type: string, inputs: object) => ({ class_type, inputs });
const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'a' });
const loader = (ckpt_name: string) => node('CheckpointLoaderSimple', { ckpt_name });
const values = { seed: 1, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };
const links = { model: ['4', 0], positive: ['6', 0], negative: ['6', 0], latent_image: ['5', 0] };
const textToImage = {
	3: node('KSampler', { ...values, ...links }),
	4: loader('fox-v2.safetensors'),
	5: node('EmptyLatentImage', { width: 512, height: 512, batch_size: 1 }),
	6: node('CLIPTextEncode', { text: 'a fox', clip: ['4', 1] }),
	8: node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
	9: save('8'),
};
const sampling = (inputs: object) => ({ ...textToImage, 3: node('KSampler', { ...values, ...links, ...inputs }) });
const without = (all: object, name: string) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== name));

it('the classes of a workflow are each checked once', () => {
	const classes = ['KSampler', 'CheckpointLoaderSimple', 'EmptyLatentImage', 'CLIPTextEncode', 'VAEDecode', 'SaveImage'];
	expect(listClassesToCheck({ ...textToImage, 7: textToImage[6] })).toEqual(classes);
});

it.each<[what: string, workflow: object]>([
	['all that the server has', textToImage],
	['numbers as text, and the largest seed', sampling({ steps: '20', seed: parseExact('18446744073709551615') })],
	['what no output depends on, which ComfyUI does not look at either', { ...textToImage, 30: loader('gone.safetensors') }],
	['a file that the server has', { 1: node('LoadImage', { image: 'example.png' }), 9: save('1') }],
	['a reference to a file', { 1: node('LoadImage', { image: { __type: 'core/ASSET', id: 'a' } }), 9: save('1') }],
	['choices that the editor asks for elsewhere', { 1: node('LoadImageOutput', { image: 'a.png' }), 9: save('1') }],
	['choices that the editor fills', { 1: node('CustomCombo', { choice: 'mine', index: 0 }), 2: node('PreviewAny', { source: ['1', 0] }) }],
])('a check reports nothing about %s', (_what, workflow) => {
	expect(checkWorkflow(workflow)).toEqual(nothing);
});

it.each<[fault: object, workflow: object]>([
	[
		{ fault: 'not_offered', input: 'sampler_name', value: 'eulr', near: expect.arrayContaining(['euler']) },
		sampling({ sampler_name: 'eulr' }),
	],
	[{ fault: 'out_of_range', input: 'steps', value: 0, min: '1', max: '10000' }, sampling({ steps: 0 })],
	[{ fault: 'no_number', input: 'steps', value: 'many' }, sampling({ steps: 'many' })],
	[{ fault: 'dangling_link', input: 'model', from: '77' }, sampling({ model: ['77', 0] })],
	[
		{ fault: 'missing_input', nodeId: '3', input: 'model' },
		{ ...textToImage, 3: node('KSampler', without({ ...values, ...links }, 'model')) },
	],
	[{ fault: 'no_outputs' }, without(textToImage, '9')],
	[
		{ fault: 'refused', refusals: [{ refusal: 'nothing_to_run' }] },
		{ nodes: [{ id: 1, type: 'A', mode: 2 }], links: [] },
	],
])('a check reports the fault %j', (fault, workflow) => {
	expect(checkWorkflow(workflow)).toMatchObject({ ...nothing, otherFaults: [fault] });
});

it('a missing model is reported with its folder, similar names and its download address', () => {
	const url = 'https://example.test/a';
	const editor = editorModels([{ name: 'fox-v2.safetensors', url, directory: 'checkpoints' }]);
	const nodes = [{ nodeId: '4', title: 'CheckpointLoaderSimple', className: 'CheckpointLoaderSimple', input: 'ckpt_name' }];
	const missing = { name: 'fox-v2.safetensors', folder: 'models/checkpoints', near: [], nodes };
	expect(checkWorkflow(textToImage, definitions).missingModels).toEqual([missing]);
	expect(checkWorkflow(textToImage, definitions, editor).missingModels).toEqual([{ ...missing, url }]);
	const near = ['sub/other.safetensors'];
	expect(checkWorkflow({ ...textToImage, 4: loader('other.safetensors') }).missingModels).toMatchObject([{ near }]);
});

it('a missing model has the download address that a subgraph of the workflow lists', () => {
	const models = [{ name: 'fox-v2.safetensors', url: 'https://example.test/a' }];
	const editor = { nodes: [], links: [], definitions: { subgraphs: [{ nodes: [{ properties: { models } }] }] } };
	expect(checkWorkflow(textToImage, definitions, editor).missingModels).toMatchObject([models[0]]);
});

it('a file that the server cannot list is noted for a workflow in the editor format as well', () => {
	const nodes = [
		{
			id: 1,
			type: 'LoadImage',
			mode: 0,
			outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
			widgets_values: ['cat.png [output]', 'image'],
		},
		{ id: 2, type: 'PreviewImage', mode: 0, inputs: [{ name: 'images', type: 'IMAGE', link: 1 }] },
	];
	const { notes, otherFaults } = checkWorkflow({ nodes, links: [[1, 1, 0, 2, 0, 'IMAGE']] });
	expect(otherFaults).toEqual([]);
	expect(notes).toContainEqual(expect.objectContaining({ note: 'file_unseen', name: 'cat.png [output]' }));
});

it.each([
	['cat.png [output]', true, { notes: [{ note: 'file_unseen', name: 'cat.png [output]', nodeId: '1' }] }],
	['clipspace/cat.png', true, { notes: [{ note: 'file_unseen', name: 'clipspace/cat.png', nodeId: '1' }] }],
	['cat.png', false, { notes: [{ note: 'file_unseen' }] }],
	['cat.png', true, { missingFiles: [{ name: 'cat.png' }] }],
])('the file %s, where the server lists its files (%s), leads to %j', (image, listsFiles, found) => {
	const workflow = { 1: node('LoadImage', { image }), 9: save('1') };
	expect(checkWorkflow(workflow, withChoices('LoadImage', 'image', []), undefined, listsFiles)).toMatchObject({ ...nothing, ...found });
});

it.each([null, 'x', [], { a: 1 }, { nodes: 'x', links: [] }, '{"a"'])('%j is no workflow', (value) =>
	expect(() => checkWorkflow(value, definitions)).toThrow(GraphError),
);

it('hostile files lead to answers, not to errors', () => {
	const proto = parseExact(
		'{"__proto__": {"class_type": "__proto__", "inputs": {"__proto__": ["__proto__", 0]}}, "constructor": {"class_type": "constructor", "inputs": {"a": ["constructor", 0]}}}',
	);
	expect(checkWorkflow(proto).missingClasses.map(({ className }) => className)).toEqual(['__proto__', 'constructor']);
	const models = editorModels([{ name: 'a', url: 5, directory: null }, null, 'x', { name: 'y'.repeat(10_000) }]);
	expect(checkWorkflow(textToImage, definitions, models).missingModels).toHaveLength(1);
	const long = { ...textToImage, 4: loader(`${'x'.repeat(1_000_000)}.safetensors`) };
	expect(checkWorkflow(long).otherFaults).toHaveLength(1);
});

it('a file of ten thousand loaders is checked within seconds', () => {
	const offered = Array.from({ length: 3_000 }, (_, index) => `folder/model-number-${index}-of-many.safetensors`);
	const loaders = Array.from({ length: 10_000 }, (_, index) => [
		[`l${index}`, loader(`my-own-model-${index}.safetensors`)],
		[`s${index}`, save(`l${index}`)],
	]);
	const has = withChoices('CheckpointLoaderSimple', 'ckpt_name', offered);
	const before = cpuMs();
	expect(checkWorkflow(Object.fromEntries(loaders.flat()), has).missingModels).toHaveLength(10_000);
	expect(cpuMs() - before).toBeLessThan(15_000);
});

/** A workflow in the editor format that lists models and has damaged nodes. */
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
	['ToBasicPipe', 'ComfyUI-Impact-Pack'],
	['DetailerPipeToBasicPipe', 'ComfyUI-Impact-Pack'],
	['PixelKSampleUpscalerProviderPipe', 'ComfyUI-Impact-Pack'],
	['StringListToString', 'ComfyUI-Impact-Pack'],
	['ImageReceiver', 'ComfyUI-Impact-Pack'],
	['RegionalPromptSimple //Inspire', 'ComfyUI-Inspire-Pack'],
	['Text Concatenate', 'was-node-suite-comfyui'],
	['Text Concatenate (JPS)', 'ComfyUI_JPS-Nodes'],
	['Image Resize', 'was-node-suite-comfyui'],
	['Image Paste Crop by Location', 'was-node-suite-comfyui'],
	['Mask Crop Region', 'was-node-suite-comfyui'],
	['Number to Text', 'was-node-suite-comfyui'],
	['Latent Input Switch', 'was-node-suite-comfyui'],
	['ImageScale', undefined],
	['HighRes-Fix Script', 'efficiency-nodes-comfyui'],
	['ImageConcatMulti', 'ComfyUI-KJNodes'],
	['AILab_QwenVL', 'ComfyUI-QwenVL'],
	['AILab_LoadImage', 'ComfyUI-RMBG'],
	['GeminiNodeV3', CORE_PACK],
	['Wan3ReferenceToVideoApi', CORE_PACK],
	['WanVideoSampler', 'ComfyUI-WanVideoWrapper'],
	['SeedVR2Preprocess', undefined],
	['KSampler', undefined],
	['x'.repeat(10_000), undefined],
])('C5: the class %s belongs to %s', (className, pack) => expect(guessPack(className)).toBe(pack));
