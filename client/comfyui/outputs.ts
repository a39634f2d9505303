import { isRecord, type JsonRecord, textOr, without } from '../json/decode';
import type { ServiceApi } from '../requests/serviceApi';
import { toAnnotatedName } from '../files/fileNames';
import { contentTypeOf } from '../files/contentTypes';
import { listOutputNodes } from '../graph/inputs/outputs';
import type { ApiGraph, AssetReference, FileReference, JobOutput } from '../ports/job';
import { exactText, withNumbersAsText } from '../json/exactJson';
import { isMark, TEXT_KEY, typeOfFile, VIEWER_KEY } from './outputKinds';

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

/**
 * Returns a decoder that finds each file in a node's results once, under any key, and then the texts and values. Files of the
 * type `input` are no results: loaders show them.
 * @param toUrl returns the address of a file.
 * @param toReference returns what stands for the file in a graph.
 */
export const outputDecoder =
	(toUrl: (file: FileReference) => string, toReference: (file: FileReference) => AssetReference): OutputDecoder =>
	(nodeId, results, jobId) => {
		const lists = Object.entries(results).filter(([key]) => !isMark(key));
		const files = lists.flatMap(([key, entries]) =>
			[entries].flat().flatMap((entry) => {
				const file = fileOf(entry, key);
				const rest = isRecord(entry) ? without(entry, 'filename', 'subfolder', 'type') : {};
				if (file === undefined || file.type === 'input') return [];
				return [toOutput(file, { rest, url: toUrl(file), reference: toReference(file), nodeId, jobId, key })];
			}),
		);
		return [...withoutRepeats(files), ...lists.flatMap(([key, entries]) => toValueOutputs(key, entries, { nodeId, jobId }))];
	};

const fileOf = (entry: unknown, key: string): FileReference | undefined =>
	isRecord(entry) ? decodeFileReference(entry) : modelFileOf(entry, key);

/** A 3D model may be in the results twice: as a file, and as a path. */
function withoutRepeats(files: JobOutput[]): JobOutput[] {
	const urls = new Set<string | null>();
	return files.filter(({ url }) => !urls.has(url) && urls.add(url));
}

interface Origin {
	nodeId: string;
	jobId: string;
}

/** Nodes show one text, a list, or a list in a list. Each is an output. Under other keys, all values together are one output. */
function toValueOutputs(key: string, entries: unknown, origin: Origin): JobOutput[] {
	const values = valuesOf(key, entries);
	const outputs = key === TEXT_KEY || values.length < 2 ? values : [values];
	return outputs.map((value, index) => toTextOutput(value, `${origin.nodeId}_${key}${index === 0 ? '' : `_${index + 1}`}.txt`, origin));
}

/** Returns what is neither a file nor empty. Of a 3D viewer only texts count, because its other entries are settings of the view. */
function valuesOf(key: string, entries: unknown): unknown[] {
	const all = key === TEXT_KEY ? [entries].flat(2) : [entries].flat();
	const values = all.filter((entry) => entry !== null && entry !== undefined && fileOf(entry, key) === undefined);
	return key === VIEWER_KEY ? values.filter((entry) => typeof entry === 'string') : values;
}

function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('\n') : exactText(value);
}

function toTextOutput(value: unknown, name: string, { nodeId, jobId }: Origin): JobOutput {
	const text = toText(value);
	return {
		node_id: nodeId,
		name,
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
		...(typeof value !== 'string' && { value: withNumbersAsText(value) }),
	};
}

/** A relative path of a 3D model, with its folder in ComfyUI. An address or an absolute path does not match. */
const MODEL_FILE = /^(?:([^:/\\][^:]*)[/\\])?([^:/\\]+\.(?:obj|fbx|gltf|glb|usdz))(?: \[(output|input|temp)\])?$/i;

/** Nodes that show a 3D model name its path in the output folder. */
function modelFileOf(entry: unknown, key: string): FileReference | undefined {
	const [, subfolder = '', filename, type = 'output'] = (key !== TEXT_KEY && typeof entry === 'string' && MODEL_FILE.exec(entry)) || [];
	return filename === undefined ? undefined : { filename, subfolder: subfolder.replaceAll('\\', '/'), type: type.toLowerCase() };
}

/**
 * Leaves out the temporary files of nodes that are no output nodes. Newer loaders and croppers show what they pass on.
 * Nodes that are not in the graph are kept: ComfyUI creates copies of nodes in loops.
 * @param outputNodeIds the output nodes of the graph, if ComfyUI named them. Default: by their classes.
 */
export function withoutIntermediate(
	outputs: JobOutput[],
	graph: ApiGraph,
	outputNodeIds: readonly unknown[] = listOutputNodes(graph).map(({ nodeId }) => nodeId),
): JobOutput[] {
	const isTemporary = ({ file_reference: file }: JobOutput): boolean => isRecord(file) && file.type === 'temp';
	return outputs.filter(
		(output) => !isTemporary(output) || !Object.hasOwn(graph, output.node_id) || outputNodeIds.includes(output.node_id),
	);
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
	type: typeOfFile(file.filename, key),
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
