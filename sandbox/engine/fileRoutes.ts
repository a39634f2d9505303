/** Uploads to an engine. */
import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import sharp from 'sharp';
import type { Blob, BlobStore } from '../storage/blobs';
import type { Service } from '../service/service';
import { normalizeSubfolder, isFolder, type FileLocation, requestedLocation } from '../storage/fileLocations';
import { receiveForm } from '../storage/receiveForm';
import { parseObject } from '../json';
import { EngineFault } from './answers';
import type { EngineFiles } from './files';
import type { LocalEngine } from './localEngine';

/** Returns the bytes to store for an upload; undefined for none. */
type Stored = (upload: EngineUpload) => Promise<Blob | undefined>;

export function engineUploadRoutes(app: FastifyInstance, { files }: LocalEngine, { blobs, behaviour }: Service): void {
	const take = async ({ raw }: FastifyRequest, reply: FastifyReply, stored: Stored): Promise<FastifyReply> => {
		const upload = await receiveEngineUpload(raw, blobs, behaviour.engineUploadLimitBytes);
		const place = upload && placeFor(upload);
		if (upload === undefined || place === undefined) return reply.code(400).send();
		const { form, blob, contentType } = upload;
		const free = ['true', '1'].includes(form.get('overwrite') ?? '') ? place : freePlace(files, place, blob);
		const kept = files.find(free)?.blob.hash === blob.hash ? undefined : await stored(upload);
		if (kept !== undefined) files.save(free, { blob: kept, contentType });
		return reply.send({ name: free.name, subfolder: form.get('subfolder') ?? '', type: free.folder });
	};

	app.post('/upload/image', async (request, reply) => await take(request, reply, ({ blob }) => Promise.resolve(blob)));
	app.post('/upload/mask', async (request, reply) => await take(request, reply, async (upload) => await applyMask(upload, files, blobs)));
}

/** @returns undefined if the location is outside the engine's folders, or if there is no name. */
function placeFor({ fileName, form }: EngineUpload): FileLocation | undefined {
	const folder = form.get('type') ?? 'input';
	if (!isFolder(folder)) throw new EngineFault();
	const name = normalizeSubfolder([form.get('subfolder') ?? '', fileName].filter((part) => part !== '').join('/'));
	if (fileName === '' || name === undefined || name === '') return undefined;
	return { folder, subfolder: path.posix.dirname(name).replace(/^\.$/, ''), name: path.posix.basename(name) };
}

/** Uses `cat (1).png` if `cat.png` exists with other bytes, and so on. */
function freePlace(files: EngineFiles, place: FileLocation, { hash }: Blob): FileLocation {
	const { name, ext } = path.posix.parse(place.name);
	for (let count = 0, candidate = place; ; candidate = { ...place, name: `${name} (${++count})${ext}` }) {
		const taken = files.find(candidate);
		if (taken === undefined || taken.blob.hash === hash) return candidate;
	}
}

interface EngineUpload {
	fileName: string;
	contentType: string;
	blob: Blob;
	form: ReadonlyMap<string, string>;
}

/** @returns undefined if there is no file in `image`. @throws EngineFault if it is too large or unreadable. */
async function receiveEngineUpload(request: IncomingMessage, blobs: BlobStore, limitBytes: number): Promise<EngineUpload | undefined> {
	const { fields, file } = await receiveForm(request, blobs, { fileField: 'image', limitBytes, unreadable: () => new EngineFault() });
	if (file === undefined) return undefined;
	if (file.isTruncated) throw new EngineFault(413);
	return { ...file, form: new Map([...fields].map(([name, values]) => [name, values.at(-1) ?? ''])) };
}

/** Gives the original image the alpha channel of the mask. @returns undefined if the original does not exist. @throws EngineFault if they do not fit. */
async function applyMask({ blob, form }: EngineUpload, files: EngineFiles, blobs: BlobStore): Promise<Blob | undefined> {
	const original = findOriginal(form.get('original_ref'), files);
	if (original === undefined) return undefined;
	const [picture, mask] = [await blobs.bytes(original.blob), await blobs.bytes(blob)];
	try {
		const alpha = await sharp(mask).ensureAlpha().extractChannel('alpha').raw().toBuffer({ resolveWithObject: true });
		// sharp removes alpha after all other steps, also a channel that was joined. So the colors are read as raw pixels first.
		const colors = await sharp(picture).toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
		if (colors.info.width !== alpha.info.width || colors.info.height !== alpha.info.height) throw new EngineFault();
		const joined = sharp(colors.data, { raw: colors.info }).joinChannel(alpha.data, { raw: alpha.info });
		return await blobs.write(await joined.png().toBuffer());
	} catch {
		throw new EngineFault();
	}
}

/** The engine does not check the reference. @throws EngineFault if it is malformed. */
function findOriginal(text: string | undefined, files: EngineFiles) {
	const { filename, subfolder = '', type = 'output' } = parseObject(text) ?? {};
	if (typeof filename !== 'string' || typeof subfolder !== 'string' || typeof type !== 'string') throw new EngineFault();
	const place = requestedLocation(filename, subfolder, type);
	return typeof place === 'string' ? undefined : files.find(place);
}
