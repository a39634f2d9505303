import type { ServiceApi } from '../api';
import { createContentHasher, isContentHash } from '../contentHash';
import { IntegrityError } from '../errors';
import { decided } from '../observer';
import type { CallOptions, Download, DownloadSource } from '../ports';
import { delay } from '../transport/delay';
import { isTransient } from '../transport/retry';
import { dispositionName } from './contentDisposition';
import { RemoteFile, type FilePart } from './remoteFile';

const RESUME_AFTER_MS = 100;
const MOST_STALLS = 4;
/** A connection that brings less is none: a byte from each would go on without end. */
const LEAST_PROGRESS_BYTES = 8 * 1024;

/**
 * Starts a download and waits for its headers. `bytes` must be read (or ended) to free the connection.
 * @throws ApiError, UnreadableAnswerError or ConnectionError when it cannot start.
 */
export async function download(api: ServiceApi, source: DownloadSource, options: CallOptions = {}): Promise<Download> {
	const file = new RemoteFile(api, source, options);
	const reopen = (offset: number) => api.repeat(() => file.open(offset), options);
	const first = await reopen(0);
	if (first === undefined) throw new IntegrityError('size', String(source.sizeBytes), '0');
	const { response } = first;
	const bytes = verified(resumed(first, file.totalBytes ?? (source.sizeBytes || null), reopen, options), source);
	return {
		fileName: dispositionName(response.header('content-disposition')),
		contentType: response.contentType,
		sizeBytes: file.totalBytes,
		bytes,
	};
}

/** The bytes of one file, over as many connections as it takes. */
async function* resumed(
	first: FilePart,
	total: number | null,
	reopen: (offset: number) => Promise<FilePart | undefined>,
	{ signal }: CallOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
	let received = 0;
	let stalls = 0;
	for (let part: FilePart | undefined = first; part; part = await reopen(received)) {
		const before = received;
		let failure: unknown;
		try {
			for await (const chunk of unskipped(part)) {
				received += chunk.byteLength;
				yield chunk;
			}
			// That it is empty is believed only where it is said, by a Content-Length of 0.
			if (total === null && received > 0) return;
			failure = part.response.unreadable('truncated');
		} catch (error) {
			failure = error;
		}
		if (total !== null && received >= total) return;
		stalls = received - before >= LEAST_PROGRESS_BYTES ? 0 : stalls + 1;
		if (!isTransient(failure) || stalls > MOST_STALLS) throw failure;
		decided({ kind: 'download_resumes', atByte: received, totalBytes: total, error: failure });
		await delay(RESUME_AFTER_MS * 2 ** stalls, signal);
	}
}

async function* unskipped({ response, skip }: FilePart): AsyncGenerator<Uint8Array, void, undefined> {
	for await (const chunk of response.chunks()) {
		if (skip < chunk.byteLength) yield skip === 0 ? chunk : chunk.subarray(skip);
		skip -= Math.min(skip, chunk.byteLength);
	}
}

/** Passes the bytes through and, where size or hash were announced, ends with an IntegrityError when they do not match. */
async function* verified(
	chunks: AsyncIterable<Uint8Array>,
	{ sizeBytes, hash }: DownloadSource,
): AsyncGenerator<Uint8Array, void, undefined> {
	const hasher = isContentHash(hash) ? await createContentHasher() : undefined;
	let received = 0;
	for await (const chunk of chunks) {
		received += chunk.byteLength;
		if (sizeBytes && received > sizeBytes) break;
		hasher?.update(chunk);
		yield chunk;
	}
	if (sizeBytes && received !== sizeBytes) throw new IntegrityError('size', String(sizeBytes), String(received));
	const actual = hasher?.digest();
	if (hash && actual !== undefined && actual !== hash.toLowerCase()) throw new IntegrityError('hash', hash, actual);
}
