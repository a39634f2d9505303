import { isRecord, type JsonRecord, listOf, without } from '../decode';
import { contentTypeOf, UNKNOWN_TYPE } from '../files/contentTypes';
import type { AssetReference, FileReference, JobOutput } from '../job';
import { fileReferenceOf } from './view';

/** Turns one node's results, as frames and job reads carry them, into outputs. */
export type OutputDecoder = (nodeId: string, results: JsonRecord, jobId: string) => JobOutput[];

/** What a list of results is called tells its kind, where the file's name does not. */
const TYPE_OF_KEY: Readonly<Record<string, string>> = {
	images: 'image',
	video: 'video',
	videos: 'video',
	gifs: 'video',
	audio: 'audio',
	text: 'text',
	latents: 'latent',
};

/**
 * Every file in a node's results, under whatever key and once, then the texts that it shows; other values are no outputs.
 * @param linkTo where a file can be fetched.
 * @param referenceTo what stands for it in a graph.
 */
export const outputDecoder =
	(linkTo: (file: FileReference) => string, referenceTo: (file: FileReference) => AssetReference): OutputDecoder =>
	(nodeId, results, jobId) => {
		const files = Object.entries(results).flatMap(([key, entries]) =>
			listOf(entries).flatMap((entry) => {
				const file = isRecord(entry) ? fileReferenceOf(entry) : modelFileOf(entry, key);
				const rest = isRecord(entry) ? without(entry, 'filename', 'subfolder', 'type') : {};
				return file === undefined ? [] : [outputOf(file, { rest, url: linkTo(file), reference: referenceTo(file), nodeId, jobId, key })];
			}),
		);
		return [...eachOnce(files), ...textsOf(results.text).map((text, index) => textOutput(text, { index, nodeId, jobId }))];
	};

/** A model may be listed as a file, and be shown by its path. */
function eachOnce(files: JobOutput[]): JobOutput[] {
	const known = new Set<string | null>();
	return files.filter(({ url }) => !known.has(url) && known.add(url));
}

/** Nodes give one text, or a list; some put it into another one. */
const textsOf = (shown: unknown): string[] => [shown].flat(2).filter((text) => typeof text === 'string');

const textOutput = (text: string, { index, nodeId, jobId }: { index: number; nodeId: string; jobId: string }): JobOutput => ({
	node_id: nodeId,
	name: `${nodeId}_text${index === 0 ? '' : `_${index + 1}`}.txt`,
	type: 'text',
	content_type: 'text/plain',
	size_bytes: Buffer.byteLength(text),
	id: null,
	hash: null,
	url: null,
	url_expires_at: null,
	job_id: jobId,
	reference: null,
	text,
});

/** A path below a folder: no address, and none from the root on. */
const MODEL_FILE = /^(?:([^:/\\][^:]*)[/\\])?([^:/\\]+\.(?:obj|fbx|gltf|glb|usdz))$/i;

/** Nodes that show a model say in words where it lies in the output folder. */
function modelFileOf(entry: unknown, key: string): FileReference | undefined {
	const [, folder = '', filename] = (key !== 'text' && typeof entry === 'string' && MODEL_FILE.exec(entry)) || [];
	return filename === undefined ? undefined : { filename, subfolder: folder.replaceAll('\\', '/'), type: 'output' };
}

/** Node id → results, as far as they are any. */
export const nodeOutputsOf = (outputs: JsonRecord): Record<string, JsonRecord> =>
	Object.fromEntries(Object.entries(outputs).filter((entry): entry is [string, JsonRecord] => isRecord(entry[1])));

interface OutputParts {
	rest: JsonRecord;
	url: string;
	reference: AssetReference;
	nodeId: string;
	jobId: string;
	key: string;
}

const outputOf = (file: FileReference, { rest, url, reference, nodeId, jobId, key }: OutputParts): JobOutput => ({
	...rest,
	node_id: nodeId,
	name: file.filename,
	type: kindOf(file.filename, key),
	content_type: contentTypeOf(file.filename),
	size_bytes: 0,
	id: null,
	hash: null,
	url,
	url_expires_at: null,
	job_id: jobId,
	file_reference: file,
	reference,
});

function kindOf(name: string, key: string): string {
	const contentType = contentTypeOf(name);
	const main = contentType.split('/')[0] ?? '';
	if (['image', 'video', 'audio', 'text'].includes(main)) return main;
	if (/\.latent$/i.test(name)) return 'latent';
	return contentType === UNKNOWN_TYPE && Object.hasOwn(TYPE_OF_KEY, key) ? (TYPE_OF_KEY[key] as string) : 'file';
}
