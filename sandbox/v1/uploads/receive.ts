/** Receives a picture by multipart and looks whether it is one. */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import sharp from 'sharp';
import { passThrough } from '../../http/multipart';
import type { Blob, BlobStore } from '../../store/blobs';
import { invalid } from '../errors';

export const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;
const EDGE_LIMIT_PIXELS = 16_384;
const AREA_LIMIT_PIXELS = 64 * 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: '.jpg', heif: '.avif' };

export interface ReceivedPicture {
	blob: Blob;
	contentType: string;
	/** Of its format, with the dot, whatever the file was called. */
	extension: string;
	fields: Map<string, string>;
}

/** @throws Refusal; the bytes are then gone. */
export async function receivePicture(request: IncomingMessage, blobs: BlobStore): Promise<ReceivedPicture> {
	const { blob, fields, truncated } = await receiveForm(request, blobs);
	try {
		if (truncated) throw invalid(`Images may have at most ${UPLOAD_LIMIT_BYTES} bytes`);
		const format = await checkPicture(await blobs.bytes(blob));
		return { blob, contentType: `image/${format}`, extension: EXTENSIONS[format] ?? `.${format}`, fields };
	} catch (error) {
		await blobs.discard(blob);
		throw error;
	}
}

async function receiveForm(request: IncomingMessage, blobs: BlobStore): Promise<{ blob: Blob; fields: Map<string, string>; truncated: boolean }> {
	const fields = new Map<string, string>();
	let file: { blob: Promise<Blob>; isTruncated(): boolean; drop(cause: Error): void } | undefined;
	try {
		const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
		const parser = new Busboy({ headers, isPartAFile: (name) => name === 'image', limits: { files: 1, fileSize: UPLOAD_LIMIT_BYTES } });
		parser.on('field', (name, value) => fields.set(name, value));
		parser.on('file', (_name, stream) => {
			file = { blob: blobs.write(stream), isTruncated: () => stream.truncated, drop: (cause) => void stream.destroy(cause) };
		});
		await passThrough(request, parser);
	} catch (error) {
		const cause = error instanceof Error ? error : new Error(String(error));
		file?.drop(cause);
		await file?.blob.catch(() => undefined);
		throw invalid(`The upload is not readable multipart: ${cause.message}`);
	}
	if (file === undefined) throw invalid('image is required');
	return { blob: await file.blob, fields, truncated: file.isTruncated() };
}

/** Its format, e.g. `png`. @throws Refusal when it is no picture, or too large a one. */
async function checkPicture(bytes: Buffer): Promise<string> {
	const metadata = await sharp(bytes, { limitInputPixels: false })
		.metadata()
		.catch(() => undefined);
	if (metadata === undefined) throw invalid('The file is not an image');
	const { width, height, format } = metadata;
	if (Math.max(width, height) > EDGE_LIMIT_PIXELS) throw invalid(`Images may have at most ${EDGE_LIMIT_PIXELS} pixels an edge`);
	if (width * height > AREA_LIMIT_PIXELS) throw invalid(`Images may have at most ${AREA_LIMIT_PIXELS} pixels`);
	return format;
}
