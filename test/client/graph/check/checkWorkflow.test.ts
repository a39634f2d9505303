import {
	checkWorkflow as checkedBy,
	CORE_PACK,
	type Definitions,
	GraphError,
	guessPack,
	listClassesToCheck,
	parseExact,
	type WorkflowCheck,
} from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';
import { textToImage } from '../../../support/stockGraphs';
import { definitions } from '../convert/support/recordings';
import { picture, preview } from '../convert/support/nodes';
import { file, linked } from '../convert/support/sockets';

/** The recorded definitions of ComfyUI 0.33.0 list no models. These list the choices. */
const withChoices = (className: string, input: string, choices: string[]): Definitions => {
	const { required } = (definitions[className] as { input: { required: Record<string, unknown[]> } }).input;
	const changed = { ...required, [input]: [choices, ...(required[input] ?? []).slice(1)] };
	return { ...definitions, [className]: { ...definitions[className], input: { required: changed } } };
};
const MODEL = 'v1-5-pruned-emaonly-fp16.safetensors';
const ready = withChoices('CheckpointLoaderSimple', 'ckpt_name', [MODEL, 'sub/other.safetensors']);
const nothing: WorkflowCheck = { missingClasses: [], missingModels: [], missingFiles: [], otherFaults: [], notes: [] };

const checkWorkflow = (workflow: unknown, has: Definitions = ready, editor?: unknown, listsFiles = true): WorkflowCheck =>
	checkedBy(workflow, { definitions: has, listsFiles }, editor);

const node = (class_type: string, inputs: object) => ({ class_type, inputs });
const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'a' });
const loader = (ckpt_name: string) => node('CheckpointLoaderSimple', { ckpt_name });
const without = (all: object, name: string) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== name));
const sampling = (inputs: object) => ({ ...textToImage, 3: node('KSampler', { ...textToImage[3].inputs, ...inputs }) });

/** The faults of the first of two output nodes, which have one required input. */
const faultsOf = (type: unknown, settings: object, inputs: object): unknown[] => {
	const has = { Out: { input: { required: { value: [type, settings] } }, output_node: true } } as unknown as Definitions;
	const { otherFaults } = checkWorkflow({ 1: node('Out', inputs), 2: node('Out', { value: 5 }) }, has);
	return otherFaults.filter((fault) => 'nodeId' in fault && fault.nodeId === '1');
};

it('the classes of a workflow are each checked once', () => {
	const classes = ['KSampler', 'CheckpointLoaderSimple', 'EmptyLatentImage', 'CLIPTextEncode', 'VAEDecode', 'SaveImage'];
	expect(listClassesToCheck({ ...textToImage, 10: textToImage[6] })).toEqual(classes);
});

it.each<[what: string, workflow: object]>([
	['all that the server has', textToImage],
	['numbers as text, and the largest seed', sampling({ steps: '20', seed: parseExact('18446744073709551615') })],
	['what no output depends on, which ComfyUI does not look at either', { ...textToImage, 30: loader('gone.safetensors') }],
	['a reference to a file', { 1: node('LoadImage', { image: { __type: 'core/ASSET', id: 'a' } }), 9: save('1') }],
	['choices that the editor asks for elsewhere', { 1: node('LoadImageOutput', { image: 'a.png' }), 9: save('1') }],
	['choices that the editor fills', { 1: node('CustomCombo', { choice: 'mine', index: 0 }), 2: node('PreviewAny', { source: ['1', 0] }) }],
])('a check reports nothing about %s', (_what, workflow) => {
	expect(checkWorkflow(workflow)).toEqual(nothing);
});

