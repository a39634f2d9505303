import { type ByteReader } from './byteReader';
import { decodedText, type Texts } from './texts';

/** MKV and WebM: elements of elements, with ids and lengths of one to eight bytes. */

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_TEXT = 0x4487;

const OPENED = new Set([SEGMENT]);
/** Tags of tags of tags are nobody's. */
const DEEPEST = 4;

/** How many bytes a number has is told by its first. */
const lengthOf = (first: number): number => Math.clz32(first) - 23;
const isUnknown = (first: number, rest: Uint8Array): boolean =>
	rest.every((byte) => byte === 0xff) && (first | ((0xff << (8 - lengthOf(first))) & 0xff)) === 0xff;

function numberOf(bytes: Uint8Array, isLength: boolean): number {
	const [first = 0, ...rest] = bytes;
	return rest.reduce((sum, byte) => sum * 256 + byte, isLength ? first & ((1 << (8 - bytes.byteLength)) - 1) : first);
}

async function nextNumber(reader: ByteReader, isLength: boolean): Promise<number> {
	const head = await reader.take(1);
	const first = head[0] ?? 0;
	const length = lengthOf(first);
	if (length > 8) return -1;
	const rest = await reader.take(length - 1);
	if (isLength && isUnknown(first, rest)) return Infinity;
	return numberOf(Buffer.concat([head, rest]), isLength);
}

export async function readMatroska(reader: ByteReader, texts: Texts): Promise<void> {
	while (texts.goesOn()) {
		const id = await nextNumber(reader, false);
		const length = await nextNumber(reader, true);
		if (id < 0 || length < 0) return;
		if (id === TAGS && Number.isFinite(length)) readTags(await reader.take(length), texts);
		// What was written as it came has no length: one looks into it for what follows.
		else if (OPENED.has(id) || (id === CLUSTER && length === Infinity)) continue;
		else if (length === Infinity) return;
		else await reader.skip(length);
	}
}

interface Element {
	id: number;
	body: Buffer;
}

function* elementsOf(bytes: Buffer, texts: Texts): Generator<Element> {
	for (let at = 0; at < bytes.byteLength && texts.goesOn();) {
		const idLength = lengthOf(bytes[at] ?? 0);
		const sizeAt = at + idLength;
		const sizeLength = lengthOf(bytes[sizeAt] ?? 0);
		const start = sizeAt + sizeLength;
		if (idLength > 4 || sizeLength > 8 || start > bytes.byteLength) return;
		const end = start + numberOf(bytes.subarray(sizeAt, start), true);
		yield { id: numberOf(bytes.subarray(at, sizeAt), false), body: bytes.subarray(start, end) };
		at = end;
	}
}

function readTags(tags: Buffer, texts: Texts, depth = 0): void {
	if (depth > DEEPEST) return;
	for (const { id, body } of elementsOf(tags, texts)) {
		if (id === TAG) readTags(body, texts, depth + 1);
		else if (id === SIMPLE_TAG) readTag(body, texts);
	}
}

function readTag(tag: Buffer, texts: Texts): void {
	const parts = new Map([...elementsOf(tag, texts)].map(({ id, body }) => [id, body]));
	const [name, text] = [parts.get(TAG_NAME), parts.get(TAG_TEXT)];
	if (name !== undefined && text !== undefined) texts.add(decodedText(name), text);
}
