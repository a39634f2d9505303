import {
	type ApiGraph,
	type Definitions,
	fileInputsOf,
	findInput,
	type GraphInput,
	inputsOf,
	offeredFiles,
	outputNodesOf,
	parseExact,
	parseGraph,
	seedsOf,
	takesNoFile,
	applyInputs,
	convertValue,
	exactText,
} from '../../../client';
import { nodesBehind } from '../../../client/graph/form';
import * as graphs from '../../support/graphs';
import { faultOf } from './support';

const { definitions } = graphs;

const names = (inputs: GraphInput[]): string => inputs.map(({ name }) => name).join(' ');
const firstTwo = (graph: ApiGraph): string => names(inputsOf(graph).slice(0, 2));
const kindsIn = (graph: ApiGraph, known?: Definitions): string =>
	inputsOf(graph, known)
		.map(({ kind }) => kind)
		.join(' ');
/** A graph of one node. */
const oneNode = (className: string, inputs: Record<string, unknown>): ApiGraph => ({ '1': graphs.node(className, undefined, inputs) });
/** The definition of one required input. */
const defining = (className: string, input: string, entry: unknown): Definitions => ({
	[className]: { input: { required: { [input]: entry } } },
});
const withRole = (graph: ApiGraph, role: GraphInput['role']): string => names(inputsOf(graph).filter((input) => input.role === role));
const input = (graph: ApiGraph, name: string, known = definitions): GraphInput =>
	inputsOf(graph, known).find((one) => one.name === name) as GraphInput;