it.each<[faults: object[], workflow: object]>([
	[
		[
			{ fault: 'out_of_range', input: 'steps', value: 0, min: '1', max: '10000' },
			{ fault: 'not_offered', input: 'sampler_name', value: 'eulr', near: expect.arrayContaining(['euler']) },
		],
		sampling({ sampler_name: 'eulr', steps: 0 }),
	],
	[
		[
			{ fault: 'dangling_link', input: 'model', from: '77' },
			{ fault: 'dangling_link', input: 'positive', from: '78' },
		],
		sampling({ model: ['77', 0], positive: ['78', 0] }),
	],
	[
		['model', 'positive'].map((input) => ({ fault: 'missing_input', nodeId: '3', input })),
		{ ...textToImage, 3: node('KSampler', without(without(textToImage[3].inputs, 'model'), 'positive')) },
	],
	[
		[
			{ fault: 'placeholder', nodeId: '3', input: 'steps', placeholder: '{{ $json.steps }}' },
			{ fault: 'no_number', nodeId: '10', input: 'steps', value: 'many' },
		],
		{
			...sampling({ steps: '{{ $json.steps }}' }),
			10: node('KSampler', { ...textToImage[3].inputs, steps: 'many', latent_image: ['3', 0] }),
			8: node('VAEDecode', { samples: ['10', 0], vae: ['4', 2] }),
		},
	],
	[[{ fault: 'no_outputs' }], without(textToImage, '9')],
	[[{ fault: 'refused', refusals: [{ refusal: 'nothing_to_run' }] }], file([{ id: 1, type: 'A', mode: 2 }])],
])('a check reports the faults %j', (faults, workflow) => {
	expect(checkWorkflow(workflow)).toMatchObject({ ...nothing, otherFaults: faults });
});

describe('a number input', () => {
	it.each([true, ' 5 ', 1, 10, parseExact('5.0')])('accepts %j, which ComfyUI reads as a number within the limits', (value) => {
		expect(faultsOf('INT', { min: 1, max: 10 }, { value })).toEqual([]);
	});

	it.each<[type: string, settings: object, value: unknown, limits: object]>([
		['INT', { min: 1, max: 10 }, 11, { min: '1', max: '10' }],
		['INT', { min: 1, max: 10 }, false, { min: '1', max: '10' }],
		['FLOAT', { min: 1, max: 10 }, 10.001, { min: '1', max: '10' }],
		['INT', { min: 1 }, 0, { min: '1' }],
		['INT', { max: parseExact('18446744073709551615') }, 1e30, { max: '18446744073709551615' }],
	])('of the type %s with %j rejects %j, and names only its own limits', (type, settings, value, limits) => {
		const [fault, ...others] = faultsOf(type, settings, { value }) as object[];
		expect([others, fault]).toEqual([[], expect.objectContaining({ fault: 'out_of_range', value, ...limits })]);
		expect(['min', 'max'].filter((limit) => limit in (fault ?? {}))).toEqual(Object.keys(limits));
	});
});

it('of several chosen values, those that are not offered are reported, and an empty one even if nothing is offered', () => {
	expect(faultsOf(['red', 'blue'], {}, { value: ['red', 'green', 'blue', 'pink'] })).toMatchObject([
		{ fault: 'not_offered', value: 'green' },
		{ fault: 'not_offered', value: 'pink' },
	]);
	expect(faultsOf([], {}, { value: '' })).toMatchObject([{ fault: 'not_offered', value: '', near: [] }]);
});

it('choices with very long names, and more than 20 values, are not compared', () => {
	expect(faultsOf(['a'.repeat(100)], {}, { value: 'a'.repeat(99) })).toMatchObject([{ near: ['a'.repeat(100)] }]);
	expect(faultsOf(['a'.repeat(101)], {}, { value: 'a'.repeat(99) })).toMatchObject([{ near: [] }]);
	const faults = faultsOf(['blue'], {}, { value: Array.from({ length: 21 }, () => 'blu') }) as Array<{ near: string[] }>;
	expect(faults.map(({ near }) => near.length)).toEqual([...Array.from({ length: 20 }, () => 1), 0]);
});

it('a required input of a special type may be missing, and a class may have no required inputs', () => {
	expect(faultsOf('COMFY_AUTOGROW_V3', {}, {})).toEqual([]);
	expect(checkWorkflow({ 1: node('Out', {}) }, { Out: { input: {}, output_node: true } } as unknown as Definitions)).toEqual(nothing);
	expect(faultsOf('IMAGE', {}, {})).toMatchObject([{ fault: 'missing_input', nodeId: '1', input: 'value' }]);
});

it('the inputs of a node are checked when only a node of a missing class needs it', () => {
	const has = { Number: { input: { required: { value: ['INT', { max: 10 }] } } } } as unknown as Definitions;
	expect(checkWorkflow({ 1: node('Number', { value: 11 }), 2: node('Gone', { from: ['1', 0] }) }, has)).toMatchObject({
		...nothing,
		missingClasses: [{ className: 'Gone' }],
		otherFaults: [{ fault: 'out_of_range', nodeId: '1' }],
	});
});

