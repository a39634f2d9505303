import type { ByteReader } from './byteReader';
import { decodeMetadataText, type GraphTexts } from './graphTexts';

export const BOX_HEAD_BYTES = 8;
/** Boxes that contain further boxes with texts. */
const CONTAINER_BOXES = new Set(['moov', 'udta']);

/** MP4 and MOV consist of nested boxes. */
export async function readIsoMedia(reader: ByteReader, texts: GraphTexts): Promise<void> {
	while (texts.shouldReadNextPart()) {
		const head = await reader.take(BOX_HEAD_BYTES);
		const type = head.toString('latin1', 4);
		let length = head.readUInt32BE(0) - BOX_HEAD_BYTES;
		if (head.readUInt32BE(0) === 1) length = Number((await reader.take(8)).readBigUInt64BE()) - BOX_HEAD_BYTES - 8;
		// The length 0 stands for the rest of the file. A length below that of the head is invalid.
		if (length < 0) return;
		if (type === 'meta') readMetaBox(await reader.take(length), texts);
		else if (!CONTAINER_BOXES.has(type)) await reader.skip(length);
	}
}

export interface Box {
	type: string;
	body: Buffer;
}

export function* readBoxes(bytes: Buffer, texts: GraphTexts): Generator<Box> {
	for (let at = 0; at + BOX_HEAD_BYTES <= bytes.byteLength && texts.shouldReadNextPart();) {
		const length = bytes.readUInt32BE(at);
		if (length < BOX_HEAD_BYTES) return;
		yield { type: bytes.toString('latin1', at + 4, at + BOX_HEAD_BYTES), body: bytes.subarray(at + BOX_HEAD_BYTES, at + length) };
		at += length;
	}
}

/** `ilst` holds values under the numbers of `keys`, or under iTunes' four letters. */
function readMetaBox(meta: Buffer, texts: GraphTexts): void {
	// MP4 has a version of four bytes before the boxes, MOV has none.
	const content = meta.toString('latin1', 4, 8) === 'hdlr' ? meta : meta.subarray(4);
	const boxes = new Map([...readBoxes(content, texts)].map(({ type, body }) => [type, body]));
	const names = readKeys(boxes.get('keys'), texts);
	for (const { type, body } of readBoxes(boxes.get('ilst') ?? Buffer.alloc(0), texts)) {
		const name = type === '\xa9cmt' ? 'comment' : names[Buffer.from(type, 'latin1').readUInt32BE(0) - 1];
		const value = [...readBoxes(body, texts)].find((box) => box.type === 'data')?.body.subarray(8);
		if (name !== undefined && value !== undefined) texts.add(name, value);
	}
}

const readKeys = (keys: Buffer | undefined, texts: GraphTexts): string[] =>
	keys === undefined ? [] : [...readBoxes(keys.subarray(8), texts)].map(({ body }) => body.toString('utf8'));

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_TEXT = 0x4487;

/** No real file nests tags deeper. */
const DEEPEST_TAG = 4;

/** MKV and WebM consist of nested elements, with ids and lengths of one to eight bytes. */
export async function readMatroska(reader: ByteReader, texts: GraphTexts): Promise<void> {
	while (texts.shouldReadNextPart()) {
		const id = await takeNumber(reader, 'id');
		const length = await takeNumber(reader, 'length');
		if (id < 0 || length < 0) return;
		if (id === TAGS && Number.isFinite(length)) readTags(await reader.take(length), texts);
		// A live recording has clusters without a length. Their elements are read one by one.
		else if (id === SEGMENT || (id === CLUSTER && length === Infinity)) continue;
		else if (length === Infinity) return;
		else await reader.skip(length);
	}
}

/** The first byte contains how many bytes a number has. */
const countBytes = (first: number): number => Math.clz32(first) - 23;
const isUnknownLength = (first: number, rest: Uint8Array): boolean =>
	rest.every((byte) => byte === 0xff) && (first | ((0xff << (8 - countBytes(first))) & 0xff)) === 0xff;

/** An id keeps the bit that marks its length, and a length does not. */
function toNumber(bytes: Uint8Array, kind: 'id' | 'length'): number {
	const [first = 0, ...rest] = bytes;
	return rest.reduce((sum, byte) => sum * 256 + byte, kind === 'length' ? first & ((1 << (8 - bytes.byteLength)) - 1) : first);
}

/** @returns -1 for an invalid number, and Infinity for an unknown length. */
async function takeNumber(reader: ByteReader, kind: 'id' | 'length'): Promise<number> {
	const head = await reader.take(1);
	const first = head[0] ?? 0;
	const byteCount = countBytes(first);
	if (byteCount > 8) return -1;
	const rest = await reader.take(byteCount - 1);
	if (kind === 'length' && isUnknownLength(first, rest)) return Infinity;
	return toNumber(Buffer.concat([head, rest]), kind);
}

interface Element {
	id: number;
	body: Buffer;
}

function* readElements(bytes: Buffer, texts: GraphTexts): Generator<Element> {
	for (let at = 0; at < bytes.byteLength && texts.shouldReadNextPart();) {
		const idLength = countBytes(bytes[at] ?? 0);
		const sizeAt = at + idLength;
		const sizeLength = countBytes(bytes[sizeAt] ?? 0);
		const start = sizeAt + sizeLength;
		if (idLength > 4 || sizeLength > 8 || start > bytes.byteLength) return;
		const end = start + toNumber(bytes.subarray(sizeAt, start), 'length');
		yield { id: toNumber(bytes.subarray(at, sizeAt), 'id'), body: bytes.subarray(start, end) };
		at = end;
	}
}

function readTags(tags: Buffer, texts: GraphTexts, depth = 0): void {
	if (depth > DEEPEST_TAG) return;
	for (const { id, body } of readElements(tags, texts)) {
		if (id === TAG) readTags(body, texts, depth + 1);
		else if (id === SIMPLE_TAG) readSimpleTag(body, texts);
	}
}

function readSimpleTag(tag: Buffer, texts: GraphTexts): void {
	const parts = new Map([...readElements(tag, texts)].map(({ id, body }) => [id, body]));
	const [name, text] = [parts.get(TAG_NAME), parts.get(TAG_TEXT)];
	if (name !== undefined && text !== undefined) texts.add(decodeMetadataText(name), text);
}