describe('what a graph lets one change', () => {
	it.each<[name: string, graph: ApiGraph, prompts: string, seeds: string, sizes: string, files: string]>([
		['text to image', graphs.textToImage, '6.text 7.text', '3.seed', '5.width 5.height 5.batch_size', ''],
		['inpaint', graphs.inpaint, '6.text 5.text', '7.seed', '', '1.image 2.image'],
		['video', graphs.video, '90.value 94.text', '92.value 99.noise_seed', '91.value 96.height 96.length 96.batch_size', '95.image'],
		['audio', graphs.audio, '14.tags 14.lyrics', '52.seed', '17.seconds 17.batch_size', '20.audio'],
		[
			'60 nodes',
			graphs.sixtyNodes,
			Array.from({ length: 17 }, (_, index) => `${101 + index * 3}.text`).join(' '),
			'4.noise_seed',
			[
				'9.width 9.height 9.batch_size',
				...Array.from({ length: 17 }, (_, index) => `${100 + index * 3}.width ${100 + index * 3}.height`),
			].join(' '),
			'',
		],
		['Chinese titles', graphs.chineseTitles, '1.text 2.text', '3.seed', '', ''],
		['ids of subgraphs', graphs.subgraphIds, '12:3.text', '12:7:1.seed', '', ''],
		['no titles', graphs.noTitles, '1.text 2.text', '', '4.width 4.height 4.batch_size', ''],
		['titles with dots', graphs.dottedTitles, '1.text', '', '2.resize_type.width 2.resize_type.height', ''],
		['long numbers', parseGraph(graphs.longNumbersText), '', '1.seed', '', ''],
		['booleans and choices', graphs.booleansAndChoices, '', '', '', ''],
		['all linked', graphs.allLinked, '', '', '', ''],
		['linked through others', graphs.linkedThrough, '1.string 2.string 11.value', '5.seed 6.value', '', ''],
		['a partner node', graphs.partnerNode, '1.prompt', '1.seed', '1.aspect_ratio', '2.image'],
		['a circle', graphs.circle, '1.string', '', '', ''],
	])('finds the prompts, seeds, sizes and files of %s', (_name, graph, prompts, seeds, sizes, files) => {
		expect(withRole(graph, 'prompt')).toBe(prompts);
		expect(names(seedsOf(graph))).toBe(seeds);
		expect(withRole(graph, 'size')).toBe(sizes);
		expect(names(fileInputsOf(graph))).toBe(files);
	});

	it('puts prompts first, the negative one last of them, then seeds, sizes, and the rest in graph order', () => {
		expect(names(inputsOf(graphs.textToImage))).toBe(
			'6.text 7.text 3.seed 5.width 5.height 5.batch_size 3.steps 3.cfg 3.sampler_name 3.scheduler 3.denoise 4.ckpt_name 9.filename_prefix',
		);
	});

	it('takes a prompt that is zeroed for the negative side for a positive one', () => {
		const graph = {
			'1': graphs.node('CLIPTextEncode', 'Bad', { text: 'blurry' }),
			'2': graphs.node('CLIPTextEncode', 'Good', { text: 'a fox' }),
			'3': graphs.node('ConditioningZeroOut', 'Zero', { conditioning: ['2', 0] }),
			'4': graphs.node('ConditioningCombine', 'Both', { conditioning_1: ['1', 0], conditioning_2: ['3', 0] }),
			'5': graphs.node('ControlNetApplyAdvanced', 'Control', { positive: ['2', 0], negative: ['4', 0] }),
			'6': graphs.node('KSampler', 'Sampler', { seed: 1, positive: ['5', 0], negative: ['5', 1] }),
		};
		expect(firstTwo(graph)).toBe('2.text 1.text');
		const throughArea = {
			...graph,
			'5': graphs.node('ConditioningSetArea', 'Area', { conditioning: ['2', 0] }),
			'6': graphs.node('KSampler', 'Sampler', { seed: 1, positive: ['5', 0], negative: ['4', 0] }),
		};
		expect(firstTwo(throughArea)).toBe('2.text 1.text');
		expect(firstTwo(oneNode('Both', { negative: 'blurry', positive: 'a fox' }))).toBe('1.positive 1.negative');
	});

	it.each([
		['seed', 'A', 7, 'seed noise_seed noiseseed my.seed my_seed seed_num seed_value', 'seeds reseed seed_x'],
		['size', 'A', 7, 'width my.width my_width', 'widths xwidth'],
		['prompt', 'A', 'x', 'prompt prompts my_prompt my.prompt instruction instructions', 'text prompted'],
		['prompt', 'A', 'x', 'prompt_text promptprompt prompt_g prompt2 prompt_12 positive negative lyrics caption', 'myprompt'],
		['prompt', 'A Encode', 'x', 'text tags clip_g clip_l t5xxl qwen_image text2 text_12 text_h', 'mytext texts text_x clip_z'],
		['prompt', 'TextToVideo', 'x', 'text', 'name'],
		['prompt', 'Text_To_Video', 'x', 'text', 'name'],
	] as const)('a value is a %s in a node of the class %s by its name alone', (role, className, value, meant, others) => {
		const graph = oneNode(className, Object.fromEntries(`${meant} ${others}`.split(' ').map((one) => [one, value])));
		expect(new Set(withRole(graph, role).split(' '))).toEqual(new Set(meant.split(' ').map((one) => `1.${one}`)));
		expect(new Set(withRole(graph, 'other').split(' '))).toEqual(new Set(others.split(' ').map((one) => `1.${one}`)));
	});

	it('a value that a node hands on has the role of the input that takes it', () => {
		const held = Object.fromEntries(['value', 'value2', 'value_12', 'value_h', 'values', 'myvalue', 'value_x'].map((name) => [name, 'x']));
		const graph = { '1': graphs.node('Holder', undefined, held), '2': graphs.node('CLIPTextEncode', undefined, { text: ['1', 0] }) };
		expect(withRole(graph, 'prompt')).toBe('1.value 1.value2 1.value_12 1.value_h');
	});

	it.each<[name: string, inputs: Record<string, unknown>, changedByEditor: string[], known: boolean, seeds: string]>([
		['its name, whatever else changes', { seed: 1, n: 2, luck: 3 }, ['n'], true, '1.seed'],
		['the editor’s control', { n: 2, m: 3, luck: 3 }, ['n'], true, '1.n'],
		['the editor’s control of a whole number', { n: 2.5, t: 'x', m: 3 }, ['n', 't'], false, ''],
		['the editor’s control of no size', { width: 2, m: 3 }, ['width'], false, ''],
		['its definition', { n: 2, luck: 3 }, [], true, '1.luck'],
		['nothing', { n: 2, luck: 3 }, [], false, ''],
	])('a number is known as a seed by %s', (_name, inputs, changed, known, seeds) => {
		const luck = { A: { input: { required: { luck: ['INT', { control_after_generate: true }], n: ['INT', {}] } } } };
		const changedByEditor = changed.map((name) => ({ nodeId: '1', input: name }));
		expect(names(seedsOf(oneNode('A', inputs), { changedByEditor, ...(known && { definitions: luck }) }))).toBe(seeds);
	});

	const labelsOf = (graph: ApiGraph): string[] => inputsOf(graph).map(({ label }) => label);
	const titled = (...titles: string[]): ApiGraph => Object.fromEntries(titles.map((title, at) => [at, graphs.node('A', title, { a: 1 })]));
	const long = 'x'.repeat(80);

	it.each<[ApiGraph, string[]]>([
		[graphs.textToImage, ['CLIP Text Encode (Prompt) (#6) · text', 'CLIP Text Encode (Prompt) (#7) · text', 'KSampler · seed']],
		[graphs.noTitles, ['CLIPTextEncode (#1) · text', 'CLIPTextEncode (#2) · text', 'EmptyLatentImage · width']],
		[graphs.chineseTitles, ['正向提示词 · text']],
		[titled('two\nlines  and spaces ', 'x'.repeat(500)), ['two lines and spaces · a', `${long}… · a`]],
		[titled(`${long.slice(1)} y`, long, ' ', ''), [`${long.slice(1)}… · a`, `${long} · a`, 'A (#2) · a', 'A (#3) · a']],
	])('names nodes of one title by their ids, and others by title or class: %#', (graph, labels) => {
		expect(labelsOf(graph).slice(0, labels.length)).toEqual(labels);
	});

	it('leaves out what comes from other nodes, and what only the web interface shows', () => {
		expect(inputsOf(graphs.allLinked)).toEqual([]);
		expect(names(inputsOf(graphs.inpaint))).not.toContain('upload');
		expect(names(inputsOf(graphs.audio))).not.toContain('audioUI');
		const shown = ['videopreview', 'choose file to upload', 'choose video to upload', 'control_after_generate', 'control_before_generate'];
		expect(inputsOf(oneNode('A', Object.fromEntries(shown.map((name) => [name, 'x']))))).toEqual([]);
		expect(names(inputsOf(oneNode('Uploader', { upload: 'image' }), defining('Uploader', 'upload', ['STRING', {}])))).toBe('1.upload');
	});

	it('takes a wrapped value for its content, and a list of two for a link only where it can be one', () => {
		expect(input(graphs.booleansAndChoices, '2.samplers').value).toEqual(['euler', 'heun']);
		expect(input(graphs.booleansAndChoices, '2.note')).toMatchObject({ value: 'wrapped', kind: 'text' });
		expect(names(inputsOf(oneNode('A', { pair: [1, 'x'], three: [1, 2, 3], none: [null, 0], link: [1, 0] })))).toBe(
			'1.pair 1.three 1.none',
		);
	});

	it('keeps every digit', () => {
		expect(inputsOf(parseGraph(graphs.longNumbersText))[0]).toMatchObject({
			name: '1.seed',
			kind: 'integer',
			value: { value: graphs.LONG_SEED },
		});
	});
});

