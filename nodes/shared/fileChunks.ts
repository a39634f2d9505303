import { open } from 'node:fs/promises';

/** Few large chunks: half the time of streams with Node's default of 64 KiB. */
export const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads a file into two buffers in turn, so that its size costs no memory. A chunk is good until the next but one is
 * asked for: keep a copy, not the chunk.
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
	const file = await open(path);
	try {
		let [buffer, other] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
		for (;;) {
			const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
			if (bytesRead === 0) return;
			yield buffer.subarray(0, bytesRead);
			[buffer, other] = [other, buffer];
		}
	} finally {
		await file.close();
	}
}
