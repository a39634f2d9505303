import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

import { outcomeOf } from '../../transport/outcome';
import { type ByteReader, LONGEST_BYTES, TooLong } from './byteReader';
import { isGraphName, type Texts } from './texts';

/** `comf` is ComfyUI's own, in animated pictures. */
const TEXT_CHUNKS = new Set(['tEXt', 'zTXt', 'iTXt', 'comf']);
const SIGNATURE_BYTES = 8;
const CHECKSUM_BYTES = 4;
const LONGEST_NAME = 80;

const inflated = promisify<Uint8Array, object, Buffer>(inflate);

/** A few bytes may unpack to gigabytes. */
async function unpacked(bytes: Uint8Array): Promise<Buffer | undefined> {
	const text = await outcomeOf(inflated(bytes, { maxOutputLength: LONGEST_BYTES }));
	if (text.ok) return text.value;
	if ((text.error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLong();
	return undefined;
}

/** What stands behind the name and its zero. */
async function textOf(type: string, rest: Buffer): Promise<Buffer | undefined> {
	if (type === 'zTXt') return await unpacked(rest.subarray(1));
	if (type !== 'iTXt') return rest;
	// Whether packed, how, then a language and a translated name, each up to a zero.
	const language = rest.indexOf(0, 2);
	const translated = language < 0 ? -1 : rest.indexOf(0, language + 1);
	if (translated < 0) return undefined;
	const text = rest.subarray(translated + 1);
	return rest[0] === 1 ? await unpacked(text) : text;
}

/** Text chunks, before the picture or after it. Once both graphs are known, those after it are not read. */
export async function readPng(reader: ByteReader, texts: Texts): Promise<void> {
	const read = new Map<string, Buffer>();
	let isPicture = false;
	await reader.skip(SIGNATURE_BYTES);
	while (!texts.isAmbiguous && texts.goesOn(!isPicture)) {
		const head = await reader.take(8);
		const length = head.readUInt32BE(0);
		const type = head.toString('latin1', 4);
		if (type === 'IEND') return;
		isPicture ||= type === 'IDAT';
		if (isPicture && !texts.goesOn()) return;
		await (TEXT_CHUNKS.has(type) ? readText(type, length, reader, texts, read) : reader.skip(length));
		await reader.skip(CHECKSUM_BYTES);
	}
}

/** @param read the chunks of graphs so far, as they stand in the file: to unpack one again could take long. */
async function readText(type: string, length: number, reader: ByteReader, texts: Texts, read: Map<string, Buffer>): Promise<void> {
	const start = await reader.take(Math.min(length, LONGEST_NAME));
	const end = start.indexOf(0);
	const name = start.toString('latin1', 0, Math.max(end, 0));
	const earlier = read.get(name);
	if (earlier === undefined && !texts.wants(name)) return await reader.skip(length - start.byteLength);
	const rest = Buffer.concat([start.subarray(end + 1), await reader.take(length - start.byteLength)]);
	if (earlier !== undefined) texts.isAmbiguous = !earlier.equals(rest);
	if (earlier !== undefined) return;
	if (isGraphName(name)) read.set(name, rest);
	const text = await textOf(type, rest);
	if (text !== undefined) texts.add(name, text);
}
