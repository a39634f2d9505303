import sharp from 'sharp';
import type { Blob, BlobStore } from '../store/blobs';
import { isRecord } from '../records';
import { EngineFault } from './engineFault';
import type { EngineFiles } from './files';
import { placeAsked } from '../store/places';
import type { EngineUpload } from './receiveEngineUpload';

/** The picture that a mask is for, with the alpha of the mask; undefined where there is no such picture. @throws EngineFault when it cannot be made. */
export async function maskedOriginal({ blob, form }: EngineUpload, files: EngineFiles, blobs: BlobStore): Promise<Blob | undefined> {
	const original = findOriginal(form.get('original_ref'), files);
	if (original === undefined) return undefined;
	const [picture, mask] = [await blobs.bytes(original.blob), await blobs.bytes(blob)];
	try {
		const alpha = await sharp(mask).ensureAlpha().extractChannel('alpha').raw().toBuffer({ resolveWithObject: true });
		// By way of pixels: sharp removes alpha last, the joined one as well.
		const colors = await sharp(picture).toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
		if (colors.info.width !== alpha.info.width || colors.info.height !== alpha.info.height) throw new EngineFault();
		const joined = sharp(colors.data, { raw: colors.info }).joinChannel(alpha.data, { raw: alpha.info });
		return await blobs.write(await joined.png().toBuffer());
	} catch {
		throw new EngineFault();
	}
}

function findOriginal(text: string | undefined, files: EngineFiles) {
	const { filename, subfolder = '', type = 'output' } = readReference(text);
	if (typeof filename !== 'string' || typeof subfolder !== 'string' || typeof type !== 'string') throw new EngineFault();
	const place = placeAsked(filename, subfolder, type);
	return typeof place === 'string' ? undefined : files.find(place);
}

function readReference(text: string | undefined): Record<string, unknown> {
	try {
		const reference: unknown = JSON.parse(text ?? '');
		if (isRecord(reference)) return reference;
	} catch {
		// The engine does not look before it reads either.
	}
	throw new EngineFault();
}
