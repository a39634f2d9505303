/** What the nodes of ComfyUI report, by the key in their results, and the types of outputs that follow from it. */
import { contentTypeOf, UNKNOWN_TYPE } from '../files/contentTypes';
import type { JobOutput } from '../ports/job';

/** The types of outputs that a filter can choose. */
export const OUTPUT_TYPES = ['audio', 'file', 'image', 'latent', 'text', 'video'] as const;

export type OutputType = (typeof OUTPUT_TYPES)[number];

const isOutputType = (type: string): type is OutputType => OUTPUT_TYPES.some((known) => known === type);

/** The keys of a node's results. Other keys may contain files or values of any kind. */
const TYPE_OF_KEY: ReadonlyMap<string, OutputType> = new Map([
	['images', 'image'],
	['video', 'video'],
	['videos', 'video'],
	['gifs', 'video'],
	['audio', 'audio'],
	['3d', 'file'],
	['files', 'file'],
	['text', 'text'],
	['latents', 'latent'],
	['result', 'file'],
] satisfies Array<[string, OutputType]>);

/** A 3D viewer reports its file, then the position of its camera and other settings of the view. */
export const VIEWER_KEY = 'result';

/** Each entry under this key is one text. */
export const TEXT_KEY = 'text';

/** Keys that only describe the files under other keys: whether each image moves. */
const MARKS: ReadonlySet<string> = new Set(['animated']);

export const isMark = (key: string): boolean => MARKS.has(key);

type MediaKind = 'image' | 'video' | 'audio';

const isMedia = (type: string): type is MediaKind => ['image', 'video', 'audio'].includes(type);

const mainTypeOf = (contentType: string): string => contentType.split('/')[0] ?? '';

/** Returns the kind of image, video or audio data that a content type announces; undefined for other types. */
export function mediaKindOf(contentType: string): MediaKind | undefined {
	const main = mainTypeOf(contentType);
	return isMedia(main) ? main : undefined;
}

/** Returns the type of a file by its name, or else by the key of its list. */
export function typeOfFile(name: string, key: string): OutputType {
	const contentType = contentTypeOf(name);
	const main = mainTypeOf(contentType);
	if (isOutputType(main)) return main;
	if (/\.latent$/i.test(name)) return 'latent';
	return contentType === UNKNOWN_TYPE ? (TYPE_OF_KEY.get(key) ?? 'file') : 'file';
}

/** Returns the type of any service's output. Services may report `image` for a video, so the content type is used first. */
const typeOfOutput = ({ type, content_type: contentType }: JobOutput): OutputType =>
	mediaKindOf(contentType) ?? (isOutputType(type) ? type : 'file');

/** Whether an output has a type that a filter names. An unknown type counts as a file. */
export const isOfType = (output: JobOutput, wanted: string): boolean =>
	wanted === typeOfOutput(output) || (!isMedia(wanted) && wanted === output.type);