describe('kinds and limits', () => {
	it('come from definitions of every form', () => {
		const of = (name: string) => {
			const { kind, limits } = input(graphs.textToImage, name);
			return { kind, ...limits };
		};
		expect(of('3.seed')).toEqual({ kind: 'integer', min: 0, max: graphs.LONG_SEED });
		expect(of('3.steps')).toEqual({ kind: 'integer', min: 1, max: 10000 });
		expect(of('3.cfg')).toEqual({ kind: 'number', min: 0, max: 100, step: 0.1 });
		expect(of('3.sampler_name')).toMatchObject({ kind: 'choice', choices: expect.arrayContaining(['heun']) });
		expect(of('3.scheduler')).toEqual({ kind: 'choice', choices: ['normal', 'karras', 'simple'] });
		expect(of('6.text')).toEqual({ kind: 'text', multiline: true });
		expect(of('4.ckpt_name')).toEqual({ kind: 'text' });
	});

	it('of inputs behind a choice belong to the choice that is made', () => {
		expect(input(graphs.dottedTitles, '2.resize_type')).toMatchObject({
			kind: 'choice',
			limits: { choices: ['scale dimensions', 'scale by multiplier'] },
		});
		expect(input(graphs.dottedTitles, '2.resize_type.width')).toMatchObject({ kind: 'integer', limits: { max: 16384 } });
		expect(input(graphs.dottedTitles, '2.resize_type.crop')).toMatchObject({ kind: 'choice' });
		const behind = { resize_type: 'scale by multiplier', 'resize_type.multiplier': 2, 'resize_type.width': 5 };
		const other = oneNode('ResizeImageMaskNode', behind);
		expect(input(other, '1.resize_type.multiplier')).toMatchObject({ kind: 'number', limits: { max: 8 } });
		expect(input(other, '1.resize_type.width').limits).toBeUndefined();
		expect(input(oneNode('Grown', { 'parts.part3': 'x' }), '1.parts.part3').limits).toEqual({ multiline: true });
	});

	it('know numbers among choices, several choices, and types of which either will do', () => {
		expect(input(graphs.booleansAndChoices, '1.tile').limits).toEqual({ choices: [128, 256, 512] });
		expect(input(graphs.booleansAndChoices, '2.samplers').kind).toBe('json');
		expect(input(graphs.booleansAndChoices, '2.settings').kind).toBe('json');
		expect(kindsIn(oneNode('Union', { rate: 24, either: 1, color: '#fff' }), definitions)).toBe('number number text');
	});

	it('without definitions are told by the value: only what counts things is whole', () => {
		const kinds = { '3.seed': 'integer', '5.width': 'integer', '3.cfg': 'number', '3.steps': 'number', '3.sampler_name': 'text' };
		for (const [name, kind] of Object.entries(kinds)) expect(findInput(graphs.textToImage, name).kind).toBe(kind);
		expect(findInput(graphs.video, '92.value').kind).toBe('integer');
		expect(kindsIn(oneNode('ConditioningSetAreaPercentage', { width: 0.5, seconds: 5 }))).toBe('number number');
		expect(kindsIn(graphs.booleansAndChoices)).toBe('boolean text number number boolean json text json');
	});

	it.each<[input: string, value: unknown, definition: unknown[] | undefined, expected: object]>([
		['x', 5, ['SOCKET,STRING'], { kind: 'text', role: 'other' }],
		['x', 5, ['STRING', { widgetType: 'INT' }], { kind: 'integer' }],
		['x', 5, ['STRING', { widgetType: 7 }], { kind: 'text' }],
		['x', 5, ['STRING', { min: 1 }], { kind: 'text', limits: undefined }],
		['x', 5, ['INT', {}], { kind: 'integer', limits: undefined }],
		['x', 5, ['INT', { min: 'none', max: '-5', step: 'x2' }], { limits: { max: '-5' } }],
		['x', 5, ['INT', { max: parseExact('18446744073709551615') }], { limits: { max: '18446744073709551615' } }],
		['x', true, [[true, false, { a: 1 }]], { kind: 'choice', limits: { choices: [true, false] } }],
		['x', 5, ['INT', { control_after_generate: true }], { role: 'seed' }],
		['value', 5, ['INT', { control_after_generate: true }], { role: 'other' }],
		['width', 5, ['INT', { control_after_generate: true }], { role: 'size' }],
		['x', 5, ['FLOAT', { control_after_generate: true }], { role: 'other' }],
		['seed', 5, ['FLOAT', {}], { kind: 'number', role: 'seed' }],
		['seed', true, ['BOOLEAN', {}], { kind: 'boolean', role: 'other' }],
		['aspect_ratio', '1:1', ['COMBO', { options: ['1:1'] }], { kind: 'choice', role: 'size' }],
		['prompt', 'a', [['a']], { kind: 'choice', role: 'other' }],
		['my_width', 5, undefined, { kind: 'integer', role: 'size' }],
		['width_x', 5, undefined, { kind: 'number', role: 'other' }],
		['x', null, undefined, { kind: 'text' }],
		['x', undefined, undefined, { kind: 'text' }],
		['f', 5, ['COMBO', { options: [], audio_upload: true }], { kind: 'text', role: 'file', limits: { fileKind: 'audio' } }],
		['f', 'a.png', ['COMBO', { options: [] }], { role: 'file', limits: { fileKind: 'image' } }],
		['f', 'a.png', ['STRING', {}], { role: 'other' }],
		['a.b', 5, ['INT', { max: 9 }], { kind: 'integer', limits: { max: 9 } }],
	])('of %s = %p with the definition %j', (name, value, entry, expected) => {
		const [found] = inputsOf(oneNode('A', { [name]: value }), entry && defining('A', name, entry));
		expect({ limits: undefined, ...found }).toEqual(expect.objectContaining(expected));
	});

	it('of inputs behind two choices belong to both, and without such a choice are those of the value', () => {
		const DYNAMIC = 'COMFY_DYNAMICCOMBO_V3';
		const inner = [DYNAMIC, { options: [{ key: 'y', inputs: { optional: { c: ['INT', { max: 9 }] } } }] }];
		const outer = [DYNAMIC, { options: [{ key: 'x', inputs: { required: { b: inner } } }] }];
		const known = { A: { input: { required: { a: outer, bare: [DYNAMIC] } } } };
		const limitsFor = (inputs: Record<string, unknown>) => inputsOf(oneNode('A', inputs), known).map(({ limits }) => limits);
		expect(limitsFor({ a: 'x', 'a.b': 'y', 'a.b.c': 1 })).toEqual([{ choices: ['x'] }, { choices: ['y'] }, { max: 9 }]);
		expect(limitsFor({ a: 'gone', 'a.b': 'y', 'bare.b': 1 })).toEqual([{ choices: ['x'] }, undefined, undefined]);
	});

	it('of definitions that no server should give are those of the value', () => {
		const broken = {
			'1': graphs.node('Broken', undefined, { a: 1, b: 'x', c: true, d: 2, e: 3, f: 4 }),
			'2': graphs.node('Empty', undefined, { a: 1 }),
			'3': graphs.node('__proto__', undefined, { constructor: 1 }),
		};
		expect(kindsIn(broken, definitions)).toBe('number text boolean number integer number number number');
		expect(outputNodesOf(broken, definitions)).toEqual([]);
	});
});

