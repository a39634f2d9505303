import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

import { outcomeOf } from '../../async/outcome';
import { type ByteReader, LONGEST_BYTES, TooLong } from './byteReader';
import { decodeMetadataText, type GraphTexts, isGraphName } from './graphTexts';

/** ComfyUI writes `comf` chunks into animated images. */
const PNG_TEXT_CHUNKS = new Set(['tEXt', 'zTXt', 'iTXt', 'comf']);
const PNG_SIGNATURE_BYTES = 8;
const PNG_CHECKSUM_BYTES = 4;
const LONGEST_PNG_NAME = 80;

/** Text chunks stand before or after the pixels. Once both graphs are read, the chunks after the pixels are not read. */
export async function readPng(reader: ByteReader, texts: GraphTexts): Promise<void> {
	const graphChunks = new Map<string, Buffer>();
	let hasPixels = false;
	await reader.skip(PNG_SIGNATURE_BYTES);
	while (!texts.isAmbiguous && texts.shouldReadNextPart(!hasPixels)) {
		const head = await reader.take(8);
		const length = head.readUInt32BE(0);
		const type = head.toString('latin1', 4);
		if (type === 'IEND') return;
		hasPixels ||= type === 'IDAT';
		if (hasPixels && !texts.shouldReadNextPart()) return;
		await (PNG_TEXT_CHUNKS.has(type) ? readPngText(type, length, reader, texts, graphChunks) : reader.skip(length));
		await reader.skip(PNG_CHECKSUM_BYTES);
	}
}

/** @param graphChunks the chunks of graphs that were read before, as the file has them. To unpack one again could take long. */
async function readPngText(
	type: string,
	length: number,
	reader: ByteReader,
	texts: GraphTexts,
	graphChunks: Map<string, Buffer>,
): Promise<void> {
	const start = await reader.take(Math.min(length, LONGEST_PNG_NAME));
	const end = start.indexOf(0);
	const name = start.toString('latin1', 0, Math.max(end, 0));
	const earlier = graphChunks.get(name);
	if (earlier === undefined && !texts.needs(name)) return await reader.skip(length - start.byteLength);
	const content = Buffer.concat([start.subarray(end + 1), await reader.take(length - start.byteLength)]);
	if (earlier !== undefined) {
		texts.isAmbiguous = !earlier.equals(content);
		return;
	}
	if (isGraphName(name)) graphChunks.set(name, content);
	const text = await unpackPngText(type, content);
	if (text !== undefined) texts.add(name, text);
}

/** @param content the bytes after the name and its zero. */
async function unpackPngText(type: string, content: Buffer): Promise<Buffer | undefined> {
	if (type === 'zTXt') return await inflateText(content.subarray(1));
	if (type !== 'iTXt') return content;
	// Two bytes say whether and how the text is packed. A language and a translated name follow, each up to a zero.
	const language = content.indexOf(0, 2);
	const translated = language < 0 ? -1 : content.indexOf(0, language + 1);
	if (translated < 0) return undefined;
	const text = content.subarray(translated + 1);
	return content[0] === 1 ? await inflateText(text) : text;
}

const inflateBytes = promisify<Uint8Array, object, Buffer>(inflate);

/** @returns undefined for damaged bytes. @throws TooLong, because a few bytes may unpack to gigabytes. */
async function inflateText(bytes: Uint8Array): Promise<Buffer | undefined> {
	const text = await outcomeOf(inflateBytes(bytes, { maxOutputLength: LONGEST_BYTES }));
	if (text.ok) return text.value;
	if ((text.error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLong();
	return undefined;
}

const WEBP_HEAD_BYTES = 12;

export async function readWebp(reader: ByteReader, texts: GraphTexts): Promise<void> {
	await reader.skip(WEBP_HEAD_BYTES);
	while (texts.shouldReadNextPart()) {
		const head = await reader.take(8);
		const length = head.readUInt32LE(4);
		if (head.toString('latin1', 0, 4) === 'EXIF') return readExif(await reader.take(length), texts);
		// Chunks have an even length. A byte fills up an odd one.
		await reader.skip(length + (length % 2));
	}
}

const EXIF_ENTRY_BYTES = 12;
const EXIF_ASCII = 2;
/** A text of up to four bytes is stored in its entry. */
const EXIF_INLINE_BYTES = 4;

/** ComfyUI writes `prompt:{…}` into the tag Model, `workflow:{…}` into Make, and other texts into the tags below. */
const EXIF_NAME = /^(prompt|workflow):/i;
const LONGEST_EXIF_NAME = 'workflow:'.length;

/** Reads the texts of the first directory, in either byte order. Damaged entries are skipped. */
export function readExif(bytes: Buffer, texts: GraphTexts): void {
	const tiff = bytes.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? bytes.subarray(6) : bytes;
	const isLittleEndian = tiff.toString('latin1', 0, 2) === 'II';
	if (tiff.byteLength < 8 || (!isLittleEndian && tiff.toString('latin1', 0, 2) !== 'MM')) return;
	const readU16 = (at: number): number => {
		if (at + 2 > tiff.byteLength) return 0;
		return isLittleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
	};
	const readU32 = (at: number): number => {
		if (at + 4 > tiff.byteLength) return 0;
		return isLittleEndian ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at);
	};
	const directory = readU32(4);
	for (let index = 0, count = readU16(directory); index < count; index++) {
		const entry = directory + 2 + index * EXIF_ENTRY_BYTES;
		if (entry + EXIF_ENTRY_BYTES > tiff.byteLength) return;
		if (readU16(entry + 2) !== EXIF_ASCII) continue;
		const length = readU32(entry + 4);
		const start = length <= EXIF_INLINE_BYTES ? entry + 8 : readU32(entry + 8);
		const name = EXIF_NAME.exec(tiff.toString('latin1', start, Math.min(start + LONGEST_EXIF_NAME, tiff.byteLength)))?.[1];
		if (name !== undefined) texts.add(name, tiff.subarray(start + name.length + 1, start + length));
	}
}

const SVG_METADATA_START = /<metadata>\s*<!\[CDATA\[/;
/** ComfyUI does not escape its texts, so the first end counts. */
const SVG_METADATA_END = /\]\]>\s*<\/metadata>/;

/** ComfyUI writes one JSON with both graphs behind the first tag. */
export async function readSvg(reader: ByteReader, texts: GraphTexts): Promise<void> {
	const svg = decodeMetadataText(await reader.takeRest());
	const start = SVG_METADATA_START.exec(svg);
	if (start === null) return;
	const metadata = svg.slice(start.index + start[0].length);
	const end = SVG_METADATA_END.exec(metadata);
	if (end !== null) texts.comment = metadata.slice(0, end.index);
}
