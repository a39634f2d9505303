/** Files that the image library cannot write, and text in those that it writes. */
import { crc32 } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as letOthersRun } from 'node:timers/promises';

const fixture = (name: string) => async (): Promise<Buffer> => await readFile(join(__dirname, 'fixtures', name));

/** One second of H.264. Every video has these bytes. */
export const readClip = fixture('clip.mp4');

/** A tone of 0.1 s in 16-bit PCM. Every sound has these bytes. */
export const readTone = fixture('tone.wav');

/** A binary glTF 2.0 file with one triangle. Every mesh has these bytes. */
export const readMesh = fixture('triangle.glb');

/** A safetensors file with zeros. Every latent has these bytes. */
export const readLatent = fixture('zeros.latent');

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
