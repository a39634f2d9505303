import { type ApiGraph, type GraphInput, listFileInputs, listInputs, listSeeds, parseGraph } from '../../../../client';
import { chineseTitles, inpaint, linkedThrough, node, noTitles, textToImage } from '../../../support/graphs';
import { defining, exported, names, oneNode } from './support';

const SEED = '18446744073709551615';

const firstTwo = (graph: ApiGraph): string => names(listInputs(graph).slice(0, 2));
const withRole = (graph: ApiGraph, role: GraphInput['role']): string => names(listInputs(graph).filter((one) => one.role === role));

describe('listInputs', () => {
	it.each<[name: string, graph: ApiGraph, prompts: string, seeds: string, sizes: string, files: string]>([
		['text to image', textToImage, '6.text 7.text', '3.seed', '5.width 5.height 5.batch_size', ''],
		['a picture and its mask', inpaint, '6.text 5.text', '7.seed', '', '1.image 2.image'],
		[
			'video, with two samplers',
			exported('workflows/video-wan-image-to-video'),
			'6.text 7.text',
			'13.noise_seed 14.noise_seed',
			'8.width 8.height 8.length 8.batch_size',
			'4.image',
		],
		['audio', exported('workflows/audio-ace-song'), '2.tags 2.lyrics', '8.seed', '7.seconds 7.batch_size', ''],
		[
			'three instances of a subgraph',
			exported('subgraph/instances'),
			'3.text 10:20.text 13:20.text 14:20.text',
			'10:21.seed 13:21.seed 14:21.seed',
			'2.width 2.height 2.batch_size',
			'',
		],
		['Chinese titles', chineseTitles, '1.text 2.text', '3.seed', '', ''],
		['no titles', noTitles, '1.text 2.text', '', '4.width 4.height 4.batch_size', ''],
		['values that other nodes hold', linkedThrough, '1.string 2.string 15.string 11.value', '5.seed 6.value', '13.value 14.height', ''],
	])('finds the prompts, seeds, sizes and files of %s', (_name, graph, prompts, seeds, sizes, files) => {
		expect(withRole(graph, 'prompt')).toBe(prompts);
		expect(names(listSeeds(graph))).toBe(seeds);
		expect(withRole(graph, 'size')).toBe(sizes);
		expect(names(listFileInputs(graph))).toBe(files);
	});

	it('leaves out viewers, which take no value', () => {
		const graph = {
			'1': node('Preview3D', 'View', { model_file: 'a.glb', image: '' }),
			'2': node('SaveGLB', 'Save', { filename_prefix: 'mesh', image: '', mesh: ['3', 0] }),
			'3': node('OwnClass', 'Own', { image: 'a fox' }),
		};
		expect(names(listInputs(graph))).toBe('1.model_file 2.filename_prefix 3.image');
	});

	it('puts prompts first, the negative one last of them, then seeds, sizes, and the rest in graph order', () => {
		expect(names(listInputs(textToImage))).toBe(
			'6.text 7.text 3.seed 5.width 5.height 5.batch_size 3.steps 3.cfg 3.sampler_name 3.scheduler 3.denoise 4.ckpt_name 9.filename_prefix',
		);
	});

	it('ranks a prompt as positive if a zeroed copy of it is the negative one', () => {
		const graph = {
			'1': node('CLIPTextEncode', 'Bad', { text: 'blurry' }),
			'2': node('CLIPTextEncode', 'Good', { text: 'a fox' }),
			'3': node('ConditioningZeroOut', 'Zero', { conditioning: ['2', 0] }),
			'4': node('ConditioningCombine', 'Both', { conditioning_1: ['1', 0], conditioning_2: ['3', 0] }),
			'5': node('ControlNetApplyAdvanced', 'Control', { positive: ['2', 0], negative: ['4', 0] }),
			'6': node('KSampler', 'Sampler', { seed: 1, positive: ['5', 0], negative: ['5', 1] }),
		};
		expect(firstTwo(graph)).toBe('2.text 1.text');
		const throughArea = {
			...graph,
			'5': node('ConditioningSetArea', 'Area', { conditioning: ['2', 0] }),
			'6': node('KSampler', 'Sampler', { seed: 1, positive: ['5', 0], negative: ['4', 0] }),
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

	it('a value that a node passes on has the role of the input that receives it', () => {
		const held = Object.fromEntries(['value', 'value2', 'value_12', 'value_h', 'values', 'myvalue', 'value_x'].map((name) => [name, 'x']));
		const graph = { '1': node('Holder', undefined, held), '2': node('CLIPTextEncode', undefined, { text: ['1', 0] }) };
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
		expect(names(listSeeds(oneNode('A', inputs), { changedByEditor, ...(known && { definitions: luck }) }))).toBe(seeds);
	});

	const labelsOf = (graph: ApiGraph): string[] => listInputs(graph).map(({ label }) => label);
	const titled = (...titles: string[]): ApiGraph => Object.fromEntries(titles.map((title, at) => [at, node('A', title, { a: 1 })]));
	const long = 'x'.repeat(80);

	it.each<[ApiGraph, string[]]>([
		[textToImage, ['CLIP Text Encode (Prompt) (#6) · text', 'CLIP Text Encode (Prompt) (#7) · text', 'KSampler · seed']],
		[noTitles, ['CLIPTextEncode (#1) · text', 'CLIPTextEncode (#2) · text', 'EmptyLatentImage · width']],
		[chineseTitles, ['正向提示词 · text']],
		[titled('two\nlines  and spaces ', 'x'.repeat(500)), ['two lines and spaces · a', `${long}… · a`]],
		[titled(`${long.slice(1)} y`, long, ' ', ''), [`${long.slice(1)}… · a`, `${long} · a`, 'A (#2) · a', 'A (#3) · a']],
	])('names nodes of one title by their ids, and others by title or class: %#', (graph, labels) => {
		expect(labelsOf(graph).slice(0, labels.length)).toEqual(labels);
	});

	it('leaves out linked inputs and widgets that exist only in the editor', () => {
		expect(listInputs(oneNode('VAEDecode', { samples: ['2', 0], vae: ['2', 1] }))).toEqual([]);
		const shown = [
			'upload',
			'audioUI',
			'videopreview',
			'choose file to upload',
			'choose video to upload',
			'control_after_generate',
			'control_before_generate',
		];
		expect(listInputs(oneNode('A', Object.fromEntries(shown.map((name) => [name, 'x']))))).toEqual([]);
		expect(names(listInputs(oneNode('Uploader', { upload: 'image' }), defining('Uploader', 'upload', ['STRING', {}])))).toBe('1.upload');
	});

	it('unwraps a value, and reads a list of two as a link only if it can be one', () => {
		const wrapped = oneNode('A', { samplers: { __value__: ['euler', 'heun'] }, note: { __value__: 'wrapped' } });
		expect(listInputs(wrapped)).toMatchObject([{ value: ['euler', 'heun'] }, { value: 'wrapped', kind: 'text' }]);
		expect(names(listInputs(oneNode('A', { pair: [1, 'x'], three: [1, 2, 3], none: [null, 0], link: [1, 0] })))).toBe(
			'1.pair 1.three 1.none',
		);
	});

	it('keeps every digit', () => {
		const graph = parseGraph(
			`{"1":{"class_type":"KSampler","inputs":{"seed":${SEED}}},"2":{"class_type":"A","inputs":{"n":-9007199254740993}}}`,
		);
		expect(listInputs(graph)).toMatchObject([
			{ name: '1.seed', kind: 'integer', value: { value: SEED } },
			{ name: '2.n', kind: 'number', value: { value: '-9007199254740993' } },
		]);
	});
});
