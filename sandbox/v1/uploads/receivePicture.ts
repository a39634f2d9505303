/** Receives a picture by multipart and looks whether it is one. */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import sharp from 'sharp';
import { passThrough } from '../../http/passThrough';
import { invalid } from '../refusals';

export const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;
const EDGE_LIMIT_PIXELS = 16_384;
const AREA_LIMIT_PIXELS = 64 * 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: '.jpg', heif: '.avif' };

export interface ReceivedPicture {
	bytes: Buffer;
	contentType: string;
	/** Of its format, with the dot, whatever the file was called. */
	extension: string;
	fields: Map<string, string>;
}

/** @throws Refusal when there is no picture, or too large a one. */
export async function receivePicture(request: IncomingMessage): Promise<ReceivedPicture> {
	const fields = new Map<string, string>();
	const chunks: Buffer[] = [];
	let found = false;
	let truncated = false;
	try {
		const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
		const parser = new Busboy({ headers, isPartAFile: (name) => name === 'image', limits: { files: 1, fileSize: UPLOAD_LIMIT_BYTES } });
		parser.on('field', (name, value) => fields.set(name, value));
		parser.on('file', (_name, stream) => {
			found = true;
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.once('limit', () => (truncated = true));
		});
		await passThrough(request, parser);
	} catch (error) {
		throw invalid(`The upload is not readable multipart: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (!found) throw invalid('image is required');
	if (truncated) throw invalid(`Images may have at most ${UPLOAD_LIMIT_BYTES} bytes`);
	const bytes = Buffer.concat(chunks);
	const format = await checkPicture(bytes);
	return { bytes, contentType: `image/${format}`, extension: EXTENSIONS[format] ?? `.${format}`, fields };
}

/** Its format, e.g. `png`. @throws Refusal. */
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
