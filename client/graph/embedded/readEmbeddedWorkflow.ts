import { isRecord, recordOf } from '../../json/decode';
import { outcomeOf } from '../../async/outcome';
import { isEditorFormat } from '../parseGraph';
import { readFlac, readMp3, readOgg } from './audio';
import { readAvif } from './avif';
import { ByteReader, EndOfFile, LONGEST_BYTES, TooLong } from './byteReader';
import { decodeMetadataText, GraphTexts } from './graphTexts';
import { readPng, readSvg, readWebp } from './images';
import { parsePythonJson, readGlb, readSafetensors, TooManyValues } from './json';
import { readIsoMedia, readMatroska } from './video';

type ContainerKind = 'png' | 'webp' | 'avif' | 'svg' | 'mp4' | 'matroska' | 'flac' | 'ogg' | 'mp3' | 'glb' | 'safetensors';

/** The graphs that a file contains: both, one or none. */
export interface EmbeddedWorkflow {
	/** The format of the file. */
	kind: ContainerKind | 'json';
	/** The graph in API format. */
	api?: unknown;
	/** The workflow in the editor format. */
	editor?: unknown;
	/** How many numbers JSON does not have (`NaN`). They are null in the graphs. */
	lostNumbers: number;
	/** The file has settings of another program instead of a workflow. */
	isForeign: boolean;
	/** Why a graph in the file cannot be read, as half a sentence. */
	unreadable?: string;
}

type ReadTexts = (reader: ByteReader, texts: GraphTexts) => Promise<void>;

