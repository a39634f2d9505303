import { isRecord, type JsonRecord, listOf } from '../../json/decode';

/**
 * The folder below `models` that an input reads, for ComfyUI's own loaders and for three packs that name it in their README. Folders
 * in brackets are those of older versions.
 */
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

const MODEL_EXTENSION = /\.(safetensors|sft|ckpt|pt2?|pth|bin|pkl|gguf|onnx)$/i;

export const isModelName = (name: string): boolean => MODEL_EXTENSION.test(name);

/** @returns the folder in which ComfyUI looks for a model; undefined for other custom nodes. */
export function findModelFolder(className: string, input: string): string | undefined {
	const folder = FOLDER_OF_INPUT.find(([pattern]) => pattern.test(`${className}.${input}`))?.[1];
	return folder && `models/${folder}`;
}

/** A model in a saved workflow. Templates say where to download their models. */
export interface SavedModel {
	url?: string;
	/** Below ComfyUI's folder `models`. */
	directory?: string;
}

/** @returns by file name, the models that a workflow in the editor format lists. The API format has no list of models. */
export function listSavedModels(workflow: unknown): Map<string, SavedModel> {
	const models = new Map<string, SavedModel>();
	if (!isRecord(workflow)) return models;
	const inNodes = [...walkNodes(workflow)].flatMap(({ properties }) => (isRecord(properties) ? listOf(properties.models) : []));
	for (const model of [...inNodes, ...listOf(workflow.models)]) {
		const name = isRecord(model) ? shortText(model.name) : undefined;
		if (!isRecord(model) || name === undefined || models.has(name)) continue;
		models.set(name, { url: shortText(model.url), directory: shortText(model.directory) });
	}
	return models;
}

/** Yields the nodes of the workflow and of its subgraphs. */
function* walkNodes(workflow: JsonRecord): Generator<JsonRecord> {
	const subgraphs = isRecord(workflow.definitions) ? listOf(workflow.definitions.subgraphs) : [];
	for (const level of [workflow, ...subgraphs]) yield* isRecord(level) ? listOf(level.nodes).filter(isRecord) : [];
}

const LONGEST_TEXT = 2_000;

const shortText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : undefined;
