/** `POST /api/upload/image` and `POST /api/upload/mask`. `overwrite` and `subfolder` have no effect. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import sharp from 'sharp';
import type { AccountName } from '../vocabulary';
import type { Service } from '../service/service';
import { parseObject } from '../json';
import { receiveForm } from '../storage/receiveForm';
import type { StoredFile } from '../storage/blobs';
import { invalid } from './refusals';
import { contentName, findFile } from './files';

const TYPES = ['input', 'temp'];

export function v1UploadRoutes(app: FastifyInstance, service: Service): void {
	app.post('/upload/image', async ({ account, raw }) => keep(service, account, await receivePicture(service, raw)));

	app.post('/upload/mask', async ({ account, raw }) => {
		const picture = await receivePicture(service, raw);
		const original = readOriginal(service, account, picture.originalRef);
		const kept = keep(service, account, picture);
		const metadata = {
			is_mask: true,
			original_hash: original.blob.hash?.replace('blake3:', '') ?? null,
			mask_type: 'mask',
			related_files: { mask: kept.name },
		};
		return { ...kept, metadata };
	});
}

function keep({ assets }: Service, account: AccountName, { blob, contentType, extension, type }: ReceivedPicture) {
	const name = contentName(blob, extension);
	if (assets.findByName(account, name) === undefined) assets.mint({ account, blob, contentType, filePath: name });
	return { name, subfolder: '', type };
}

/** The image that a mask belongs to. @throws Refusal. */
function readOriginal(service: Service, account: AccountName, text: string | undefined): StoredFile {
	const filename = parseObject(text)?.filename;
	if (typeof filename !== 'string') throw invalid('original_ref must be a JSON object with a filename');
	const original = findFile(service, account, filename);
	if (original === undefined) throw invalid(`original_ref names no stored file: ${filename}`);
	return original;
}

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: '.jpg', heif: '.avif' };

interface ReceivedPicture extends StoredFile {
	/** The extension of its format, with the dot. The name of the file has no effect. */
	extension: string;
	type: string;
	originalRef: string | undefined;
}

/** @throws Refusal if there is no image. */
async function receivePicture({ blobs }: Service, request: IncomingMessage): Promise<ReceivedPicture> {
	const { fields, file } = await receiveForm(request, blobs, { fileField: 'image', unreadable: invalid });
	if (file === undefined) throw invalid('image is required');
	const type = fields.get('type')?.[0] ?? 'input';
	if (!TYPES.includes(type)) throw invalid(`type must be ${TYPES.join(' or ')}`);
	const format = await checkPicture(await blobs.bytes(file.blob));
	const extension = EXTENSIONS[format] ?? `.${format}`;
	return { blob: file.blob, contentType: `image/${format}`, extension, type, originalRef: fields.get('original_ref')?.[0] };
}

/** Its format, for example `png`. @throws Refusal. */
async function checkPicture(bytes: Buffer): Promise<string> {
	const metadata = await sharp(bytes, { limitInputPixels: false })
		.metadata()
		.catch(() => undefined);
	if (metadata === undefined) throw invalid('The file is not an image');
	return metadata.format;
}
