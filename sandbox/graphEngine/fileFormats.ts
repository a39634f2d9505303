/** Files that the image library cannot write. */
import { crc32 } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as letOthersRun } from 'node:timers/promises';

/** One second of H.264. Every video has these bytes. */
export const readClip = async (): Promise<Buffer> => await readFile(join(__dirname, 'fixtures', 'clip.mp4'));

/** A binary glTF 2.0 file with one triangle. Every mesh has these bytes. */
export const readMesh = async (): Promise<Buffer> => await readFile(join(__dirname, 'fixtures', 'triangle.glb'));

/** Signature and header chunk. */
const HEAD_BYTES = 33;

function pngChunk(type: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	const framed = Buffer.alloc(named.length + 8);
	framed.writeUInt32BE(content.length, 0);
	named.copy(framed, 4);
	framed.writeUInt32BE(crc32(named), named.length + 4);
	return framed;
}

/** Escapes all characters above ASCII, as Python's JSON does. */
const ascii = (text: string): string =>
	text.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Adds a text to a PNG, as ComfyUI's SaveImage does with the graph. */
export const addPngText = (png: Buffer, keyword: string, json: string): Buffer =>
	Buffer.concat([
		png.subarray(0, HEAD_BYTES),
		pngChunk('tEXt', Buffer.from(`${keyword}\0${ascii(json)}`, 'latin1')),
		png.subarray(HEAD_BYTES),
	]);

const HEADER_BYTES = 44;
const SAMPLE_RATE = 8000;

/** A RIFF/WAVE file with a tone in 16-bit PCM, one channel at half volume. @param frequency in hertz. @param duration in seconds. */
export function encodeTone({ frequency, duration }: { frequency: number; duration: number }): Buffer {
	const samples = Math.round(duration * SAMPLE_RATE);
	const file = Buffer.alloc(HEADER_BYTES + samples * 2);
	file.write('RIFF', 0, 'latin1');
	file.writeUInt32LE(file.length - 8, 4);
	file.write('WAVEfmt ', 8, 'latin1');
	file.writeUInt32LE(16, 16);
	file.writeUInt16LE(1, 20);
	file.writeUInt16LE(1, 22);
	file.writeUInt32LE(SAMPLE_RATE, 24);
	file.writeUInt32LE(SAMPLE_RATE * 2, 28);
	file.writeUInt16LE(2, 32);
	file.writeUInt16LE(16, 34);
	file.write('data', 36, 'latin1');
	file.writeUInt32LE(samples * 2, 40);
	for (let index = 0; index < samples; index++) {
		file.writeInt16LE(Math.round(Math.sin((2 * Math.PI * frequency * index) / SAMPLE_RATE) * 0x3fff), HEADER_BYTES + index * 2);
	}
	return file;
}

/** A safetensors file with a latent of zeros: the length of the header (8 bytes, little-endian), the header as JSON, and the values. */
export function encodeLatent(shape: readonly number[]): Buffer {
	const values = Buffer.alloc(shape.reduce((product, size) => product * size, Float32Array.BYTES_PER_ELEMENT));
	const header = Buffer.from(JSON.stringify({ latent_tensor: { dtype: 'F32', shape, data_offsets: [0, values.length] } }));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(header.length));
	return Buffer.concat([length, header, values]);
}

export const CHUNK_BYTES = 1024 * 1024;

/** Noise in chunks, the same for the same seed on all machines. Each chunk begins with its number, so that no two are equal. */
export async function* deterministicChunks(
	seed: number,
	totalBytes: number,
	chunkBytes: number,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	const pattern = Buffer.allocUnsafe(chunkBytes);
	fillWithNoise(pattern, seed);
	for (let sent = 0, number = 0; sent < totalBytes; sent += chunkBytes, number++) {
		await letOthersRun();
		signal.throwIfAborted();
		const chunk = Buffer.from(pattern.subarray(0, Math.min(chunkBytes, totalBytes - sent)));
		chunk.writeUInt32LE(number, 0);
		yield chunk;
	}
}

/** Xorshift. */
function fillWithNoise(data: Buffer, seed: number): void {
	let state = (seed ^ 0x9e3779b9) | 0 || 1;
	for (let offset = 0; offset < data.length; offset++) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		data[offset] = state & 0xff;
	}
}
