/** Of ComfyUI's own loaders, and of three packs that say so in their README: which folder below `models` an input reads. Names in brackets are those of older versions. */
const FOLDER_OF_INPUT: ReadonlyArray<readonly [pattern: RegExp, folder: string]> = [
	[/^CLIPVisionLoader\.clip_name$/, 'clip_vision'],
	[/^UpscaleModelLoader\.model_name$/, 'upscale_models'],
	[/^LatentUpscaleModelLoader\.model_name$/, 'latent_upscale_models'],
	[/^ModelPatchLoader\.name$/, 'model_patches'],
	[/\.ckpt_name$/, 'checkpoints'],
	[/\.config_name$/, 'configs'],
	[/\.lora_name(_?\d+)?$/, 'loras'],
	[/\.vae_name$/, 'vae'],
	[/\.unet_name$/, 'diffusion_models (or models/unet)'],
	[/\.(clip_name|text_encoder)\d*$/, 'text_encoders (or models/clip)'],
	[/\.control_net_name$/, 'controlnet'],
	[/\.style_model_name$/, 'style_models'],
	[/\.gligen_name$/, 'gligen'],
	[/\.hypernetwork_name$/, 'hypernetworks'],
	[/\.photomaker_model_name$/, 'photomaker'],
	[/\.audio_encoder_name$/, 'audio_encoders'],
	[/^DiffusersLoader\.model_path$/, 'diffusers'],
	[/\.ipadapter_file$/, 'ipadapter'],
	[/^UltralyticsDetectorProvider\.model_name$/, 'ultralytics'],
	[/^SAMLoader\.model_name$/, 'sams'],
];

const MODEL = /\.(safetensors|sft|ckpt|pt2?|pth|bin|pkl|gguf|onnx)$/i;

export const isModelName = (name: string): boolean => MODEL.test(name);

/** Where ComfyUI looks for what an input names; undefined for nodes that others have made. */
export function modelFolder(className: string, input: string): string | undefined {
	const folder = FOLDER_OF_INPUT.find(([pattern]) => pattern.test(`${className}.${input}`))?.[1];
	return folder && `models/${folder}`;
}
