/** Bytes on disk, written as a stream and hashed on the way. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { blake3 } from '@noble/hashes/blake3';

export interface Blob {
	id: string;
	sizeBytes: number;
	/** `blake3:<hex>`; null when it has not been computed. */
	hash: string | null;
}

export class BlobStore {
	readonly #blobs = new Map<string, Blob>();

	/** @param folder must exist; nothing else is kept in it. */
	constructor(private readonly folder: string) {}

	/**
	 * Keeps the bytes. A source that fails leaves nothing behind.
	 * @param hashLimitBytes bytes beyond which no hash is computed.
	 */
	async write(source: AsyncIterable<Uint8Array> | Uint8Array, hashLimitBytes = Infinity): Promise<Blob> {
		const id = randomUUID();
		const hasher = blake3.create({});
		let sizeBytes = 0;
		const chunks = source instanceof Uint8Array ? [source] : source;
		try {
			await pipeline(
				async function* () {
					for await (const chunk of chunks) {
						sizeBytes += chunk.byteLength;
						if (sizeBytes <= hashLimitBytes) hasher.update(chunk);
						yield chunk;
					}
				},
				createWriteStream(this.#file(id)),
			);
		} catch (error) {
			await rm(this.#file(id), { force: true });
			throw error;
		}
		const hash = sizeBytes > hashLimitBytes ? null : `blake3:${Buffer.from(hasher.digest()).toString('hex')}`;
		const blob: Blob = { id, sizeBytes, hash };
		this.#blobs.set(id, blob);
		return blob;
	}

	get(id: string): Blob | undefined {
		return this.#blobs.get(id);
	}

	/** @param range first and last byte, both included. */
	open(blob: Blob, range?: { first: number; last: number }): Readable {
		return createReadStream(this.#file(blob.id), range === undefined ? {} : { start: range.first, end: range.last });
	}

	async bytes(blob: Blob): Promise<Buffer> {
		return await readFile(this.#file(blob.id));
	}

	async discard(blob: Blob): Promise<void> {
		this.#blobs.delete(blob.id);
		await rm(this.#file(blob.id), { force: true });
	}

	#file(id: string): string {
		return path.join(this.folder, id);
	}
}