describe('files', () => {
	const kindsOf = (graph: ApiGraph, known?: typeof definitions) =>
		Object.fromEntries(fileInputsOf(graph, known).map(({ name, limits }) => [name, limits?.fileKind]));

	it('are known by the flags of definitions', () => {
		const graph = {
			'1': graphs.node('LoadClip', undefined, { clip: 'x', picture: 'x', thing: 'x', folder: 'x', other: 'x' }),
			'2': graphs.node('MaskPainter', undefined, { paint: '' }),
		};
		expect(kindsOf(graph, definitions)).toEqual({
			'1.clip': 'video',
			'1.picture': 'image',
			'1.thing': 'any',
			'1.folder': 'any',
			'2.paint': 'mask',
		});
		expect(kindsOf(graph)).toEqual({});
	});

	it('are known by class, by the name of the file that stands there, and by a reference', () => {
		expect(kindsOf(graphs.inpaint)).toEqual({ '1.image': 'image', '2.image': 'mask' });
		expect(kindsOf(graphs.inpaint, definitions)).toEqual({ '1.image': 'image', '2.image': 'mask' });
		const graph = {
			'1': graphs.node('VHS_LoadVideo', undefined, { video: '' }),
			'2': graphs.node('Theirs', undefined, {
				what: 'song.flac [input]',
				where: 'https://a.example/b.png',
				model: 'a.safetensors',
				ref: { __type: 'core/ASSET', info: {} },
			}),
			'3': graphs.node('SaveThing', undefined, { file: 'out.png' }),
		};
		expect(kindsOf(graph)).toEqual({ '1.video': 'video', '2.what': 'audio', '2.ref': 'any' });
	});

	it.each([
		['image', 'LoadImageOutput.image'],
		['audio', 'LoadAudio.audio VHS_LoadAudioUpload.audio'],
		['video', 'LoadVideo.file VHS_LoadVideoFFmpeg.video'],
		['any', 'Load3D.model_file Load3DAnimation.model_file Load3DAdvanced.model_file'],
		['any', 'LoadLatent.latent GeminiInputFiles.file OpenAIInputFiles.file'],
	])('of the kind %s are taken by %s', (kind, inputs) => {
		for (const [className = '', name = ''] of inputs.split(' ').map((one) => one.split('.')))
			expect(kindsOf(oneNode(className, { [name]: '' }))).toEqual({ [`1.${name}`]: kind });
	});

	it.each([
		['image', ['a.png', 'a.JPG', 'a.jpeg', 'a.tif', 'a.tiff', 'a.png [temp]', `${'a'.repeat(251)}.png`]],
		['audio', ['a.flac', 'a.wav [output]']],
		['video', ['a.mp4', 'a.webm']],
		['any', ['a.glb', 'a.stl']],
		[undefined, ['a.png.zip', 'a.flac.zip', 'a.mp4.zip', 'a.glb.zip', `${'a'.repeat(252)}.png`, 'a: b.png', '%date%.png', 'a\nb.png']],
	])('of the kind %s are known by the endings of names', (kind, values) => {
		for (const value of values) expect(Object.values(kindsOf(oneNode('A', { x: value })))).toEqual(kind === undefined ? [] : [kind]);
	});

	it.each<[takesNone: boolean, className: string, input: string, definition: unknown[] | undefined]>([
		[true, 'A', 'prefix', undefined],
		[true, 'A', 'name_suffix', undefined],
		[false, 'A', 'prefixes', undefined],
		[true, 'SaveThing', 'folder', undefined],
		[false, 'SaveThing', 'thing', undefined],
		[false, 'A', 'folder', undefined],
		[true, 'A', 'x', ['STRING', { multiline: true }]],
		[false, 'A', 'x', ['STRING', {}]],
		[false, 'A', 'x', ['STRING', { multiline: true, image_upload: true }]],
		[true, 'A', 'x', [['model.safetensors', 'other']]],
		[false, 'A', 'x', [['none', 'a.png']]],
		[false, 'A', 'x', [[]]],
		[false, 'A', 'x', ['IMAGE', { options: ['a'] }]],
	])('none (%s) can go to %s.%s with the definition %j', (takesNone, className, input, entry) => {
		const known = entry === undefined ? {} : defining(className, input, entry);
		expect(takesNoFile(graphs.node(className, undefined, {}), input, known)).toBe(takesNone);
	});

	it.each<[offered: string[] | undefined, definition: unknown[] | undefined]>([
		[['a.png', '7'], [['a.png', 7]]],
		[undefined, ['STRING', { options: ['a.png'] }]],
		[undefined, undefined],
	])('that are offered are %p with the definition %j', (offered, entry) => {
		const known = entry === undefined ? {} : defining('A', 'x', entry);
		expect(offeredFiles(known, graphs.node('A', undefined, {}), 'x')).toEqual(offered);
	});
});

