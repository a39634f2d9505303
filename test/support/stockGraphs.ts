/** ComfyUI's stock graphs in API format, as its editor exports them: two nodes of one title, ids that are not in order. */

const loader = {
	class_type: 'CheckpointLoaderSimple',
	_meta: { title: 'Load Checkpoint' },
	inputs: { ckpt_name: 'v1-5-pruned-emaonly-fp16.safetensors' },
};

const prompt = (text: string) => ({
	class_type: 'CLIPTextEncode',
	_meta: { title: 'CLIP Text Encode (Prompt)' },
	inputs: { text, clip: ['4', 1] },
});

const sampler = (latent: string, denoise: number) => ({
	class_type: 'KSampler',
	_meta: { title: 'KSampler' },
	inputs: {
		seed: 156680208700286,
		steps: 20,
		cfg: 8,
		sampler_name: 'euler',
		scheduler: 'normal',
		denoise,
		model: ['4', 0],
		positive: ['6', 0],
		negative: ['7', 0],
		latent_image: [latent, 0],
	},
});

const decode = { class_type: 'VAEDecode', _meta: { title: 'VAE Decode' }, inputs: { samples: ['3', 0], vae: ['4', 2] } };
const save = { class_type: 'SaveImage', _meta: { title: 'Save Image' }, inputs: { filename_prefix: 'ComfyUI', images: ['8', 0] } };
const load = { class_type: 'LoadImage', _meta: { title: 'Load Image' }, inputs: { image: 'example.png' } };

/** A picture from words. */
export const textToImage = {
	'3': sampler('5', 1),
	'4': loader,
	'5': { class_type: 'EmptyLatentImage', _meta: { title: 'Empty Latent Image' }, inputs: { width: 512, height: 512, batch_size: 1 } },
	'6': prompt('beautiful scenery nature glass bottle landscape, , purple galaxy bottle,'),
	'7': prompt('text, watermark'),
	'8': decode,
	'9': save,
};

/** A picture that is generated again where it is transparent. */
export const inpaint = {
	'3': sampler('26', 1),
	'4': loader,
	'6': prompt('closeup photograph of a red door in a stone wall'),
	'7': prompt('watermark, text'),
	'8': decode,
	'9': save,
	'20': load,
	'26': {
		class_type: 'VAEEncodeForInpaint',
		_meta: { title: 'VAE Encode (for Inpainting)' },
		inputs: { grow_mask_by: 6, pixels: ['20', 0], vae: ['4', 2], mask: ['20', 1] },
	},
};
