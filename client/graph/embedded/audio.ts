import { withoutTrailing } from '../../text/text';
import { type ByteReader, LONGEST_BYTES, TooLong } from './byteReader';
import { decodeMetadataText, type GraphTexts } from './graphTexts';

const FLAC_COMMENT_BLOCK = 4;

export async function readFlac(reader: ByteReader, texts: GraphTexts): Promise<void> {
	await reader.skip(4);
	for (let isLast = false; !isLast && texts.shouldReadNextPart();) {
		const head = await reader.take(4);
		const kind = head.readUInt8(0);
		const length = head.readUIntBE(1, 3);
		isLast = kind >= 0x80;
		if ((kind & 0x7f) === FLAC_COMMENT_BLOCK) readVorbisComments(await reader.take(length), texts);
		else await reader.skip(length);
	}
}

const OGG_PAGE_HEAD_BYTES = 27;
/** A packet continues in the next part of a page as long as its parts are full. */
const OGG_FULL_PART = 255;
const OGG_COMMENT_STARTS = ['OpusTags', '\x03vorbis'];

/** The comments are the second packet. It can fill several pages. */
export async function readOgg(reader: ByteReader, texts: GraphTexts): Promise<void> {
	let packet: Buffer[] = [];
	let length = 0;
	for (let packets = 0; packets < 2 && texts.shouldReadNextPart();) {
		const head = await reader.take(OGG_PAGE_HEAD_BYTES);
		if (head.toString('latin1', 0, 4) !== 'OggS') return;
		for (const part of await reader.take(head.readUInt8(26))) {
			packet.push(await reader.take(part));
			length += part;
			if (length > LONGEST_BYTES) throw new TooLong();
			if (part === OGG_FULL_PART) continue;
			readOggPacket(Buffer.concat(packet), texts);
			[packet, length, packets] = [[], 0, packets + 1];
		}
	}
}

function readOggPacket(packet: Buffer, texts: GraphTexts): void {
	const start = OGG_COMMENT_STARTS.find((word) => packet.toString('latin1', 0, word.length) === word);
	if (start !== undefined) readVorbisComments(packet.subarray(start.length), texts);
}

/** Reads `name=text`, as FLAC, Opus and Vorbis have them. */
function readVorbisComments(bytes: Buffer, texts: GraphTexts): void {
	const readLength = (at: number): number => (at + 4 > bytes.byteLength ? Infinity : bytes.readUInt32LE(at));
	const listAt = 4 + readLength(0);
	const count = readLength(listAt);
	if (count === Infinity) return;
	for (let at = listAt + 4, left = count; left > 0 && at + 4 <= bytes.byteLength && texts.shouldReadNextPart(); left--) {
		const comment = bytes.subarray(at + 4, at + 4 + readLength(at));
		const equals = comment.indexOf('=');
		const name = decodeMetadataText(comment.subarray(0, Math.max(equals, 0)));
		if (texts.needs(name)) texts.add(name, comment.subarray(equals + 1));
		at += 4 + readLength(at);
	}
}

const ID3_HEAD_BYTES = 10;
const ID3_UTF16_ENCODINGS = new Set([1, 2]);

/** Reads the ID3 tag at the beginning of an MP3. Its `TXXX` frames hold texts of any name. */
export async function readMp3(reader: ByteReader, texts: GraphTexts): Promise<void> {
	const head = await reader.take(ID3_HEAD_BYTES);
	const version = head.readUInt8(3);
	const isUnsynchronised = (head.readUInt8(5) & 0x80) !== 0;
	const raw = await reader.take(toSafeNumber(head.subarray(6)));
	const tag = version < 4 && isUnsynchronised ? withoutUnsynchronisation(raw) : raw;
	for (let at = 0; at + ID3_HEAD_BYTES <= tag.byteLength && tag[at] !== 0 && texts.shouldReadNextPart();) {
		const size = tag.subarray(at + 4, at + 8);
		const length = version < 4 ? size.readUInt32BE(0) : toSafeNumber(size);
		const start = at + ID3_HEAD_BYTES;
		if (tag.toString('latin1', at, at + 4) === 'TXXX') readId3Text(tag.subarray(start, start + length), texts);
		at = start + length;
	}
}

/** ID3 uses seven bits of each byte of such a number. */
const toSafeNumber = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);

/** Older tags have a zero after each 0xff, so that players do not take a tag for sound. */
const withoutUnsynchronisation = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replaceAll('\xff\0', '\xff'), 'latin1');

function readId3Text(frame: Buffer, texts: GraphTexts): void {
	const encoding = frame[0] ?? 0;
	const width = ID3_UTF16_ENCODINGS.has(encoding) ? 2 : 1;
	const isEnd = (at: number): boolean => frame[at] === 0 && (width === 1 || frame[at + 1] === 0);
	let end = 1;
	while (end + width <= frame.byteLength && !isEnd(end)) end += width;
	const [name, text] = [frame.subarray(1, end), frame.subarray(end + width)];
	if (width === 1) texts.add(decodeMetadataText(name), text);
	else texts.add(decodeUtf16(name, encoding), decodeUtf16(text, encoding));
}

/** Encoding 1 begins with a byte order mark. Encoding 2 is always big-endian. */
function decodeUtf16(bytes: Buffer, encoding: number): string {
	const isBigEndian = encoding === 2 || bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]));
	return withoutTrailing('\0', new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(bytes));
}
