/** `POST /api/upload/image` and `POST /api/upload/mask`. `overwrite` and `subfolder` have no effect. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../../vocabulary';
import type { Service } from '../../service/service';
import { invalid } from '../refusals';
import { contentName, findFile, type StoredFile } from '../files';
import { isRecord } from '../../records';
import { receivePicture, type ReceivedPicture } from './receivePicture';

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
	if (assets.named(account, name) === undefined) assets.mint({ account, blob, contentType, filePath: name });
	else await blobs.discard(blob);
	return { name, subfolder: '', type };
}

function readType(type = 'input'): string {
	if (!TYPES.includes(type)) throw invalid(`type must be ${TYPES.join(' or ')}`);
	return type;
}

/** The picture that a mask is for. @throws Refusal. */
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
