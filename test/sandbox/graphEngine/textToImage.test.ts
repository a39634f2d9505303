import sharp from 'sharp';
import { createGraphEngine, nodeDefinition, type ApiGraph } from '../../../sandbox/graphEngine';
import { readJson } from '../../../sandbox/exactJson';
import { imageToImage, inpaint, textToImage } from '../../support/stockGraphs';
import { node, pixelsOf, pngOf, run, solid, type Pixels } from './harness';

/** @param changes node id → inputs that are other than in the stock graph. */
function changed(graph: ApiGraph, changes: Record<string, Record<string, unknown>> = {}): ApiGraph {
	return Object.fromEntries(Object.entries(graph).map(([id, one]) => [id, { ...one, inputs: { ...one.inputs, ...changes[id] } }]));
}

async function pictureOf(graph: ApiGraph, files: Record<string, Buffer> = {}): Promise<Pixels> {
	const { result, outputs } = await run(graph, { files });
	expect(result).toEqual({ status: 'succeeded' });
	return await pixelsOf(outputs[0]?.bytes as Buffer);
}

/** The mean of how far the values of two pictures are apart. */
const distance = (one: Pixels, other: Pixels): number =>
	one.rgb.reduce((sum, value, place) => sum + Math.abs(value - (other.rgb[place] as number)), 0) / one.rgb.length;

const small = { '5': { width: 96, height: 64 } };
const drawn = async (changes: Record<string, Record<string, unknown>> = {}): Promise<Pixels> =>
	await pictureOf(changed(textToImage, { ...small, ...changes }));

test('the stock graph draws a picture of its size: the same one each time', async () => {
	const [first, again] = [await drawn(), await drawn()];
	expect([first.width, first.height]).toEqual([96, 64]);
	expect(again).toEqual(first);
});

test.each<[string, number, Record<string, Record<string, unknown>>]>([
	['prompt', 15, { '6': { text: 'a red fox' } }],
	['seed', 5, { '3': { seed: 7 } }],
	['checkpoint', 1, { '4': { ckpt_name: 'midnight_v1.safetensors' } }],
	['negative prompt', 0.01, { '7': { text: 'people' } }],
	['steps', 0.01, { '3': { steps: 40 } }],
	['cfg', 1, { '3': { cfg: 2 } }],
	['sampler', 0.01, { '3': { sampler_name: 'ddim' } }],
	['scheduler', 0.01, { '3': { scheduler: 'karras' } }],
])('another %s makes another picture', async (_name, least, changes) => {
	expect(distance(await drawn(), await drawn(changes))).toBeGreaterThan(least);
});

/** The share of its pixels that are of this kind. */
const shareOf = ({ rgb }: Pixels, isOfKind: (red: number, green: number, blue: number) => boolean): number => {
	const pixels = Array.from({ length: rgb.length / 3 }, (_none, index) => rgb.slice(index * 3, index * 3 + 3));
	return pixels.filter(([red = 0, green = 0, blue = 0]) => isOfKind(red, green, blue)).length / pixels.length;
};
const isOfFox = (red: number, green: number, blue: number): boolean => red > 140 && red > green * 2 && red > blue * 2;
const isOfSnow = (red: number, green: number, blue: number): boolean => red > 170 && blue > red && green > red;

test('who asks for a red fox in the snow sees one, and another one for another seed', async () => {
	const prompt = { '6': { text: 'a red fox in the snow' } };
	const [one, other] = [await drawn(prompt), await drawn({ ...prompt, '3': { seed: 7 } })];
	for (const picture of [one, other]) {
		expect(shareOf(picture, isOfFox)).toBeGreaterThan(0.08);
		expect(shareOf(picture, isOfSnow)).toBeGreaterThan(0.02);
	}
	expect(distance(one, other)).toBeGreaterThan(10);
	const without = await drawn({ '6': { text: 'a landscape at night' } });
	expect([shareOf(without, isOfFox), shareOf(without, isOfSnow)]).toEqual([0, 0]);
});

