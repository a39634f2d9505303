/** Receives a multipart form with one file, which it streams to disk. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { Blob, BlobStore } from './blobs';

const FILE_BUFFER_BYTES = 256 * 1024;

interface ReceivedFile {
	/** As the caller named it; empty if it did not. */
	fileName: string;
	contentType: string;
	blob: Blob;
	/** Whether it is larger than the limit. Its blob is then incomplete. */
	isTruncated: boolean;
}

export interface ReceivedForm {
	/** The values of each field, in their order. */
	fields: ReadonlyMap<string, string[]>;
	file: ReceivedFile | undefined;
}

interface FormOptions {
	/** The field that contains the file. */
	fileField: string;
	limitBytes?: number;
	/** Makes the error for a body that is not multipart, or is incomplete. */
	unreadable(message: string): Error;
	/** Called before the file is stored, with the fields so far. @returns why the file is refused. */
	refuse?: ((fields: ReceivedForm['fields']) => Error | undefined) | undefined;
}

/** @throws the error for an unreadable body, or the error by which the file is refused. Nothing stays stored then. */
export async function receiveForm(request: IncomingMessage, blobs: BlobStore, options: FormOptions): Promise<ReceivedForm> {
	const fields = new Map<string, string[]>();
	let file: (Pick<ReceivedFile, 'fileName' | 'contentType'> & { blob: Promise<Blob>; stream: BusboyFileStream }) | undefined;
	let refusal: Error | undefined;
	try {
		const parser = new Busboy({
			headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
			fileHwm: FILE_BUFFER_BYTES,
			preservePath: true,
			isPartAFile: (name) => name === options.fileField,
			limits: { fileSize: options.limitBytes ?? Infinity },
		});
		parser.on('field', (name, value) => fields.set(name, [...(fields.get(name) ?? []), value]));
		parser.on('file', (_name, stream, fileName = '', _encoding, contentType) => {
			refusal ??= options.refuse?.(fields);
			if (file !== undefined || refusal !== undefined) stream.resume();
			else file = { fileName, contentType, blob: blobs.write(stream), stream };
		});
		await pipeInto(request, parser);
	} catch (error) {
		const cause = error instanceof Error ? error : new Error(String(error));
		file?.stream.destroy(cause);
		await file?.blob.catch(() => undefined);
		throw options.unreadable(`The upload is not readable multipart: ${cause.message}`);
	}
	if (refusal !== undefined) throw refusal;
	if (file === undefined) return { fields, file };
	const { stream, ...facts } = file;
	return { fields, file: { ...facts, blob: await file.blob, isTruncated: stream.truncated } };
}

/** Rejects if the body is malformed or the caller disconnects. */
async function pipeInto(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		parser.once('finish', resolve);
		parser.once('error', reject);
		request.once('error', reject);
		request.once('close', () => {
			if (!request.complete) reject(new Error('the caller went away'));
		});
		request.pipe(parser);
	});
}
