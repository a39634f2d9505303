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
const advanced = (steps: number, cfg: number, [start_at_step, end_at_step]: [number, number], return_with_leftover_noise: string) => ({
	...{ steps, cfg, sampler_name: 'euler', scheduler: 'simple', start_at_step, end_at_step, return_with_leftover_noise },
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

/** Two samplers one after the other; prompt, size and seed come from nodes that only hold them. */
export const video: ApiGraph = {
	'84': node('CLIPLoader', 'Load CLIP', { clip_name: 'umt5.safetensors', type: 'wan', device: 'default' }),
	'90': node('PrimitiveStringMultiline', 'What Happens', { value: 'a paper boat drifts away' }),
	'91': node('PrimitiveInt', 'Width', { value: 832 }),
	'92': node('PrimitiveInt', 'Seed', { value: 42 }),
	'93': node('CLIPTextEncode', 'Positive', { text: ['90', 0], clip: ['84', 0] }),
	'94': node('CLIPTextEncode', 'Negative', { text: 'still image, subtitles', clip: ['84', 0] }),
	'95': node('LoadImage', 'First Frame', { image: 'boat.png' }),
	'96': node('WanImageToVideo', 'WanImageToVideo', {
		width: ['91', 0],
		height: 480,
		length: 81,
		batch_size: 1,
		positive: ['93', 0],
		negative: ['94', 0],
		vae: ['97', 0],
		start_image: ['95', 0],
	}),
	'97': node('VAELoader', 'Load VAE', { vae_name: 'wan.safetensors' }),
	'98': node('KSamplerAdvanced', 'High Noise', {
		add_noise: 'enable',
		noise_seed: ['92', 0],
		...advanced(20, 3.5, [0, 10], 'enable'),
		...from(['96', 0], ['96', 1], ['96', 2]),
	}),
	'99': node('KSamplerAdvanced', 'Low Noise', {
		add_noise: 'disable',
		noise_seed: 0,
		...advanced(20, 3.5, [10, 10000], 'disable'),
		...from(['96', 0], ['96', 1], ['98', 0]),
	}),
	'100': node('VAEDecode', 'VAE Decode', { samples: ['99', 0], vae: ['97', 0] }),
	'101': node('CreateVideo', 'Create Video', { fps: 16, images: ['100', 0] }),
	'102': node('SaveVideo', 'Save Video', { filename_prefix: 'video/boat', format: 'auto', 'format.codec': 'h264', video: ['101', 0] }),
};

export const audio: ApiGraph = {
	'14': node('TextEncodeAceStepAudio', 'Song', {
		tags: 'jazz, brushes, late night',
		lyrics: '[verse]\nrain on the tin roof',
		lyrics_strength: 0.99,
		clip: ['40', 1],
	}),
	'17': node('EmptyAceStepLatentAudio', 'Length', { seconds: 120, batch_size: 1 }),
	'20': node('LoadAudio', 'Reference Audio', { audio: 'hum.wav', audioUI: '' }),
	'40': node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'ace.safetensors' }),
	'44': node('ConditioningZeroOut', 'Zero', { conditioning: ['14', 0] }),
	'52': node('KSampler', 'KSampler', {
		...sampling(468254064217846, 50, 5, 'euler', 'simple'),
		model: ['40', 0],
		...from(['14', 0], ['44', 0], ['17', 0]),
	}),
	'59': node('SaveAudioMP3', 'Save Audio', { filename_prefix: 'audio/jazz', quality: 'V0', audio: ['52', 0] }),
};

const layer = (index: number): ApiGraph => {
	const [mask, encode, area] = [`${100 + index * 3}`, `${101 + index * 3}`, `${102 + index * 3}`];
	return {
		[mask]: node('SolidMask', `Mask ${index + 1}`, { value: 1, width: 1024, height: 64 }),
		[encode]: node('CLIPTextEncode', `Strip ${index + 1}`, { text: `strip ${index + 1}`, clip: ['2', 0] }),
		[area]: node('ConditioningSetMask', `Place ${index + 1}`, {
			strength: 1,
			set_cond_area: 'default',
			conditioning: [encode, 0],
			mask: [mask, 0],
		}),
	};
};

/** 60 nodes: a picture in 17 strips, each with a prompt of its own. */
export const sixtyNodes: ApiGraph = {
	'1': node('UNETLoader', 'Load Diffusion Model', { unet_name: 'flux.safetensors', weight_dtype: 'default' }),
	'2': node('DualCLIPLoader', 'DualCLIPLoader', {
		clip_name1: 'clip_l.safetensors',
		clip_name2: 't5xxl.safetensors',
		type: 'flux',
		device: 'default',
	}),
	'3': node('VAELoader', 'Load VAE', { vae_name: 'ae.safetensors' }),
	'4': node('RandomNoise', 'RandomNoise', { noise_seed: 886284531 }),
	'5': node('KSamplerSelect', 'KSamplerSelect', { sampler_name: 'euler' }),
	'6': node('BasicScheduler', 'BasicScheduler', { scheduler: 'simple', steps: 20, denoise: 1, model: ['1', 0] }),
	'7': node('BasicGuider', 'BasicGuider', { model: ['1', 0], conditioning: ['102', 0] }),
	'8': node('SamplerCustomAdvanced', 'SamplerCustomAdvanced', {
		noise: ['4', 0],
		guider: ['7', 0],
		sampler: ['5', 0],
		sigmas: ['6', 0],
		latent_image: ['9', 0],
	}),
	...(Object.assign({}, ...Array.from({ length: 17 }, (_, index) => layer(index))) as ApiGraph),
	'9': node('EmptySD3LatentImage', 'EmptySD3LatentImage', { width: 1024, height: 1088, batch_size: 1 }),
};
