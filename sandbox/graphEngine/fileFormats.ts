/** Files that the image library cannot write, and text in those that it writes. */
import { createCipheriv, createHash } from 'node:crypto';
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

const CHUNK_BYTES = 1024 * 1024;

/** Noise in chunks, the same for the same seed. */
export async function* noiseOf(seed: number, totalBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const cipher = createCipheriv('aes-128-ctr', createHash('md5').update(String(seed)).digest(), Buffer.alloc(16));
	const zeros = Buffer.alloc(CHUNK_BYTES);
	for (let sent = 0; sent < totalBytes; sent += CHUNK_BYTES) {
		await letOthersRun();
		signal.throwIfAborted();
		yield cipher.update(zeros.subarray(0, totalBytes - sent));
	}
}