describe('output nodes', () => {
	it('are those that save or show, previews apart', () => {
		expect(outputNodesOf(graphs.inpaint)).toEqual([
			{ nodeId: '9', title: 'Look', label: 'Look', className: 'PreviewImage', isTemporary: true },
			{ nodeId: '10', title: 'Result', label: 'Result', className: 'SaveImage', isTemporary: false },
		]);
		expect(outputNodesOf(graphs.audio, definitions).map(({ nodeId }) => nodeId)).toEqual(['59']);
	});

	it('are what definitions say, and without them also what nothing comes after', () => {
		const graph = {
			'1': graphs.node('Theirs', 'A', { a: ['2', 0], n: 1 }),
			'2': graphs.node('Maker', 'A', { n: 1 }),
			'3': graphs.node('VHS_VideoCombine', 'A', { images: ['2', 0], rate: 8, save_output: false }),
			'4': graphs.node('PreviewAny', 'Text', { source: ['2', 0] }),
		};
		expect(outputNodesOf(graph).map(({ label, isTemporary }) => [label, isTemporary])).toEqual([
			['A (#1)', false],
			['A (#3)', true],
			['Text', false],
		]);
		const known = { Theirs: { output_node: false }, Maker: { output_node: true } };
		expect(outputNodesOf(graph, known).map(({ nodeId }) => nodeId)).toEqual(['2', '3', '4']);
	});

	it('depend on themselves and on all nodes that their inputs come from, circles as well', () => {
		expect([...nodesBehind(graphs.inpaint, ['8', 'gone'])].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
		const circle = {
			'1': graphs.node('A', undefined, { a: ['2', 0], n: 1 }),
			'2': graphs.node('A', undefined, { a: ['1', 0], b: ['x', 0] }),
		};
		expect([...nodesBehind(circle, ['1'])]).toEqual(['1', '2']);
	});
});

describe('findInput', () => {
	it.each([
		['by id', graphs.textToImage, '6.text', '6.text'],
		['by id with a dot in the input', graphs.dottedTitles, '2.resize_type.width', '2.resize_type.width'],
		['by an id of a subgraph', graphs.subgraphIds, '12:7:1.seed', '12:7:1.seed'],
		['by label', graphs.chineseTitles, '正向提示词 · text', '1.text'],
		['by title', graphs.chineseTitles, ' 正向提示词.text ', '1.text'],
		['by label without spaces', graphs.chineseTitles, '正向提示词·text', '1.text'],
		['by label with a space before', graphs.chineseTitles, '正向提示词 ·text', '1.text'],
		['by label with a space behind', graphs.chineseTitles, '正向提示词· text', '1.text'],
		['by label over two lines', graphs.chineseTitles, '正向提示词  ·\n\ntext', '1.text'],
		['by label with the id', graphs.textToImage, 'CLIP Text Encode (Prompt) (#7) · text', '7.text'],
		['by label with an id that is needed no more', graphs.chineseTitles, '采样器 (#3) · seed', '3.seed'],
		['by a title with dots', graphs.dottedTitles, 'v1.5 · prompt.text', '1.text'],
		['by id, though a title looks like one', graphs.dottedTitles, '1.text', '1.text'],
		['by class where there is no title', graphs.noTitles, 'EmptyLatentImage.width', '4.width'],
		['by class under a title', graphs.inpaint, 'LoadImageMask · channel', '2.channel'],
	])('finds an input %s', (_name, graph, name, found) => {
		expect(findInput(graph, name).name).toBe(found);
	});

	it('tells several of one name apart by their ids', () => {
		expect(faultOf(() => findInput(graphs.noTitles, 'CLIPTextEncode · text'))).toEqual({
			fault: 'ambiguous_input',
			name: 'CLIPTextEncode · text',
			inputs: ['1.text (CLIPTextEncode (#1) · text)', '2.text (CLIPTextEncode (#2) · text)'],
		});
	});

	it.each(['6.txt', 'Positiv.text', 'LoadCheckpoint.ckpt_name', '6', '', '.', 'constructor', '__proto__.text'])('knows no %j', (name) => {
		const graph = { ...graphs.textToImage, '6': graphs.node('CLIPTextEncode', 'Positive', { text: 'x' }) };
		expect(faultOf(() => findInput(graph, name))).toMatchObject({ fault: 'no_such_input', name });
	});

	it('names what is nearest', () => {
		const nearest = (graph: ApiGraph, name: string) => (faultOf(() => findInput(graph, name)) as { near: string[] }).near;
		expect(nearest(graphs.textToImage, 'KSampler · sed')).toContain('3.seed (KSampler · seed)');
		expect(nearest(graphs.textToImage, '6.txt')).toContainEqual(expect.stringMatching(/^6\.text/));
		const long = 'x'.repeat(110);
		const graph = oneNode('A', { [`${long}y${'z'.repeat(99)}`]: 1, other: 1, seed: 1 });
		expect(nearest(graph, `1.${long}v${'u'.repeat(99)}`)).toHaveLength(1);
	});

	it('says from where the value of a linked input comes, and what can be changed there', () => {
		expect(faultOf(() => findInput(graphs.video, 'Positive · text'))).toEqual({
			fault: 'linked_input',
			name: 'Positive · text',
			from: '90',
			title: 'What Happens',
			inputs: ['90.value (What Happens · value)'],
		});
		expect(faultOf(() => findInput(graphs.allLinked, '1.vae'))).toMatchObject({ fault: 'linked_input', from: '2', inputs: [] });
		expect(faultOf(() => findInput(oneNode('A', { x: ['gone', 0] }), '1.x'))).toMatchObject({
			fault: 'linked_input',
			from: 'gone',
			title: undefined,
		});
	});
});

describe('what becomes of a value', () => {
	const of = (kind: GraphInput['kind'], limits?: GraphInput['limits'], role: GraphInput['role'] = 'other'): GraphInput => ({
		nodeId: '1',
		input: 'x',
		name: '1.x',
		label: 'Node · x',
		value: undefined,
		kind,
		role,
		limits,
	});

	/** As it is sent. */
	const sent = (input: GraphInput, value: unknown): string => exactText(convertValue(input, value));

	describe('a value becomes what its input takes', () => {
		it.each<[GraphInput['kind'], unknown, string]>([
			['text', 'a fox', '"a fox"'],
			['text', '', '""'],
			['text', 7, '"7"'],
			['text', true, '"true"'],
			['text', '18446744073709551615', '"18446744073709551615"'],
			['text', parseExact('18446744073709551615'), '"18446744073709551615"'],
			['text', 9007199254740993n, '"9007199254740993"'],
			['integer', 7, '7'],
			['integer', ' 7 ', '7'],
			['integer', '-3', '-3'],
			['integer', '7.0', '7'],
			['integer', '1e3', '1000'],
			['integer', '18446744073709551615', '18446744073709551615'],
			['integer', 9007199254740993n, '9007199254740993'],
			['number', '1.5', '1.5'],
			['number', 2, '2'],
			['number', '0.1234567890123456789012', '0.1234567890123456789012'],
			['boolean', true, 'true'],
			['boolean', 'False', 'false'],
			['boolean', 'yes', 'true'],
			['boolean', ' no', 'false'],
			['boolean', 'on', 'true'],
			['boolean', 'off', 'false'],
			['boolean', '1', 'true'],
			['boolean', 1, 'true'],
			['boolean', '0', 'false'],
			['json', '{"a": 18446744073709551615}', '{"a":18446744073709551615}'],
			['json', ['euler'], '{"__value__":["euler"]}'],
			['json', '["6", 0]', '{"__value__":["6",0]}'],
		])('%s takes %p', (kind, value, json) => {
			expect(sent(of(kind), value)).toBe(json);
		});

		it.each<[GraphInput['kind'], unknown[]]>([
			['text', [{ a: 1 }, ['a'], null, undefined]],
			['integer', ['1,5', '1.5', 1.5, '', '0x10', true, 'ten', null, { a: 1 }, 'Infinity']],
			['number', ['1,5', 'NaN', '', false]],
			['boolean', ['maybe', '', 2, null, [true]]],
			['json', ['{', null, undefined]],
		])('%s refuses each of %p', (kind, values) => {
			const expected = { fault: 'wrong_value', label: 'Node · x', expected: kind };
			for (const value of values)
				expect([value, faultOf(() => convertValue(of(kind), value))]).toEqual([value, expect.objectContaining(expected)]);
		});

		it.each<[GraphInput['kind'], number]>([
			['integer', 18446744073709552000],
			['number', 9007199254740994],
			['text', 18446744073709552000],
			['number', NaN],
		])('%s refuses %p, which was another number once', (kind, value) => {
			expect(faultOf(() => convertValue(of(kind), value))).toMatchObject({ fault: 'value_lost_digits', left: String(value) });
		});
	});

	describe('ranges', () => {
		it.each([
			['0', { min: 1, max: 10 }],
			['11', { min: 1, max: 10 }],
			['-1', { min: 0 }],
			['18446744073709551616', { min: 0, max: '18446744073709551615' }],
			['-9007199254740994', { min: '-9007199254740993' }],
		])('%s is outside of %p', (value, limits) => {
			expect(faultOf(() => convertValue(of('integer', limits), value))).toMatchObject({ fault: 'value_out_of_range', value });
		});

		it.each([
			['18446744073709551615', { min: 0, max: '18446744073709551615' }],
			['18446744073709551615', { min: 0, max: 18446744073709552000 }],
			['1', { min: 1, max: 1 }],
			['-9007199254740993', { min: '-9007199254740993' }],
		])('%s is inside of %p', (value, limits) => {
			expect(sent(of('integer', limits), value)).toBe(value);
		});

		it('bound what is not whole too, and steps do not', () => {
			expect(convertValue(of('number', { min: 0, max: 1, step: 0.5 }), '0.3')).toBe(0.3);
			expect(convertValue(of('number', { min: 0.5, max: 0.5 }), '0.5')).toBe(0.5);
			expect(faultOf(() => convertValue(of('number', { max: 1 }), 2))).toMatchObject({ min: undefined, max: '1' });
			expect(faultOf(() => convertValue(of('number', { min: 1 }), 0.5))).toMatchObject({ min: '1', max: undefined });
			expect(faultOf(() => convertValue(of('number', { min: 0, max: 1 }), 1.01))).toMatchObject({
				fault: 'value_out_of_range',
				min: '0',
				max: '1',
				value: '1.01',
			});
		});
	});

	describe('choices', () => {
		const sampler = (): GraphInput => findInput(graphs.textToImage, '3.sampler_name', definitions);
		const tile = (): GraphInput => findInput(graphs.booleansAndChoices, '1.tile', definitions);

		it('are taken as they are offered: numbers stay numbers, case is forgiven', () => {
			expect(convertValue(sampler(), 'heun')).toBe('heun');
			expect(convertValue(sampler(), ' Heun')).toBe('heun');
			expect(convertValue(tile(), '512')).toBe(512);
			expect(convertValue(tile(), 128)).toBe(128);
			expect(convertValue(of('choice', { choices: ['A', 'a'] }), 'a')).toBe('a');
			expect(faultOf(() => convertValue(of('choice'), 'a'))).toMatchObject({ fault: 'value_not_offered', offered: [] });
			expect(faultOf(() => convertValue(of('choice', { choices: ['A', 'a'] }), ' a'))).toMatchObject({ fault: 'value_not_offered' });
		});

		it('not offered are refused, with the nearest', () => {
			expect(faultOf(() => convertValue(sampler(), 'eulr'))).toMatchObject({
				fault: 'value_not_offered',
				value: '"eulr"',
				near: expect.arrayContaining(['euler']),
			});
			expect(faultOf(() => convertValue(tile(), 100))).toMatchObject({ fault: 'value_not_offered', offered: ['128', '256', '512'] });
		});

		it('without definitions are texts, and any text is taken', () => {
			expect(convertValue(findInput(graphs.textToImage, '3.sampler_name'), 'whatever')).toBe('whatever');
		});
	});

	describe('files', () => {
		const image = (): GraphInput => findInput(graphs.inpaint, '1.image', definitions);
		const asset = { __type: 'core/ASSET', info: { id: 'a' } };

		it('are names and references, however these come, and never checked against a list', () => {
			expect(convertValue(image(), 'just uploaded.png')).toBe('just uploaded.png');
			expect(convertValue(image(), asset)).toEqual(asset);
			expect(convertValue(image(), ` ${JSON.stringify(asset)}`)).toEqual(asset);
		});

		it.each([[''], [7], [{ id: 'a' }], ['{"id": 1'], [null], [['a.png']]])('are not %p', (value) => {
			expect(faultOf(() => convertValue(image(), value))).toMatchObject({ fault: 'wrong_value', expected: 'file' });
		});
	});

	test('what is shown of a wrong value is no more than it is called', () => {
		expect(faultOf(() => convertValue(of('integer'), { secret: 1 }))).toMatchObject({ given: 'an object' });
		expect(faultOf(() => convertValue(of('integer'), null))).toMatchObject({ given: 'nothing' });
		expect(faultOf(() => convertValue(of('integer'), undefined))).toMatchObject({ given: 'nothing' });
		expect(faultOf(() => convertValue(of('integer'), ['x']))).toMatchObject({ given: 'a list' });
		expect(faultOf(() => convertValue(of('integer'), 'x'))).toMatchObject({ given: '"x"' });
	});

	test('a seed goes out digit by digit, at the node that holds it', () => {
		const [seed] = inputsOf(graphs.linkedThrough, definitions).filter(({ nodeId, role }) => nodeId === '6' && role === 'seed');
		const changed = applyInputs(graphs.linkedThrough, { '6': { value: convertValue(seed as GraphInput, '9223372036854775807') } });
		expect(exactText(changed)).toContain('"value":9223372036854775807');
		expect(parseGraph(exactText(changed))['7']?.inputs.noise_seed).toEqual(['6', 0]);
	});
});
