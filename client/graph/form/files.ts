import type { ApiGraphNode } from '../../job';
import { isRecord } from '../../decode';
import { type InputDefinition, inputDefinition } from './definition';
import type { Definitions, FileKind } from './types';

/** Inputs whose definitions do not say that they take an uploaded file, and those of graphs without definitions. */
const KNOWN: Record<string, FileKind> = {
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

/** Names of files that no model is kept in. */
const EXTENSIONS: Array<[RegExp, FileKind]> = [
	[/\.(avif|bmp|gif|jpe?g|png|tiff?|webp)$/i, 'image'],
	[/\.(aac|flac|m4a|mp3|ogg|opus|wav)$/i, 'audio'],
	[/\.(avi|m4v|mkv|mov|mp4|webm)$/i, 'video'],
	[/\.(fbx|glb|gltf|obj|ply|stl|usdz)$/i, 'any'],
];

const LONGEST_FILE_NAME = 255;
const SAVES = /save|write|export|download/i;

/** v2's reference to an asset. */
export const isAssetReference = (value: unknown): boolean => isRecord(value) && typeof value.__type === 'string';

function flagged(node: ApiGraphNode, input: string, { settings }: InputDefinition): FileKind | undefined {
	const kind = FLAGS.find(([flag]) => settings[flag] === true)?.[1];
	return kind === 'image' && /mask/i.test(node.class_type + input) ? 'mask' : kind;
}

/** A guess by the value that stands there: the name of a file, and nothing that looks like the address of one. */
function byName(node: ApiGraphNode, value: unknown): FileKind | undefined {
	if (typeof value !== 'string' || value.length > LONGEST_FILE_NAME || /[\n:%]/.test(value) || SAVES.test(node.class_type))
		return undefined;
	return EXTENSIONS.find(([extension]) => extension.test(value.replace(/ \[(input|output|temp)\]$/, '')))?.[1];
}

/** Which files an input takes; undefined for one that takes none. */
export function fileKindOf(
	node: ApiGraphNode,
	input: string,
	value: unknown,
	definition: InputDefinition | undefined,
): FileKind | undefined {
	const known = Object.hasOwn(KNOWN, `${node.class_type}.${input}`) ? KNOWN[`${node.class_type}.${input}`] : undefined;
	const told = known ?? (definition && flagged(node, input, definition));
	if (told !== undefined) return told;
	if (isAssetReference(value)) return 'any';
	return definition === undefined || definition.type === 'COMBO' ? byName(node, value) : undefined;
}

/** Names that a node gives to what it saves. */
const NAMES_A_RESULT = /(^|_)(prefix|suffix)$/i;
const NAMES_A_SAVED_FILE = /name|path|folder|directory|format/i;

/** Whether an input certainly takes no file. An input of a custom node may take the path of one as plain text. */
export function takesNoFile(node: ApiGraphNode, input: string, definitions: Definitions): boolean {
	if (NAMES_A_RESULT.test(input) || (SAVES.test(node.class_type) && NAMES_A_SAVED_FILE.test(input))) return true;
	const definition = inputDefinition(definitions, node, input);
	if (definition === undefined || flagged(node, input, definition) !== undefined) return false;
	if (definition.type === 'STRING') return definition.settings.multiline === true;
	return (
		definition.type === 'COMBO' && definition.choices.length > 0 && !definition.choices.some((choice) => byName(node, choice) !== undefined)
	);
}

/** The files that the service has for an input; undefined where nobody tells. */
export function offeredFiles(definitions: Definitions, node: ApiGraphNode, input: string): string[] | undefined {
	const definition = inputDefinition(definitions, node, input);
	return definition?.type === 'COMBO' ? definition.choices.map(String) : undefined;
}
