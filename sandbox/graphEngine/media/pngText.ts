import { crc32 } from 'node:zlib';

/** Signature and the header chunk, which comes first. */
const HEAD_BYTES = 33;

function chunk(type: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	const framed = Buffer.alloc(named.length + 8);
	framed.writeUInt32BE(content.length, 0);
	named.copy(framed, 4);
	framed.writeUInt32BE(crc32(named), named.length + 4);
	return framed;
}

/** What Python's JSON writes: no byte above ASCII. */
const ascii = (text: string): string =>
	text.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A PNG with a text beside its pixels, as ComfyUI's SaveImage keeps the graph it comes from. */
export const withPngText = (png: Buffer, keyword: string, json: string): Buffer =>
	Buffer.concat([
		png.subarray(0, HEAD_BYTES),
		chunk('tEXt', Buffer.from(`${keyword}\0${ascii(json)}`, 'latin1')),
		png.subarray(HEAD_BYTES),
	]);
