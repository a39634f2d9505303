/** A process that reads files which are made to keep their reader busy, or to fill its memory: the process that waits for it can end it. */
import '../../../support/loopbackOnly';
import { readEmbeddedWorkflow } from '../../../../client/graph/embedded/readEmbeddedWorkflow';

/** Most of its parts are a few bytes long. */
const SIZE = 32 * 1024 * 1024 - 64;

const big = (length: number): Buffer => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(length);
	return bytes;
};
const little = (length: number): Buffer => Buffer.from(big(length).reverse());
const filled = (part: Buffer | string): Buffer => Buffer.alloc(SIZE, part);

/** A length of Matroska in eight bytes. */
const wide = (length: number): Buffer => {
	const bytes = Buffer.alloc(8);
	bytes.writeBigUInt64BE(BigInt(length));
	bytes[0] = 1;
	return bytes;
};
const MATROSKA = Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80]);
const EMPTY_ELEMENT = Buffer.from([0x81, 0x80]);

const id3 = (frames: Buffer): Buffer =>
	Buffer.concat([Buffer.from('ID3\x04\0\0'), Buffer.from([21, 14, 7, 0].map((bits) => (frames.length >> bits) & 127)), frames]);

/** Each entry of the directory leads to the same long text. */
function exif(): Buffer {
	const entries = 65_000;
	const tiff = Buffer.alloc(SIZE);
	tiff.write('II*\0\x08\0\0\0', 'latin1');
	tiff.writeUInt16LE(entries, 8);
	const textAt = 10 + entries * 12;
	for (let at = 10; at < textAt; at += 12) {
		tiff.writeUInt16LE(0x10f, at);
		tiff.writeUInt16LE(2, at + 2);
		tiff.writeUInt32LE(SIZE - textAt, at + 4);
		tiff.writeUInt32LE(textAt, at + 8);
	}
	tiff.fill('prompt:', textAt);
	return Buffer.concat([Buffer.from('RIFF'), little(SIZE + 12), Buffer.from('WEBPEXIF'), little(SIZE), tiff]);
}

const HOSTILE_FILES: Record<string, () => Buffer> = {
	'an SVG of comments': () => Buffer.from('<!---->'.repeat(140)),
	'an EXIF directory whose entries are one text': exif,
	'a Matroska tag of empty elements': () =>
		Buffer.concat([
			MATROSKA,
			Buffer.from('1254c367', 'hex'),
			wide(SIZE + 20),
			Buffer.from('7373', 'hex'),
			wide(SIZE + 10),
			Buffer.from('67c8', 'hex'),
			wide(SIZE),
			filled(EMPTY_ELEMENT),
		]),
	'a Matroska file of empty elements': () => Buffer.concat([MATROSKA, filled(EMPTY_ELEMENT)]),
	'an MP4 whose meta is of empty boxes': () =>
		Buffer.concat([big(16), Buffer.from('ftypisom\0\0\0\0'), big(SIZE + 12), Buffer.from('meta\0\0\0\0'), filled('\0\0\0\x08aaaa')]),
	'an MP4 of empty boxes': () => Buffer.concat([big(16), Buffer.from('ftypisom\0\0\0\0'), filled('\0\0\0\x08free')]),
	'an ID3 tag of empty texts': () => id3(filled('TXXX\0\0\0\0\0\0')),
	'an ID3 text without an end': () => id3(Buffer.concat([Buffer.from('TXXX\x0f\x7f\x7f\x40\0\0'), filled('a').subarray(10)])),
	'an ID3 text of zeros': () =>
		id3(Buffer.concat([Buffer.from('TXXX\x07\x7f\x7f\x40\0\0\x01a\0\0\0'), filled('\0').subarray(0, SIZE / 2), Buffer.from('ab')])),
	'FLAC comments without a length': () =>
		Buffer.concat([Buffer.from('fLaC'), Buffer.from('84ffffff', 'hex'), Buffer.alloc(4), little(0x0fffffff), Buffer.alloc(0xffffff - 8)]),
	'a PNG of empty chunks': () => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), filled('\0\0\0\0IDAT\0\0\0\0')]),
	'an Ogg of empty pages': () => filled(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)])),
	'a JSON text of opening brackets': () => filled('['),
};

async function* chunksOf(file: Buffer): AsyncGenerator<Uint8Array> {
	const length = 1024 * 1024;
	for (let at = 0; at < file.length; at += length) yield await Promise.resolve(file.subarray(at, at + length));
}

async function main(): Promise<void> {
	for (const [name, make] of Object.entries(HOSTILE_FILES)) {
		const found = await readEmbeddedWorkflow(chunksOf(make()));
		process.send?.({ name, hasGraph: found?.api !== undefined || found?.editor !== undefined });
	}
}

void main().then(() => process.disconnect());
