import { isRecord, type JsonRecord, listOf, textOr, without } from '../decode';
import type { ServiceApi } from '../api';
import { toAnnotatedName } from '../files/fileNames';
import { contentTypeOf, UNKNOWN_TYPE } from '../files/contentTypes';
import type { AssetReference, FileReference, JobOutput } from '../job';

/** Returns the address of a file. The hosted service redirects it to a new signed link on each call. */
export function toFileUrl(api: Pick<ServiceApi, 'url'>, { filename, subfolder, type }: FileReference): string {
	const url = api.url('/view');
	url.search = new URLSearchParams({ filename, subfolder, type }).toString();
	return url.href;
}

/** Returns the name of an output in a graph. Like ComfyUI's web interface it has no subfolder, because v1 keeps all files of an account in one folder. */
export const nameInGraph = ({ filename, type }: FileReference): string => toAnnotatedName({ filename, subfolder: '', type });

/** @returns undefined if the record names no file. */
function decodeFileReference({ filename, subfolder, type }: JsonRecord): FileReference | undefined {
	const name = textOr(filename, undefined);
	return name === undefined ? undefined : { filename: name, subfolder: textOr(subfolder, ''), type: textOr(type, 'output') };
}

/** Decodes one node's results, which frames and job reads contain, to outputs. */
export type OutputDecoder = (nodeId: string, results: JsonRecord, jobId: string) => JobOutput[];

/** The kind of a result by the key of its list, for files whose name does not say it. */
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
 * Returns a decoder that finds each file in a node's results once, under any key, and then the texts that the node shows.
 * Other values are no outputs.
 * @param toUrl returns the address of a file.
 * @param toReference returns what stands for the file in a graph.
 */
export const outputDecoder =
	(toUrl: (file: FileReference) => string, toReference: (file: FileReference) => AssetReference): OutputDecoder =>
	(nodeId, results, jobId) => {
		const files = Object.entries(results).flatMap(([key, entries]) =>
			listOf(entries).flatMap((entry) => {
				const file = isRecord(entry) ? decodeFileReference(entry) : modelFileOf(entry, key);
				const rest = isRecord(entry) ? without(entry, 'filename', 'subfolder', 'type') : {};
				return file === undefined ? [] : [toOutput(file, { rest, url: toUrl(file), reference: toReference(file), nodeId, jobId, key })];
			}),
		);
		return [...withoutRepeats(files), ...textsOf(results.text).map((text, index) => toTextOutput(text, { index, nodeId, jobId }))];
	};

/** A 3D model may be in the results twice: as a file, and as a path. */
function withoutRepeats(files: JobOutput[]): JobOutput[] {
	const urls = new Set<string | null>();
	return files.filter(({ url }) => !urls.has(url) && urls.add(url));
}

/** Nodes send one text, a list, or a list in a list. */
const textsOf = (value: unknown): string[] => [value].flat(2).filter((text) => typeof text === 'string');

const toTextOutput = (text: string, { index, nodeId, jobId }: { index: number; nodeId: string; jobId: string }): JobOutput => ({
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

/** A relative path of a 3D model. An address or an absolute path does not match. */
const MODEL_FILE = /^(?:([^:/\\][^:]*)[/\\])?([^:/\\]+\.(?:obj|fbx|gltf|glb|usdz))$/i;

/** Nodes that show a 3D model name its path in the output folder. */
function modelFileOf(entry: unknown, key: string): FileReference | undefined {
	const [, folder = '', filename] = (key !== 'text' && typeof entry === 'string' && MODEL_FILE.exec(entry)) || [];
	return filename === undefined ? undefined : { filename, subfolder: folder.replaceAll('\\', '/'), type: 'output' };
}

/** Returns node id → results, without entries that are not objects. */
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

const toOutput = (file: FileReference, { rest, url, reference, nodeId, jobId, key }: OutputParts): JobOutput => ({
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
