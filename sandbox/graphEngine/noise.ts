import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Frame } from './values';

export const CHUNK_BYTES = 1024 * 1024;

/** Xorshift: the same bytes for the same seed, everywhere. */
function fillWithNoise(data: Buffer, seed: number): void {
	let state = (seed ^ 0x9e3779b9) | 0 || 1;
	for (let offset = 0; offset < data.length; offset++) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		data[offset] = state & 0xff;
	}
}

export function noiseFrame(width: number, height: number, seed: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	fillWithNoise(data, seed);
	return { width, height, data };
}

/** Noise chunk by chunk, each marked with its number so that no two are alike. */
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
