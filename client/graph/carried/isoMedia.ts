import type { ByteReader } from './byteReader';
import { type Texts } from './texts';

/** MP4 and MOV: boxes of boxes. */

const HEAD_BYTES = 8;
/** What may hold texts, on any level. */
const OPENED = new Set(['moov', 'udta']);

export async function readIsoMedia(reader: ByteReader, texts: Texts): Promise<void> {
	while (texts.goesOn()) {
		const head = await reader.take(HEAD_BYTES);
		const type = head.toString('latin1', 4);
		let length = head.readUInt32BE(0) - HEAD_BYTES;
		if (head.readUInt32BE(0) === 1) length = Number((await reader.take(8)).readBigUInt64BE()) - HEAD_BYTES - 8;
		// 0 is the rest of the file; less than its own head is no box.
		if (length < 0) return;
		if (type === 'meta') readMeta(await reader.take(length), texts);
		else if (!OPENED.has(type)) await reader.skip(length);
	}
}

interface Box {
	type: string;
	body: Buffer;
}

function* boxesOf(bytes: Buffer, texts: Texts): Generator<Box> {
	for (let at = 0; at + HEAD_BYTES <= bytes.byteLength && texts.goesOn();) {
		const length = bytes.readUInt32BE(at);
		if (length < HEAD_BYTES) return;
		yield { type: bytes.toString('latin1', at + 4, at + HEAD_BYTES), body: bytes.subarray(at + HEAD_BYTES, at + length) };
		at += length;
	}
}

/** MP4 has a version of four bytes before the boxes, MOV has none. */
const withoutVersion = (meta: Buffer): Buffer => (meta.toString('latin1', 4, 8) === 'hdlr' ? meta : meta.subarray(4));

function namesOf(keys: Buffer | undefined, texts: Texts): string[] {
	if (keys === undefined) return [];
	return [...boxesOf(keys.subarray(8), texts)].map(({ body }) => body.toString('utf8'));
}

/** `ilst` holds values under the numbers of `keys`, or under iTunes' own four letters. */
function readMeta(meta: Buffer, texts: Texts): void {
	const boxes = new Map([...boxesOf(withoutVersion(meta), texts)].map(({ type, body }) => [type, body]));
	const names = namesOf(boxes.get('keys'), texts);
	for (const { type, body } of boxesOf(boxes.get('ilst') ?? Buffer.alloc(0), texts)) {
		const name = type === '\xa9cmt' ? 'comment' : names[Buffer.from(type, 'latin1').readUInt32BE(0) - 1];
		const value = [...boxesOf(body, texts)].find((box) => box.type === 'data')?.body.subarray(8);
		if (name !== undefined && value !== undefined) texts.add(name, value);
	}
}
