/** Files on disk, hashed while they are written, and sent whole or in part. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { blake3 } from '@noble/hashes/blake3';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Blob {
	id: string;
	sizeBytes: number;
	/** `blake3:<hex>`; null when it has not been computed. */
	hash: string | null;
}

/** A blob with its type. */
export interface StoredFile {
	blob: Blob;
	contentType: string;
}

export class BlobStore {
	readonly #blobs = new Map<string, Blob>();

	/** @param folder must exist; nothing else is kept in it. */
	constructor(private readonly folder: string) {}

	/**
	 * Stores the bytes. If the source fails, nothing is stored.
	 * @param hashLimitBytes for larger sources, no hash is computed.
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

	#file(id: string): string {
		return path.join(this.folder, id);
	}
}

type ByteRange = { first: number; last: number } | 'unsatisfiable' | undefined;

/** Reads a `Range` header; both ends are inclusive. @returns undefined if it is absent, malformed or has several parts: the whole blob is sent. */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange {
	const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
	const [, from = '', to = ''] = match ?? [];
	if (from === '' && to === '') return undefined;
	const first = from === '' ? Math.max(sizeBytes - Number(to), 0) : Number(from);
	const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
	if (from !== '' && to !== '' && Number(to) < first) return undefined;
	return first > last ? 'unsatisfiable' : { first, last };
}

/** Sends a blob or the requested range of it: 200 or 206. @returns false, and sends nothing, if the range is beyond the end. */
export function sendBlob(request: FastifyRequest, reply: FastifyReply, blobs: BlobStore, blob: Blob, contentType: string): boolean {
	const etag = `"${blob.id}"`;
	const ifRange = request.headers['if-range'];
	const range = ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, blob.sizeBytes) : undefined;
	if (range === 'unsatisfiable') {
		reply.header('content-range', `bytes */${blob.sizeBytes}`);
		return false;
	}
	reply.headers({ 'content-type': contentType, 'accept-ranges': 'bytes', etag });
	if (range === undefined) {
		reply.header('content-length', blob.sizeBytes);
	} else {
		reply.code(206).headers({
			'content-length': range.last - range.first + 1,
			'content-range': `bytes ${range.first}-${range.last}/${blob.sizeBytes}`,
		});
	}
	void reply.send(blobs.open(blob, range));
	return true;
}
