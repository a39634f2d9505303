/** `POST /api/upload/image` and `POST /api/upload/mask`. `overwrite` and `subfolder` have no effect. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Busboy } from '@fastify/busboy';
import sharp from 'sharp';
import type { AccountName } from '../vocabulary';
import type { Service } from '../service/service';
import { isRecord } from '../json';
import { pipeInto } from '../http/routes';
import { invalid } from './refusals';
import { contentName, findFile, type StoredFile } from './files';

const TYPES = ['input', 'temp'];

interface Kept {
	name: string;
	subfolder: string;
	type: string;
}

export function v1UploadRoutes(app: FastifyInstance, service: Service): void {
	app.post('/upload/image', async ({ account, raw }) => await keep(service, account, await receivePicture(raw)));

	app.post('/upload/mask', async ({ account, raw }) => {
		const picture = await receivePicture(raw);
		const original = readOriginal(service, account, picture.fields.get('original_ref'));
		const kept = await keep(service, account, picture);
		const metadata = {
			is_mask: true,
			original_hash: original.blob.hash?.replace('blake3:', '') ?? null,
			mask_type: 'mask',
			related_files: { mask: kept.name },
		};
		return { ...kept, metadata };
	});
}

async function keep(
	{ assets, blobs }: Service,
	account: AccountName,
	{ bytes, contentType, extension, fields }: ReceivedPicture,
): Promise<Kept> {
	const type = readType(fields.get('type'));
	const blob = await blobs.write(bytes);
	const name = contentName(blob, extension);
	if (assets.findByName(account, name) === undefined) assets.mint({ account, blob, contentType, filePath: name });
	else await blobs.discard(blob);
	return { name, subfolder: '', type };
}

function readType(type = 'input'): string {
	if (!TYPES.includes(type)) throw invalid(`type must be ${TYPES.join(' or ')}`);
	return type;
}

/** The image that a mask belongs to. @throws Refusal. */
function readOriginal(service: Service, account: AccountName, text: string | undefined): StoredFile {
	if (text === undefined) throw invalid('original_ref is required');
	const filename = filenameIn(text);
	if (typeof filename !== 'string') throw invalid('original_ref must be a JSON object with a filename');
	const original = findFile(service, account, filename);
	if (original === undefined) throw invalid(`original_ref names no stored file: ${filename}`);
	return original;
}

function filenameIn(text: string): unknown {
	try {
		const reference: unknown = JSON.parse(text);
		return isRecord(reference) ? reference.filename : undefined;
	} catch {
		return undefined;
	}
}

export const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;
const EDGE_LIMIT_PIXELS = 16_384;
const AREA_LIMIT_PIXELS = 64 * 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: '.jpg', heif: '.avif' };

interface ReceivedPicture {
	bytes: Buffer;
	contentType: string;
	/** The extension of its format, with the dot. The name of the file has no effect. */
	extension: string;
	fields: Map<string, string>;
}

/** @throws Refusal if there is not an image, or if it is too large. */
async function receivePicture(request: IncomingMessage): Promise<ReceivedPicture> {
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
		await pipeInto(request, parser);
	} catch (error) {
		throw invalid(`The upload is not readable multipart: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (!found) throw invalid('image is required');
	if (truncated) throw invalid(`Images may have at most ${UPLOAD_LIMIT_BYTES} bytes`);
	const bytes = Buffer.concat(chunks);
	const format = await checkPicture(bytes);
	return { bytes, contentType: `image/${format}`, extension: EXTENSIONS[format] ?? `.${format}`, fields };
}

/** Its format, for example `png`. @throws Refusal. */
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