test('prompts of other scripts make pictures of their own', async () => {
	const [cat, dog, nothing] = [
		await drawn({ '6': { text: '一只猫' } }),
		await drawn({ '6': { text: '一只狗' } }),
		await drawn({ '6': { text: '' } }),
	];
	expect(distance(cat, dog)).toBeGreaterThan(10);
	expect(distance(cat, nothing)).toBeGreaterThan(10);
});

test('seeds that no double tells apart make two pictures, and a text output says them digit by digit', async () => {
	const seeded = (seed: string): ApiGraph => {
		const seedNode = readJson(`{"class_type": "PrimitiveInt", "inputs": {"value": ${seed}}}`) as ApiGraph[string];
		return {
			...changed(textToImage, { ...small, '3': { seed: ['10', 0] } }),
			'10': seedNode,
			'11': node('PreviewAny', { source: ['10', 0] }),
		};
	};
	const [one, other] = [await run(seeded('9007199254740993')), await run(seeded('9007199254740992'))];
	const of = ({ outputs }: typeof one, type: string) => outputs.find(({ kind }) => kind === type)?.bytes as Buffer;
	expect(String(of(one, 'text'))).toBe('9007199254740993');
	expect(distance(await pixelsOf(of(one, 'image')), await pixelsOf(of(other, 'image')))).toBeGreaterThan(5);
});

test('a batch holds as many pictures, no two alike', async () => {
	const { outputs } = await run(changed(textToImage, { '5': { width: 64, height: 64, batch_size: 3 } }));
	const pictures = await Promise.all(outputs.map(async ({ bytes }) => await pixelsOf(bytes)));
	expect(pictures).toHaveLength(3);
	expect(new Set(pictures.map(({ rgb }) => rgb.join())).size).toBe(3);
});

test('sizes are whole eights, as latents are', async () => {
	const { width, height } = await drawn({ '5': { width: 100, height: 79 } });
	expect([width, height]).toEqual([96, 72]);
});

test('a sampler tells each of its steps with a preview, as slowly as it is told', async () => {
	const engine = createGraphEngine({ samplerStepMs: () => 20 });
	const startedAt = Date.now();
	const { events } = await run(changed(textToImage, { ...small, '3': { steps: 5 } }), { engine });
	expect(Date.now() - startedAt).toBeGreaterThanOrEqual(95);
	const steps = events.flatMap((event) => (event.kind === 'progress' ? [[event.nodeId, event.value, event.max]] : []));
	expect(steps).toEqual([1, 2, 3, 4, 5].map((value) => ['3', value, 5]));
	const previews = events.flatMap((event) => (event.kind === 'preview' ? [event] : []));
	expect(previews).toHaveLength(5);
	expect(await sharp(previews[4]?.data).metadata()).toMatchObject({ format: 'jpeg', width: 96, height: 64 });
});

/** All its steps would take twice as long. */
const STOPPED_WITHIN_MS = 5_000;

test(
	'a sampler stops between two steps',
	async () => {
		const controller = new AbortController();
		const { result, events } = await run(changed(textToImage, { ...small, '3': { steps: 10_000 } }), {
			signal: controller.signal,
			onEvent: (event) => event.kind === 'progress' && event.value === 2 && controller.abort(),
		});
		expect(result).toEqual({ status: 'canceled' });
		expect(events.filter(({ kind }) => kind === 'progress')).toHaveLength(2);
	},
	STOPPED_WITHIN_MS,
);

const gray = async (alpha: (pixel: number) => number): Promise<Buffer> =>
	await pngOf(
		80,
		40,
		4,
		Array.from({ length: 80 * 40 * 4 }, (_none, place) => (place % 4 === 3 ? alpha(Math.floor(place / 4)) : 100)),
	);

test('a picture shines through as far as denoise leaves it', async () => {
	const files = { 'example.png': await gray(() => 255) };
	const asLoaded = { width: 80, height: 40, rgb: Array<number>(80 * 40 * 3).fill(100) };
	const with_ = async (denoise: number): Promise<Pixels> => await pictureOf(changed(imageToImage, { '3': { denoise } }), files);
	const [none, some, all] = [await with_(0), await with_(0.3), await with_(1)];
	expect(none).toEqual(asLoaded);
	expect(distance(some, asLoaded) / distance(all, asLoaded)).toBeCloseTo(0.3, 1);
});

