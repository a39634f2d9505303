import { type ApiGraph, type ApiGraphNode, type Definitions, type GraphInput } from '../../../../client';
import { recordingOf } from '../convert/support/recordings';

export const names = (inputs: GraphInput[]): string => inputs.map(({ name }) => name).join(' ');

export const node = (className: string, title: string | undefined, inputs: Record<string, unknown>): ApiGraphNode => ({
	class_type: className,
	...(title !== undefined && { _meta: { title } }),
	inputs,
});

/** A graph of one node. */
export const oneNode = (className: string, inputs: Record<string, unknown>): ApiGraph => ({ '1': node(className, undefined, inputs) });

/** The definition of one required input. */
export const defining = (className: string, input: string, entry: unknown): Definitions => ({
	[className]: { input: { required: { [input]: entry } } },
});

/** What ComfyUI's own frontend exports for a recorded workflow. */
export const exported = (name: string): ApiGraph => recordingOf(name)?.output as ApiGraph;

/** Titles of its user, without a Latin letter. */
export const chineseTitles: ApiGraph = {
	'1': node('CLIPTextEncode', '正向提示词', { text: '一只狐狸', clip: ['9', 1] }),
	'2': node('CLIPTextEncode', '反向提示词', { text: '模糊', clip: ['9', 1] }),
	'3': node('KSampler', '采样器', { seed: 5, positive: ['1', 0], negative: ['2', 0] }),
};

export const noTitles: ApiGraph = {
	'1': node('CLIPTextEncode', undefined, { text: 'one', clip: ['3', 1] }),
	'2': node('CLIPTextEncode', undefined, { text: 'two', clip: ['3', 1] }),
	'4': node('EmptyLatentImage', undefined, { width: 64, height: 64, batch_size: 1 }),
};

/** A picture and its mask, and a preview beside the result. */
export const masked: ApiGraph = {
	'1': node('LoadImage', 'Picture', { image: 'room.png', upload: 'image' }),
	'2': node('LoadImageMask', 'Mask', { image: 'room mask.png', channel: 'alpha' }),
	'3': node('VAEEncodeForInpaint', 'Encode', { grow_mask_by: 6, pixels: ['1', 0], vae: ['4', 2], mask: ['2', 0] }),
	'4': node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'inpaint.safetensors' }),
	'7': node('KSampler', 'KSampler', { seed: 7, model: ['4', 0], latent_image: ['3', 0] }),
	'8': node('VAEDecode', 'VAE Decode', { samples: ['7', 0], vae: ['4', 2] }),
	'9': node('PreviewImage', 'Look', { images: ['8', 0] }),
	'10': node('SaveImage', 'Result', { filename_prefix: 'inpainted', images: ['8', 0] }),
};

/** Prompts, seeds and sizes come from nodes of other authors, through nodes that only hand them on, and in a circle. */
export const linkedThrough: ApiGraph = {
	'1': node('String Literal', 'Subject', { string: 'a fox' }),
	'2': node('String Literal', 'Style', { string: 'ink' }),
	'3': node('StringConcatenate', 'Join', { string_a: ['1', 0], string_b: ['2', 0], delimiter: ', ' }),
	'4': node('CLIPTextEncode', 'Positive', { text: ['3', 0], clip: ['20', 1] }),
	'5': node('Seed (rgthree)', 'Seed', { seed: -1 }),
	'6': node('PrimitiveInt', 'Number', { value: 99 }),
	'7': node('RandomNoise', 'Noise', { noise_seed: ['6', 0] }),
	'8': node('KSampler', 'Sampler', { seed: ['5', 0], steps: ['9', 0], positive: ['4', 0], negative: ['10', 0] }),
	'9': node('PrimitiveInt', 'Steps', { value: 12 }),
	'10': node('CLIPTextEncode', 'Negative', { text: ['11', 0], clip: ['20', 1] }),
	'11': node('PrimitiveString', 'Not This', { value: 'text' }),
	'12': node('MathExpression', 'Sum', { expression: 'a * 2', a: ['6', 0] }),
	'13': node('PrimitiveInt', 'Width', { value: 832 }),
	'14': node('EmptyLatentImage', 'Size', { width: ['13', 0], height: 480 }),
	'15': node('Join', 'One', { text: ['16', 0], string: 'a' }),
	'16': node('Join', 'Two', { text: ['15', 0], value: 5 }),
	'17': node('CLIPTextEncode', 'Prompt', { text: ['15', 0] }),
};
