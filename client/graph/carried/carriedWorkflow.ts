import { isRecord } from '../../decode';
import { outcomeOf } from '../../transport/outcome';
import { isUiFormat } from '../parseGraph';
import { ByteReader, EndOfFile, LONGEST_BYTES, TooLong } from './byteReader';
import { readMp3 } from './id3';
import { readIsoMedia } from './isoMedia';
import { readGlb, readSafetensors } from './jsonHeads';
import { readMatroska } from './matroska';
import { readPng } from './png';
import { parsePythonJson, TooManyValues } from './pythonJson';
import { readSvg } from './svg';
import { decodedText, Texts } from './texts';
import type { Carried, CarrierKind } from './types';
import { readFlac, readOgg } from './vorbis';
import { readWebp } from './webp';

type Read = (reader: ByteReader, texts: Texts) => Promise<void>;

const SIGNATURES: ReadonlyArray<readonly [pattern: RegExp, kind: Exclude<CarrierKind, 'json'>, read: Read]> = [
	[/^\x89PNG\r\n/, 'png', readPng],
	[/^RIFF[^]{4}WEBP/, 'webp', readWebp],
	[/^[^]{4}ftyp/, 'mp4', readIsoMedia],
	[/^[^]E\xdf\xa3/, 'matroska', readMatroska],
	[/^fLaC/, 'flac', readFlac],
	[/^OggS/, 'ogg', readOgg],
	[/^ID3/, 'mp3', readMp3],
	[/^glTF/, 'glb', readGlb],
	[/^[^]{5}\0\0\0\{/, 'safetensors', readSafetensors],
	[/^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->)[^])*-->\s*)*(<!doctype svg[^>]*>\s*)?<svg\b/i, 'svg', readSvg],
];
const JSON_START = /^((\xef\xbb\xbf)?\s*[{[]|\xff\xfe\s|\xff\xfe[{[]|\xfe\xff\0[\s{[])/;
const HEAD_BYTES = 1_024;

/**
 * The graphs that a file carries: a workflow's own file, or a picture, film, sound, scene or latent that ComfyUI has saved.
 * @returns undefined for a file of another kind.
 */
export async function carriedWorkflow(chunks: AsyncIterable<Uint8Array>): Promise<Carried | undefined> {
	const reader = new ByteReader(chunks);
	try {
		const head = (await reader.peek(HEAD_BYTES)).toString('latin1');
		const found = SIGNATURES.find(([pattern]) => pattern.test(head));
		if (found !== undefined) return await fromContainer(found[1], found[2], reader);
		return JSON_START.test(head) ? await fromJson(reader) : undefined;
	} finally {
		await reader.close();
	}
}

const TOO_LONG = `it is longer than ${LONGEST_BYTES / 1024 / 1024} MB`;

async function fromContainer(kind: CarrierKind, read: Read, reader: ByteReader): Promise<Carried> {
	const texts = new Texts();
	const carried: Carried = { kind, lostNumbers: 0, isForeign: false };
	const end = await outcomeOf(read(reader, texts));
	if (!end.ok && end.error instanceof TooLong) carried.unreadable = TOO_LONG;
	else if (!end.ok && !(end.error instanceof EndOfFile)) throw end.error;
	if (texts.isAmbiguous) return { ...carried, unreadable: 'it has two different graphs of the same name' };
	for (const text of [texts.get('prompt'), texts.get('workflow')]) if (text !== undefined) addText(text, carried);
	if (carried.api === undefined && carried.editor === undefined && texts.comment !== undefined) addComment(texts.comment, carried);
	const hasGraph = carried.api !== undefined || carried.editor !== undefined;
	if (hasGraph) delete carried.unreadable;
	carried.isForeign = (carried.isForeign || texts.isForeign) && !hasGraph;
	return carried;
}

/** A comment may be anything: only what is a graph counts. */
function addComment(comment: string, carried: Carried): void {
	if (!/"(prompt|workflow)"/.test(comment)) return;
	try {
		const { value, lostNumbers } = parsePythonJson(comment);
		if (!isRecord(value)) return;
		carried.lostNumbers += lostNumbers;
		for (const part of [value.prompt, value.workflow]) {
			if (typeof part === 'string') addText(part, carried);
			else add(part, carried);
		}
	} catch {
		// No graph.
	}
}

/** Why a text cannot be read, as half a sentence. */
function parseFailure(error: unknown): string {
	const reason = error instanceof Error ? error.message : String(error);
	return error instanceof TooManyValues ? reason : `it is no JSON: ${reason}`;
}

const BEGINS_AS_JSON = /^\s*[{[]/;

/** Other programs have their prompt's own words there. */
function addText(text: string, carried: Carried): void {
	try {
		const { value, lostNumbers } = parsePythonJson(text);
		carried.lostNumbers += lostNumbers;
		add(value, carried);
	} catch (error) {
		if (BEGINS_AS_JSON.test(text)) carried.unreadable = parseFailure(error);
		else if (text.trim() !== '') carried.isForeign = true;
	}
}

const isEditorFile = (value: unknown): boolean => isUiFormat(value) || (isRecord(value) && Array.isArray(value.nodes));

/** By what it is: some programs write one under the other's name. */
function add(value: unknown, carried: Carried): void {
	if (isEditorFile(value)) carried.editor ??= value;
	else if (isRecord(value)) carried.api ??= value;
}

/** A body as it is submitted holds both. */
function fromWhole(value: unknown, carried: Carried): void {
	if (!isRecord(value) || isEditorFile(value)) return add(value, carried);
	const extra = isRecord(value.extra_data) && isRecord(value.extra_data.extra_pnginfo) ? value.extra_data.extra_pnginfo : {};
	const inner = [value.prompt, value.workflow, extra.workflow].filter((one) => isRecord(one) && !('class_type' in one));
	for (const one of inner.length === 0 ? [value] : inner) add(one, carried);
}

async function fromJson(reader: ByteReader): Promise<Carried> {
	const carried: Carried = { kind: 'json', lostNumbers: 0, isForeign: false };
	const bytes = await outcomeOf(reader.rest());
	if (!bytes.ok && !(bytes.error instanceof TooLong)) throw bytes.error;
	if (!bytes.ok) return { ...carried, unreadable: TOO_LONG };
	try {
		const { value, lostNumbers } = parsePythonJson(textOf(bytes.value));
		carried.lostNumbers = lostNumbers;
		fromWhole(value, carried);
	} catch (error) {
		carried.unreadable = parseFailure(error);
	}
	return carried;
}

/** Some editors of Windows save in 16 bits. */
function textOf(bytes: Buffer): string {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
	return decodedText(bytes).replace(/^\uFEFF/, '');
}
