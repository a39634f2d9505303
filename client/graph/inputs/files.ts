import { isRecord } from '../../json/decode';
import type { ApiGraphNode } from '../../ports/job';
import { type Definitions, findInputDefinition, type InputDefinition } from './definitions';

export type FileKind = 'image' | 'mask' | 'audio' | 'video' | 'any';

/** File inputs whose definition does not say so, and file inputs of graphs without definitions. */
const FILE_INPUTS: Record<string, FileKind> = {
	'LoadImage.image': 'image',
	'LoadImageMask.image': 'mask',
	'LoadImageOutput.image': 'image',
	'LoadAudio.audio': 'audio',
	'LoadVideo.file': 'video',
	'Load3D.model_file': 'any',
	'Load3DAnimation.model_file': 'any',
	'Load3DAdvanced.model_file': 'any',
	'LoadLatent.latent': 'any',
	'GeminiInputFiles.file': 'any',
	'OpenAIInputFiles.file': 'any',
	'VHS_LoadVideo.video': 'video',
	'VHS_LoadVideoFFmpeg.video': 'video',
	'VHS_LoadAudioUpload.audio': 'audio',
};

const FLAGS: Array<[flag: string, kind: FileKind]> = [
	['image_upload', 'image'],
	['animated_image_upload', 'image'],
	['audio_upload', 'audio'],
	['video_upload', 'video'],
	['file_upload', 'any'],
	['upload', 'any'],
];

/** File names with these extensions are no models. */
const EXTENSIONS: Array<[RegExp, FileKind]> = [
	[/\.(avif|bmp|gif|jpe?g|png|tiff?|webp)$/i, 'image'],
	[/\.(aac|flac|m4a|mp3|ogg|opus|wav)$/i, 'audio'],
	[/\.(avi|m4v|mkv|mov|mp4|webm)$/i, 'video'],
	[/\.(fbx|glb|gltf|obj|ply|stl|usdz)$/i, 'any'],
];

const LONGEST_FILE_NAME = 255;
const SAVING_CLASS = /save|write|export|download/i;

/** Whether a value is an asset reference of v2. */
export const isAssetReference = (value: unknown): boolean => isRecord(value) && typeof value.__type === 'string';

function kindByFlag(node: ApiGraphNode, input: string, { settings }: InputDefinition): FileKind | undefined {
	const kind = FLAGS.find(([flag]) => settings[flag] === true)?.[1];
	return kind === 'image' && /mask/i.test(node.class_type + input) ? 'mask' : kind;
}

/** Guesses the kind from a value that looks like a file name. URLs and patterns are not file names. */
function guessKindByName(node: ApiGraphNode, value: unknown): FileKind | undefined {
	if (typeof value !== 'string' || value.length > LONGEST_FILE_NAME || /[\n:%]/.test(value) || SAVING_CLASS.test(node.class_type))
		return undefined;
	return EXTENSIONS.find(([extension]) => extension.test(value.replace(/ \[(input|output|temp)\]$/, '')))?.[1];
}

/** @returns the kind of file that an input takes; undefined if it does not accept a file. */
export function findFileKind(
	node: ApiGraphNode,
	input: string,
	value: unknown,
	definition: InputDefinition | undefined,
): FileKind | undefined {
	const name = `${node.class_type}.${input}`;
	const known = Object.hasOwn(FILE_INPUTS, name) ? FILE_INPUTS[name] : definition && kindByFlag(node, input, definition);
	if (known !== undefined) return known;
	if (isAssetReference(value)) return 'any';
	return definition === undefined || definition.type === 'COMBO' ? guessKindByName(node, value) : undefined;
}

/** Names of inputs that name the results of a node. */
const RESULT_NAME = /(^|_)(prefix|suffix)$/i;
/** The same, in classes that save files. */
const SAVED_FILE_NAME = /name|path|folder|directory|format/i;

/** Whether an input names the files that its node saves. */
export const namesResult = (node: ApiGraphNode, input: string): boolean =>
	RESULT_NAME.test(input) || (SAVING_CLASS.test(node.class_type) && SAVED_FILE_NAME.test(input));

/** Whether an input certainly does not accept a file. A text input of a custom class may take the path of a file. */
export function takesNoFile(node: ApiGraphNode, input: string, definitions: Definitions): boolean {
	if (namesResult(node, input)) return true;
	const definition = findInputDefinition(definitions, node, input);
	if (definition === undefined || kindByFlag(node, input, definition) !== undefined) return false;
	if (definition.type === 'STRING') return definition.settings.multiline === true;
	return (
		definition.type === 'COMBO' &&
		definition.choices.length > 0 &&
		!definition.choices.some((choice) => guessKindByName(node, choice) !== undefined)
	);
}

/** @returns the files that the service offers for an input; undefined if the definitions do not list them. */
export function listOfferedFiles(definitions: Definitions, node: ApiGraphNode, input: string): string[] | undefined {
	const definition = findInputDefinition(definitions, node, input);
	return definition?.type === 'COMBO' ? definition.choices.map(String) : undefined;
}

/** Inputs that take a path on the disk of the server, and the class that takes an uploaded file instead. */
const UPLOAD_VARIANTS: Partial<Record<string, string>> = {
	'VHS_LoadVideoPath.video': 'VHS_LoadVideo',
	'VHS_LoadVideoFFmpegPath.video': 'VHS_LoadVideoFFmpeg',
	'VHS_LoadImagePath.image': 'LoadImage',
	'VHS_LoadAudio.audio_file': 'VHS_LoadAudioUpload',
};

/** @returns the class to use in place of one that takes a path; undefined for any other input. */
export const findUploadVariant = ({ class_type: className }: ApiGraphNode, input: string): string | undefined =>
	UPLOAD_VARIANTS[`${className}.${input}`];

/** Whether a text input takes the content of a file as Base64, by its name. */
export const takesBase64 = ({ class_type: className }: ApiGraphNode, input: string): boolean =>
	/base64|b64/i.test(input) || (/base64|b64/i.test(className) && /^(image|mask|data|string|text)$/i.test(input));
