import { type ByteReader, LONGEST_BYTES, TooLong } from './byteReader';
import { decodedText, type Texts } from './texts';

/** `name=text`, as FLAC, Opus and Vorbis have them. */
function readComments(bytes: Buffer, texts: Texts): void {
	const lengthAt = (at: number): number => (at + 4 > bytes.byteLength ? Infinity : bytes.readUInt32LE(at));
	const listAt = 4 + lengthAt(0);
	const count = lengthAt(listAt);
	if (count === Infinity) return;
	for (let at = listAt + 4, left = count; left > 0 && at + 4 <= bytes.byteLength && texts.goesOn(); left--) {
		const comment = bytes.subarray(at + 4, at + 4 + lengthAt(at));
		const equals = comment.indexOf('=');
		const name = decodedText(comment.subarray(0, Math.max(equals, 0)));
		if (texts.wants(name)) texts.add(name, comment.subarray(equals + 1));
		at += 4 + lengthAt(at);
	}
}

const COMMENT_BLOCK = 4;

export async function readFlac(reader: ByteReader, texts: Texts): Promise<void> {
	await reader.skip(4);
	for (let isLast = false; !isLast && texts.goesOn();) {
		const head = await reader.take(4);
		const kind = head.readUInt8(0);
		const length = head.readUIntBE(1, 3);
		isLast = kind >= 0x80;
		if ((kind & 0x7f) === COMMENT_BLOCK) readComments(await reader.take(length), texts);
		else await reader.skip(length);
	}
}

const PAGE_HEAD_BYTES = 27;
/** A packet goes on in the next part of a page as long as parts are full. */
const FULL_PART = 255;
const COMMENTS = ['OpusTags', '\x03vorbis'];

/** Comments are the second packet, of as many pages as it takes. */
export async function readOgg(reader: ByteReader, texts: Texts): Promise<void> {
	let packet: Buffer[] = [];
	let length = 0;
	for (let packets = 0; packets < 2 && texts.goesOn();) {
		const head = await reader.take(PAGE_HEAD_BYTES);
		if (head.toString('latin1', 0, 4) !== 'OggS') return;
		for (const part of await reader.take(head.readUInt8(26))) {
			packet.push(await reader.take(part));
			length += part;
			if (length > LONGEST_BYTES) throw new TooLong();
			if (part === FULL_PART) continue;
			readPacket(Buffer.concat(packet), texts);
			[packet, length, packets] = [[], 0, packets + 1];
		}
	}
}

function readPacket(packet: Buffer, texts: Texts): void {
	const start = COMMENTS.find((word) => packet.toString('latin1', 0, word.length) === word);
	if (start !== undefined) readComments(packet.subarray(start.length), texts);
}