const CONTAINERS: ReadonlyArray<{ kind: ContainerKind; signature: RegExp; readTexts: ReadTexts }> = [
	{ kind: 'png', signature: /^\x89PNG\r\n/, readTexts: readPng },
	{ kind: 'webp', signature: /^RIFF[^]{4}WEBP/, readTexts: readWebp },
	{ kind: 'avif', signature: /^[^]{4}ftyp(avi[fs]|mif1)/, readTexts: readAvif },
	{ kind: 'mp4', signature: /^[^]{4}ftyp/, readTexts: readIsoMedia },
	{ kind: 'matroska', signature: /^[^]E\xdf\xa3/, readTexts: readMatroska },
	{ kind: 'flac', signature: /^fLaC/, readTexts: readFlac },
	{ kind: 'ogg', signature: /^OggS/, readTexts: readOgg },
	{ kind: 'mp3', signature: /^ID3/, readTexts: readMp3 },
	{ kind: 'glb', signature: /^glTF/, readTexts: readGlb },
	{ kind: 'safetensors', signature: /^[^]{5}\0\0\0\{/, readTexts: readSafetensors },
	{
		kind: 'svg',
		signature: /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->)[^])*-->\s*)*(<!doctype svg[^>]*>\s*)?<svg\b/i,
		readTexts: readSvg,
	},
];
const JSON_START = /^((\xef\xbb\xbf)?\s*[{[]|\xff\xfe\s|\xff\xfe[{[]|\xfe\xff\0[\s{[])/;
const HEAD_BYTES = 1_024;
const TOO_LONG = `it is longer than ${LONGEST_BYTES / 1024 / 1024} MB`;

/**
 * Reads the graphs of a JSON file, or of an image, video, audio file, 3D scene or latent that ComfyUI has saved.
 * @returns undefined for a file of another format.
 */
export async function readEmbeddedWorkflow(chunks: AsyncIterable<Uint8Array>): Promise<EmbeddedWorkflow | undefined> {
	const reader = new ByteReader(chunks);
	try {
		const head = (await reader.peek(HEAD_BYTES)).toString('latin1');
		const container = CONTAINERS.find(({ signature }) => signature.test(head));
		if (container !== undefined) return await readContainer(container.kind, container.readTexts, reader);
		return JSON_START.test(head) ? await readJsonFile(reader) : undefined;
	} finally {
		await reader.close();
	}
}

async function readContainer(kind: ContainerKind, readTexts: ReadTexts, reader: ByteReader): Promise<EmbeddedWorkflow> {
	const texts = new GraphTexts();
	const found: EmbeddedWorkflow = { kind, lostNumbers: 0, isForeign: false };
	const reading = await outcomeOf(readTexts(reader, texts));
	if (!reading.ok && reading.error instanceof TooLong) found.unreadable = TOO_LONG;
	else if (!reading.ok && !(reading.error instanceof EndOfFile)) throw reading.error;
	if (texts.isAmbiguous) return { ...found, unreadable: 'it has two different graphs of the same name' };
	for (const text of [texts.get('prompt'), texts.get('workflow')]) if (text !== undefined) addText(found, text);
	if (!hasGraph(found) && texts.comment !== undefined) addComment(found, texts.comment);
	if (hasGraph(found)) {
		delete found.unreadable;
		found.isForeign = false;
	} else found.isForeign ||= texts.isForeign;
	return found;
}

const hasGraph = ({ api, editor }: EmbeddedWorkflow): boolean => api !== undefined || editor !== undefined;

const isEditorFile = (value: unknown): boolean => isEditorFormat(value) || (isRecord(value) && Array.isArray(value.nodes));

/** The content decides on the format, because some programs store a graph under the other name. The first of each format counts. */
function addGraph(found: EmbeddedWorkflow, value: unknown): void {
	if (isEditorFile(value)) found.editor ??= value;
	else if (isRecord(value)) found.api ??= value;
}

/** Other programs store the words of their prompt under the same name. */
function addText(found: EmbeddedWorkflow, text: string): void {
	try {
		const { value, lostNumbers } = parsePythonJson(text);
		found.lostNumbers += lostNumbers;
		addGraph(found, value);
	} catch (error) {
		if (/^\s*[{[]/.test(text)) found.unreadable = describeParseError(error);
		else if (text.trim() !== '') found.isForeign = true;
	}
}

/** A comment can be any text, so a comment that is not JSON is no error. */
function addComment(found: EmbeddedWorkflow, comment: string): void {
	if (!/"(prompt|workflow)"/.test(comment)) return;
	try {
		const { value, lostNumbers } = parsePythonJson(comment);
		if (!isRecord(value)) return;
		found.lostNumbers += lostNumbers;
		for (const part of [value.prompt, value.workflow]) {
			if (typeof part === 'string') addText(found, part);
			else addGraph(found, part);
		}
	} catch {
		// The comment is not JSON.
	}
}

/** @returns half a sentence. */
function describeParseError(error: unknown): string {
	const reason = error instanceof Error ? error.message : String(error);
	return error instanceof TooManyValues ? reason : `it is not valid JSON: ${reason}`;
}

async function readJsonFile(reader: ByteReader): Promise<EmbeddedWorkflow> {
	const found: EmbeddedWorkflow = { kind: 'json', lostNumbers: 0, isForeign: false };
	const bytes = await outcomeOf(reader.takeRest());
	if (!bytes.ok && !(bytes.error instanceof TooLong)) throw bytes.error;
	if (!bytes.ok) return { ...found, unreadable: TOO_LONG };
	try {
		const { value, lostNumbers } = parsePythonJson(decodeFile(bytes.value));
		found.lostNumbers = lostNumbers;
		for (const graph of listGraphs(value)) addGraph(found, graph);
	} catch (error) {
		found.unreadable = describeParseError(error);
	}
	return found;
}

/** Some Windows editors save UTF-16. */
function decodeFile(bytes: Buffer): string {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
	return decodeMetadataText(bytes).replace(/^\uFEFF/, '');
}

/** The body of a submission holds both graphs. n8n writes a single item as a list of one. */
function listGraphs(content: unknown): unknown[] {
	const value: unknown = Array.isArray(content) && content.length === 1 ? content[0] : content;
	if (!isRecord(value) || isEditorFile(value)) return [value];
	const extra = recordOf(recordOf(value.extra_data).extra_pnginfo);
	const wrapped = [value.prompt, value.workflow, extra.workflow].filter((one) => isRecord(one) && !('class_type' in one));
	return wrapped.length === 0 ? [value] : wrapped;
}