describe('a missing model', () => {
	/** A workflow in the editor format that lists models, in a subgraph and by itself, and has damaged nodes. */
	const listing = (models: unknown[], inside: unknown[] = []) => ({
		nodes: [{ properties: 'x' }, null],
		links: [],
		models,
		definitions: { subgraphs: [null, { nodes: 5 }, { nodes: [{ properties: { models: inside } }] }] },
	});
	const own = { ...definitions, Own: { input: { required: { weights: [['x'], {}] } }, output_node: true } } as Definitions;

	it('is reported once with all its nodes, its folder, similar names and its download address', () => {
		const two = { ...textToImage, 10: loader(MODEL), 11: node('VAEDecode', { samples: ['3', 0], vae: ['10', 2] }), 12: save('11') };
		const nodes = ['4', '10'].map((nodeId) => expect.objectContaining({ nodeId, input: 'ckpt_name' }) as unknown);
		const missing = { name: MODEL, folder: 'models/checkpoints', near: [], nodes };
		const [url, other] = ['https://example.test/a', 'https://example.test/b'];
		expect(checkWorkflow(two, definitions).missingModels).toEqual([missing]);
		const listed = [
			{ name: 'other.safetensors', url: other },
			{ name: MODEL, url, directory: 'checkpoints' },
			{ name: MODEL, url: other },
		];
		expect(checkWorkflow(two, definitions, listing(listed)).missingModels).toEqual([{ ...missing, url }]);
		expect(checkWorkflow(two, definitions, listing([], listed)).missingModels).toEqual([{ ...missing, url }]);
		expect(checkWorkflow({ ...two, 10: loader('other.safetensors') }).missingModels).toMatchObject([{ near: ['sub/other.safetensors'] }]);
	});

	it('is known by the input that names it, or by the list of the workflow, without its extension or its folder', () => {
		const workflow = { ...textToImage, 4: loader('fox'), 10: node('Own', { weights: 'animals/cat' }) };
		expect(checkWorkflow(workflow, own).otherFaults).toMatchObject([{ fault: 'not_offered', value: 'animals/cat' }]);
		const { missingModels } = checkWorkflow(workflow, own, listing([{ name: 'cat', url: '', directory: 'own' }]));
		expect(missingModels).toMatchObject([
			{ name: 'fox', folder: 'models/checkpoints' },
			{ name: 'animals/cat', folder: 'models/own' },
		]);
		expect(missingModels[1]).not.toHaveProperty('url');
	});

	it('is reported once for each folder that should have it', () => {
		const lora = node('LoraLoaderModelOnly', { model: ['4', 0], lora_name: 'fox.safetensors', strength_model: 1 });
		const { missingModels } = checkWorkflow({ ...sampling({ model: ['10', 0] }), 4: loader('fox.safetensors'), 10: lora });
		expect(missingModels.map(({ name, folder, nodes }) => [name, folder, nodes.length])).toEqual([
			['fox.safetensors', 'models/checkpoints', 1],
			['fox.safetensors', 'models/loras', 1],
		]);
	});

	it('of a hostile workflow leads to an answer, not to an error', () => {
		const hostile = listing([{ name: MODEL, url: 5, directory: null }, null, 'x', { name: 'y'.repeat(10_000) }]);
		expect(checkWorkflow(textToImage, definitions, hostile).missingModels).toHaveLength(1);
		const long = { ...textToImage, 4: loader(`${'x'.repeat(1_000_000)}.safetensors`) };
		expect(checkWorkflow(long).otherFaults).toHaveLength(1);
	});

	it('in each of ten thousand loaders is found within seconds', () => {
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
});

it.each<[image: string, choices: string[], listsFiles: boolean, isMissing: boolean]>([
	['animals/fox.png', ['other.png'], true, false],
	['animals\\fox.png', ['other.png'], true, false],
	['fox.png [output]', [], true, false],
	['fox.png [temp]', [], true, false],
	['fox.png', [], false, false],
	['fox.png', [], true, true],
	['fox.png', ['other.png'], false, true],
])(
	'the image %s, where the server offers %j and lists all files (%s), is missing (%s), or only noted',
	(image, choices, listsFiles, isMissing) => {
		const images = [image, `second ${image}`];
		const workflow = { 1: node('LoadImage', { image }), 2: node('LoadImage', { image: images[1] }), 8: save('1'), 9: save('2') };
		const missingFiles = images.map((name) => ({ name, folder: 'input' }));
		const notes = images.map((name, at) => ({ note: 'file_unseen', name, nodeId: String(at + 1) }));
		expect(checkWorkflow(workflow, withChoices('LoadImage', 'image', choices), undefined, listsFiles)).toMatchObject({
			...nothing,
			...(isMissing ? { missingFiles } : { notes }),
		});
	},
);

describe('a file in the editor format', () => {
	const gone = (id: number, link: number | null = null, type = 'Gone') => ({
		...preview(id, link),
		type,
		outputs: [{ name: 'IMAGE', type: 'IMAGE' }],
	});
	const missing = (className: string, ...nodeIds: string[]) => ({
		className,
		isGuess: true,
		nodes: nodeIds.map((nodeId) => ({ nodeId, title: className, className })),
	});

	it('that the server can run has neither faults nor notes, except of a file that the server cannot list', () => {
		expect(checkWorkflow(file([picture(1), preview(2)], linked('1>2')))).toEqual(nothing);
		const load = { ...picture(1), type: 'LoadImage', widgets_values: ['cat.png [output]', 'image'] };
		const { notes, otherFaults } = checkWorkflow(file([load, preview(2)], linked('1>2')));
		expect(otherFaults).toEqual([]);
		expect(notes).toContainEqual(expect.objectContaining({ note: 'file_unseen', name: 'cat.png [output]' }));
	});

	it.each<[what: string, nodes: object[], links: unknown[], missingClasses: object[], otherFaults: object[]]>([
		[
			'are checked as if the server had the class',
			[gone(1), gone(3), gone(4, null, 'Lost'), preview(2), preview(5, 2)],
			linked('1>2 4>5'),
			[missing('Gone', '1', '3'), missing('Lost', '4')],
			[],
		],
		[
			'may have a fault beside them',
			[gone(1), gone(3), preview(2, 7)],
			[],
			[missing('Gone', '1', '3')],
			[{ fault: 'refused', refusals: [{ refusal: 'broken_link', nodeId: '2', input: 'images' }] }],
		],
		[
			'may have a fault that shows only when the class is replaced',
			[gone(1, 1), preview(2, 2)],
			linked('1>1 1>2'),
			[missing('Gone', '1')],
			[{ fault: 'refused', refusals: [{ refusal: 'circular_links', nodeIds: ['1'] }] }],
		],
	])('whose nodes of a missing class %s', (_what, nodes, links, missingClasses, otherFaults) => {
		expect(checkWorkflow(file(nodes, links))).toMatchObject({ missingClasses, otherFaults });
	});
});

it.each([null, 'x', [], { a: 1 }, { nodes: 'x', links: [] }, '{"a"'])('%j is no workflow', (value) =>
	expect(() => checkWorkflow(value, definitions)).toThrow(GraphError),
);

it.each([
	['ImageResizeKJv2', 'ComfyUI-KJNodes'],
	['Seed (rgthree)', 'rgthree-comfy'],
	['UnetLoaderGGUF', 'ComfyUI-GGUF'],
	['DetailerPipeToBasicPipe', 'ComfyUI-Impact-Pack'],
	['RegionalPromptSimple //Inspire', 'ComfyUI-Inspire-Pack'],
	['Text Concatenate', 'was-node-suite-comfyui'],
	['Text Concatenate (JPS)', 'ComfyUI_JPS-Nodes'],
	['AILab_QwenVL', 'ComfyUI-QwenVL'],
	['AILab_LoadImage', 'ComfyUI-RMBG'],
	['GeminiNodeV3', CORE_PACK],
	['KSampler', undefined],
	['WanVideo'.padEnd(200, 'x'), 'ComfyUI-WanVideoWrapper'],
	['WanVideo'.padEnd(201, 'x'), undefined],
])('C5: the class %s belongs to the pack %s', (className, pack) => expect(guessPack(className)).toBe(pack));
