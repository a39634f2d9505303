/** Receives an engine's multipart upload: fields into a form, the file straight to disk. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { passThrough } from '../http/passThrough';
import type { Blob, BlobStore } from '../store/blobs';
import { EngineFault } from './engineFault';

export interface EngineUpload {
	/** As the caller named the file; empty where it did not. */
	filename: string;
	contentType: string;
	blob: Blob;
	form: ReadonlyMap<string, string>;
}

/** Undefined when no file came as `image`. @throws EngineFault when it is too large, or unreadable; the bytes are then gone. */
export async function receiveEngineUpload(
	request: IncomingMessage,
	blobs: BlobStore,
	limitBytes: number,
): Promise<EngineUpload | undefined> {
	const form = new Map<string, string>();
	let file: { filename: string; contentType: string; blob: Promise<Blob>; stream: BusboyFileStream } | undefined;
	try {
		const parser = new Busboy({
			headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
			preservePath: true,
			limits: { fileSize: limitBytes },
			isPartAFile: (_name, _type, filename) => filename !== undefined,
		});
		parser.on('field', (name, value) => form.set(name, value));
		parser.on('file', (name, stream, filename, _encoding, contentType) => {
			if (name !== 'image' || file !== undefined) stream.resume();
			else file = { filename, contentType, blob: blobs.write(stream), stream };
		});
		await passThrough(request, parser);
	} catch (error) {
		file?.stream.destroy(error instanceof Error ? error : undefined);
		await file?.blob.catch(() => undefined);
		throw new EngineFault();
	}
	if (file === undefined) return undefined;
	const blob = await file.blob;
	if (!file.stream.truncated) return { filename: file.filename, contentType: file.contentType, blob, form };
	await blobs.discard(blob);
	throw new EngineFault(413);
}