test('only what a mask covers is drawn anew, and a little around it', async () => {
	const left = (pixel: number): boolean => pixel % 80 < 40;
	const files = { 'example.png': await gray((pixel) => (left(pixel) ? 0 : 255)) };
	const touched = async (graph: ApiGraph): Promise<number[]> => {
		const { rgb } = await pictureOf(graph, files);
		return [...new Set(rgb.flatMap((value, place) => (value === 100 ? [] : [Math.floor(place / 3) % 80])))].sort(
			(one, other) => one - other,
		);
	};
	const columns = (count: number) => Array.from({ length: count }, (_none, column) => column);
	expect(await touched(inpaint)).toEqual(columns(46));
	expect(await touched(changed(inpaint, { '26': { grow_mask_by: 0 } }))).toEqual(columns(40));
	const masked = {
		...imageToImage,
		'3': { ...imageToImage['3'], inputs: { ...imageToImage['3'].inputs, latent_image: ['13', 0] } },
		'13': node('SetLatentNoiseMask', { samples: ['12', 0], mask: ['10', 1] }),
	};
	expect(await touched(masked)).toEqual(columns(40));
});

test('a latent that nothing drew decodes to gray, and one of a picture holds its colors', async () => {
	const empty = await pictureOf({ ...changed(textToImage, small), '8': node('VAEDecode', { samples: ['5', 0], vae: ['4', 2] }) });
	expect(new Set(empty.rgb)).toEqual(new Set([127]));
	const { outputs } = await run({
		'4': textToImage['4'],
		image: solid(16, 8, 0xff0000),
		encode: node('VAEEncode', { pixels: ['image', 0], vae: ['4', 2] }),
		save: node('SaveLatent', { samples: ['encode', 0], filename_prefix: 'latent' }),
	});
	const bytes = outputs[0]?.bytes as Buffer;
	const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE(0))).toString()) as Record<string, { shape: number[] }>;
	expect(header.latent_tensor?.shape).toEqual([1, 4, 1, 2]);
	const values = Array.from({ length: 8 }, (_none, place) => bytes.readFloatLE(bytes.length - 32 + place * 4));
	expect(values.map((value) => Number(value.toFixed(3)))).toEqual([1, 1, -1, -1, -1, -1, -0.333, -0.333]);
});

const problemsOf = (changes: Record<string, Record<string, unknown>>) => createGraphEngine().validate(changed(textToImage, changes))?.nodes;

test.each<[string, string, string, unknown, string]>([
	[
		'value_bigger_than_max',
		'3',
		'seed',
		readJson('18446744073709551616'),
		'Value 18446744073709551616 bigger than max of 18446744073709551615: seed',
	],
	['value_smaller_than_min', '3', 'seed', -1, 'Value -1 smaller than min of 0: seed'],
	['invalid_input_type', '3', 'seed', '1.5', 'Failed to convert an input value to a INT value: seed, "1.5"'],
	['invalid_input_type', '3', 'cfg', 'high', 'Failed to convert an input value to a FLOAT value: cfg, "high"'],
	['value_bigger_than_max', '3', 'denoise', 1.5, 'Value 1.5 bigger than max of 1: denoise'],
	['value_not_in_list', '3', 'sampler_name', 'eular', "Value not in list: sampler_name: 'eular' not in (list of length 44)"],
	[
		'value_not_in_list',
		'4',
		'ckpt_name',
		'gone.safetensors',
		"Value not in list: ckpt_name: 'gone.safetensors' not in ['v1-5-pruned-emaonly-fp16.safetensors', 'daylight_v2.safetensors', 'midnight_v1.safetensors']",
	],
	['value_smaller_than_min', '5', 'width', 8, 'Value 8 smaller than min of 16: width'],
	['required_input_missing', '6', 'text', undefined, 'Required input is missing: text'],
	[
		'return_type_mismatch',
		'3',
		'positive',
		['4', 1],
		'Return type mismatch between linked nodes: positive, received_type(CLIP) mismatch input_type(CONDITIONING)',
	],
])('%s at %s.%s', (type, nodeId, field, value, reason) => {
	expect(problemsOf({ [nodeId]: { [field]: value } })).toEqual({
		[nodeId]: [{ type, field, reason, class_type: changed(textToImage)[nodeId]?.class_type }],
	});
});

