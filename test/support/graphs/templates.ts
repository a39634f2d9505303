/** Graphs with the structure of official templates. */
import type { ApiGraph, ApiGraphNode } from '../../../client';

export const node = (className: string, title: string | undefined, inputs: Record<string, unknown>): ApiGraphNode => ({
	class_type: className,
	...(title !== undefined && { _meta: { title } }),
	inputs,
});

/** As a KSampler's widgets are saved, in their order. */
const sampling = (seed: number, steps: number, cfg: number, sampler_name: string, scheduler: string) => ({
	...{ seed, steps, cfg, sampler_name, scheduler, denoise: 1 },
});
const from = (positive: [string, number], negative: [string, number], latent_image: [string, number]) => ({
	positive,
	negative,
	latent_image,
});

const ENCODE = 'CLIP Text Encode (Prompt)';

/** Two prompts of one title, as ComfyUI's first workflow has them. */
export const textToImage: ApiGraph = {
	'3': node('KSampler', 'KSampler', {
		...sampling(156680208700286, 20, 8, 'euler', 'normal'),
		model: ['4', 0],
		...from(['6', 0], ['7', 0], ['5', 0]),
	}),
	'4': node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'dream.safetensors' }),
	'5': node('EmptyLatentImage', 'Empty Latent Image', { width: 512, height: 768, batch_size: 1 }),
	'7': node('CLIPTextEncode', ENCODE, { text: 'blurry, watermark', clip: ['4', 1] }),
	'6': node('CLIPTextEncode', ENCODE, { text: 'a lighthouse in fog', clip: ['4', 1] }),
	'8': node('VAEDecode', 'VAE Decode', { samples: ['3', 0], vae: ['4', 2] }),
	'9': node('SaveImage', 'Save Image', { filename_prefix: 'ComfyUI', images: ['8', 0] }),
};

export const inpaint: ApiGraph = {
	'1': node('LoadImage', 'Picture', { image: 'room.png', upload: 'image' }),
	'2': node('LoadImageMask', 'Mask', { image: 'room mask.png', channel: 'alpha' }),
	'3': node('VAEEncodeForInpaint', 'VAE Encode (for Inpainting)', { grow_mask_by: 6, pixels: ['1', 0], vae: ['4', 2], mask: ['2', 0] }),
	'4': node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'inpaint.safetensors' }),
	'5': node('CLIPTextEncode', 'Bad', { text: 'people', clip: ['4', 1] }),
	'6': node('CLIPTextEncode', 'Good', { text: 'a green sofa', clip: ['4', 1] }),
	'7': node('KSampler', 'KSampler', {
		...sampling(7, 30, 4.5, 'uni_pc_bh2', 'normal'),
		model: ['4', 0],
		...from(['6', 0], ['5', 0], ['3', 0]),
	}),
	'8': node('VAEDecode', 'VAE Decode', { samples: ['7', 0], vae: ['4', 2] }),
	'9': node('PreviewImage', 'Look', { images: ['8', 0] }),
	'10': node('SaveImage', 'Result', { filename_prefix: 'inpainted', images: ['8', 0] }),
};
