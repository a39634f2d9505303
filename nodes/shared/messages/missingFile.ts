import type { NodeReason } from './nodeReasons';

/** Of ComfyUI's own loaders: which folder below `models` an input reads. Names in brackets are those of older versions. */
const FOLDER_OF_INPUT: ReadonlyArray<[RegExp, string]> = [
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
];

const MODEL = /\.(safetensors|sft|ckpt|pt2?|pth|bin|pkl|gguf|onnx)$/i;
const MEDIA = /\.(png|jpe?g|webp|gif|bmp|tiff?|avif|mp4|webm|mov|mkv|avi|wav|mp3|flac|ogg|opus|m4a|glb|gltf|obj|stl)$/i;

/** A file that a workflow names and a server does not have. */
export interface MissingFile {
	kind: 'model' | 'input';
	name: string;
	/** Where ComfyUI looks for it; undefined for nodes that others have made. */
	folder: string | undefined;
}

export function missingFile({ type, className, input, received, said }: NodeReason): MissingFile | undefined {
	if (received === undefined) return undefined;
	if (/Invalid \w+ file: /.test(said) || (isNotInList(type, said) && MEDIA.test(received))) return { kind: 'input', name: received, folder: 'input' };
	const folder = FOLDER_OF_INPUT.find(([pattern]) => pattern.test(`${className ?? ''}.${input ?? ''}`))?.[1];
	if (!isNotInList(type, said) || (folder === undefined && !MODEL.test(received))) return undefined;
	return { kind: 'model', name: received, folder: folder && `models/${folder}` };
}

/** The service's entries have no types. */
const isNotInList = (type: string | undefined, said: string): boolean => type === 'value_not_in_list' || (type === undefined && /not in list|none of its choices/i.test(said));