test.each<[string, string, unknown]>([
	['3', 'seed', readJson('18446744073709551615')],
	['3', 'seed', '18446744073709551615'],
	['3', 'seed', 12.9],
	['3', 'cfg', '7.5'],
	['3', 'steps', true],
])('%s.%s takes what Python makes a number of', (nodeId, field, value) => {
	expect(problemsOf({ [nodeId]: { [field]: value } })).toBeUndefined();
});

/** Transcribed from what ComfyUI answers. */
test('object_info says of the sampler what ComfyUI says', () => {
	const definition = nodeDefinition('KSampler', []);
	const { sampler_name: samplers, scheduler, ...others } = definition?.input.required ?? {};
	expect(
		JSON.parse(
			JSON.stringify(others, (_key, value: unknown) =>
				typeof value === 'object' && value !== null && 'isLosslessNumber' in value ? String(value) : value,
			),
		),
	).toEqual({
		model: ['MODEL', {}],
		seed: ['INT', { default: 0, min: 0, max: '18446744073709551615', control_after_generate: true }],
		steps: ['INT', { default: 20, min: 1, max: 10_000 }],
		cfg: ['FLOAT', { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
		positive: ['CONDITIONING', {}],
		negative: ['CONDITIONING', {}],
		latent_image: ['LATENT', {}],
		denoise: ['FLOAT', { default: 1, min: 0, max: 1, step: 0.01 }],
	});
	expect(samplers?.[0]).toHaveLength(44);
	expect(scheduler?.[0]).toEqual(expect.arrayContaining(['simple', 'karras', 'normal']));
	expect(definition).toMatchObject({ display_name: 'KSampler', category: 'model/sampling', output: ['LATENT'], output_node: false });
});

test('and of the others', () => {
	const shownOf = (name: string) => nodeDefinition(name, [])?.input.required;
	expect(shownOf('CLIPTextEncode')).toEqual({ text: ['STRING', { multiline: true, dynamicPrompts: true }], clip: ['CLIP', {}] });
	expect(shownOf('EmptyLatentImage')).toEqual({
		width: ['INT', { default: 512, min: 16, max: 16_384, step: 8 }],
		height: ['INT', { default: 512, min: 16, max: 16_384, step: 8 }],
		batch_size: ['INT', { default: 1, min: 1, max: 4096 }],
	});
	expect(shownOf('PrimitiveBoolean')).toEqual({ value: ['BOOLEAN', {}] });
	expect(shownOf('PrimitiveStringMultiline')).toEqual({ value: ['STRING', { multiline: true }] });
	expect(shownOf('ImageBlend')?.blend_mode?.[0]).toBe('COMBO');
	expect(nodeDefinition('CLIPTextEncode', [])).toMatchObject({ display_name: 'CLIP Text Encode (Prompt)', category: 'model/conditioning' });
	expect(nodeDefinition('PrimitiveInt', [])).toMatchObject({
		display_name: 'Int',
		python_module: 'comfy_extras.nodes_primitive',
		output: ['INT'],
	});
});

test('primitives hand on what is written in them', async () => {
	const { outputs } = await run({
		a: node('PrimitiveBoolean', { value: true }),
		b: node('PrimitiveFloat', { value: 0.25 }),
		c: node('PrimitiveStringMultiline', { value: 'one\ntwo' }),
		d: node('PreviewAny', { source: ['a', 0] }),
		e: node('PreviewAny', { source: ['b', 0] }),
		f: node('PreviewAny', { source: ['c', 0] }),
	});
	expect(outputs.map(({ plainText }) => plainText)).toEqual(['True', '0.25', 'one\ntwo']);
});
