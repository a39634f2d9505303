import type { ByteReader } from './byteReader';
import { withoutTrailing } from '../../text';
import { decodedText, type Texts } from './texts';

/** The tag at the beginning of an MP3: `TXXX` frames hold texts of any name. */

const HEAD_BYTES = 10;
const UTF16 = new Set([1, 2]);

/** Seven bits of each byte. */
const safeNumber = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);

const isUnsynchronised = (flags: number): boolean => (flags & 0x80) !== 0;

/** In older tags a zero stands behind each 0xff, so that players take nothing for sound. */
const synchronised = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replaceAll('\xff\0', '\xff'), 'latin1');

export async function readMp3(reader: ByteReader, texts: Texts): Promise<void> {
	const head = await reader.take(HEAD_BYTES);
	const version = head.readUInt8(3);
	const raw = await reader.take(safeNumber(head.subarray(6)));
	const tag = version < 4 && isUnsynchronised(head.readUInt8(5)) ? synchronised(raw) : raw;
	for (let at = 0; at + HEAD_BYTES <= tag.byteLength && tag[at] !== 0 && texts.goesOn();) {
		const size = tag.subarray(at + 4, at + 8);
		const length = version < 4 ? size.readUInt32BE(0) : safeNumber(size);
		if (tag.toString('latin1', at, at + 4) === 'TXXX') readFrame(tag.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length), texts);
		at += HEAD_BYTES + length;
	}
}

function readFrame(frame: Buffer, texts: Texts): void {
	const encoding = frame[0] ?? 0;
	const width = UTF16.has(encoding) ? 2 : 1;
	const isEnd = (at: number): boolean => frame[at] === 0 && (width === 1 || frame[at + 1] === 0);
	let end = 1;
	while (end + width <= frame.byteLength && !isEnd(end)) end += width;
	const [name, text] = [frame.subarray(1, end), frame.subarray(end + width)];
	if (width === 1) texts.add(decodedText(name), text);
	else texts.add(utf16(name, encoding), utf16(text, encoding));
}

/** 1 says its order itself, 2 is always the big end first. */
function utf16(bytes: Buffer, encoding: number): string {
	const isBig = encoding === 2 || bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]));
	return withoutTrailing('\0', new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes));
}
