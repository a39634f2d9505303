import { definitions, graphText, recordingOf } from '../support/recordings';
import { converted } from '../support/converted';
import { file } from '../support/sockets';

/** Inputs that no definition has. The scripts of the pack send them, and its server needs them. */
const BEYOND_DEFINITIONS: Array<[graph: string, node: string, inputs: string[]]> = [
	['packs/video-combine', '2', ['pix_fmt', 'crf', 'save_metadata', 'trim_to_audio']],
	['packs/video-combine-2023', '2', ['pix_fmt', 'crf', 'save_metadata', 'trim_to_audio']],
	['packs/video-combine-2023', '3', ['lossless']],
	['packs/power-lora-loader', '2', ['lora_1', 'lora_2']],
	['packs/power-lora-loader', '3', ['lora_1']],
	['packs/growing-sockets', '4', ['image_3']],
	['packs/growing-sockets', '5', ['input2']],
	['packs/rgthree-others', '3', ['any_01', 'any_02']],
];

const inputsOf = (name: string, node: string): Record<string, unknown> =>
	converted(graphText(name), definitions).output?.[node]?.inputs ?? {};

describe('well-known packs', () => {
	it.each(BEYOND_DEFINITIONS)('%s: node %s sends what the pack’s own scripts send beside its definition', (name, node, inputs) => {
		const theirs = recordingOf(name)?.output[node]?.inputs ?? {};
		for (const input of inputs) {
			expect(theirs).toHaveProperty([input]);
			expect(inputsOf(name, node)[input]).toEqual(theirs[input]);
		}
	});

	it('sends neither previews of videos nor buttons', () => {
		for (const node of ['1', '2']) expect(inputsOf('packs/video-combine', node)).not.toHaveProperty('videopreview');
		expect(Object.keys(inputsOf('packs/power-lora-loader', '2')).sort()).toEqual(['clip', 'lora_1', 'lora_2', 'model']);
	});

	const oneNode = (type: string, widgets_values: unknown): string => JSON.stringify(file([{ id: 1, type, widgets_values }]));

	it('takes the file of a LoRA that was saved with its picture', () => {
		const { output } = converted(oneNode('LoraLoader|pysssss', [{ content: 'b.safetensors', image: 'loras/b.png' }, 0.7, 1]), definitions);
		expect(output?.['1']?.inputs).toEqual({ lora_name: 'b.safetensors', strength_model: 0.7, strength_clip: 1 });
	});

	it.each([
		['256x?', 256, 0],
		['?x256', 0, 256],
		['12x345', 12, 345],
		['a12x34', 9, 9],
		['12x34a', 9, 9],
		['12', 9, 9],
		['Custom Width', 9, 0],
		['Custom Height', 0, 9],
		['Disabled', 0, 0],
		[5, 9, 9],
	])('reads the size %j of older files of VideoHelperSuite as %i and %i', (force_size, custom_width, custom_height) => {
		const { output } = converted(
			oneNode('VHS_LoadVideo', { video: 'a.mp4', force_rate: 0, force_size, custom_width: 9, custom_height: 9 }),
			definitions,
		);
		expect(output?.['1']?.inputs).toMatchObject({ video: 'a.mp4', custom_width, custom_height, select_every_nth: 1 });
		const list = converted(oneNode('VHS_LoadVideo', ['a.mp4', 3, force_size, 4, 5, 6]), definitions).output?.['1']?.inputs;
		expect(list).toMatchObject({ video: 'a.mp4', force_rate: 3, frame_load_cap: 4, skip_first_frames: 5, select_every_nth: 6 });
	});

	it('reads a list of VideoHelperSuite that is too short in the order of the definition', () => {
		for (const [type, values] of [
			['VHS_LoadVideo', ['a.mp4']],
			['VHS_LoadVideoPath', ['b.mp4', 3]],
		] as const)
			expect(converted(oneNode(type, values), definitions).output?.['1']?.inputs).toMatchObject({ video: values[0] });
	});

	it.each<[shown: string, properties: object, rows: object[]]>([
		['is not shown', {}, [{ strength: 0.5 }, { strength: 0.5 }]],
		[
			'is shown',
			{ 'Show Strengths': 'Separate Model & Clip' },
			[
				{ strength: 0.5, strengthTwo: 1 },
				{ strength: 0.5, strengthTwo: 0.25 },
			],
		],
	])('sends the second strength of a LoRA only if it %s', (_, properties, rows) => {
		const row = { on: true, lora: 'a.safetensors', strength: 0.5 };
		const widgets_values = [{}, { type: 'header' }, { ...row, strengthTwo: null }, { ...row, strengthTwo: 0.25 }, ''];
		const node = { id: 1, type: 'Power Lora Loader (rgthree)', properties, widgets_values };
		const { output } = converted(JSON.stringify(file([node])), definitions);
		const [lora_1, lora_2] = rows.map((values) => ({ on: true, lora: 'a.safetensors', ...values }));
		expect(output?.['1']?.inputs).toEqual({ lora_1, lora_2 });
	});

	it('refuses a node of a pack that saved values which its definition does not describe', () => {
		const own = {
			...definitions,
			Rows: { input: { required: { count: ['INT', { default: 1 }] } }, output: [], python_module: 'custom_nodes.rows' },
		};
		expect(converted(oneNode('Rows', [1, { row: 'a' }]), own).refusals).toMatchObject([{ refusal: 'unknown_widgets', nodeId: '1' }]);
		expect(converted(oneNode('Rows', [3]), own).output?.['1']?.inputs).toEqual({ count: 3 });
	});
});
