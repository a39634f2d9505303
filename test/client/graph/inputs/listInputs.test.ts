import { type ApiGraph, type GraphInput, listFileInputs, listInputs, listSeeds, parseGraph } from '../../../../client';
import * as graphs from '../../../support/graphs';
import { defining, input, names, oneNode } from './support';

const firstTwo = (graph: ApiGraph): string => names(listInputs(graph).slice(0, 2));
const withRole = (graph: ApiGraph, role: GraphInput['role']): string => names(listInputs(graph).filter((one) => one.role === role));

describe('listInputs', () => {
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
		expect(names(listSeeds(graph))).toBe(seeds);
		expect(withRole(graph, 'size')).toBe(sizes);
		expect(names(listFileInputs(graph))).toBe(files);
	});

	it('leaves out viewers, which take no value', () => {
		const graph = {
			'1': graphs.node('Preview3D', 'View', { model_file: 'a.glb', image: '' }),
			'2': graphs.node('SaveGLB', 'Save', { filename_prefix: 'mesh', image: '', mesh: ['3', 0] }),
			'3': graphs.node('OwnClass', 'Own', { image: 'a fox' }),
		};
		expect(names(listInputs(graph))).toBe('1.model_file 2.filename_prefix 3.image');
	});

	it('puts prompts first, the negative one last of them, then seeds, sizes, and the rest in graph order', () => {
		expect(names(listInputs(graphs.textToImage))).toBe(
			'6.text 7.text 3.seed 5.width 5.height 5.batch_size 3.steps 3.cfg 3.sampler_name 3.scheduler 3.denoise 4.ckpt_name 9.filename_prefix',
		);
	});

	it('ranks a prompt as positive if a zeroed copy of it is the negative one', () => {
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

	it('a value that a node passes on has the role of the input that receives it', () => {
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
		expect(names(listSeeds(oneNode('A', inputs), { changedByEditor, ...(known && { definitions: luck }) }))).toBe(seeds);
	});

	const labelsOf = (graph: ApiGraph): string[] => listInputs(graph).map(({ label }) => label);
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

	it('leaves out linked inputs and widgets that exist only in the editor', () => {
		expect(listInputs(graphs.allLinked)).toEqual([]);
		expect(names(listInputs(graphs.inpaint))).not.toContain('upload');
		expect(names(listInputs(graphs.audio))).not.toContain('audioUI');
		const shown = ['videopreview', 'choose file to upload', 'choose video to upload', 'control_after_generate', 'control_before_generate'];
		expect(listInputs(oneNode('A', Object.fromEntries(shown.map((name) => [name, 'x']))))).toEqual([]);
		expect(names(listInputs(oneNode('Uploader', { upload: 'image' }), defining('Uploader', 'upload', ['STRING', {}])))).toBe('1.upload');
	});

	it('unwraps a value, and reads a list of two as a link only if it can be one', () => {
		expect(input(graphs.booleansAndChoices, '2.samplers').value).toEqual(['euler', 'heun']);
		expect(input(graphs.booleansAndChoices, '2.note')).toMatchObject({ value: 'wrapped', kind: 'text' });
		expect(names(listInputs(oneNode('A', { pair: [1, 'x'], three: [1, 2, 3], none: [null, 0], link: [1, 0] })))).toBe(
			'1.pair 1.three 1.none',
		);
	});

	it('keeps every digit', () => {
		expect(listInputs(parseGraph(graphs.longNumbersText))[0]).toMatchObject({
			name: '1.seed',
			kind: 'integer',
			value: { value: graphs.LONG_SEED },
		});
	});
});
