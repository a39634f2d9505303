/** `POST /upload/image` and `POST /upload/mask`: any file, under the name it comes with. */
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Blob } from '../store/blobs';
import type { Service } from '../service/service';
import { EngineFault } from './engineFault';
import type { EngineFiles } from './files';
import type { LocalEngine } from './localEngine';
import { maskedOriginal } from './maskedOriginal';
import { inside, isFolder, type Place } from '../store/places';
import { receiveEngineUpload, type EngineUpload } from './receiveEngineUpload';

/** What is stored of an upload; undefined: nothing. */
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
		if (kept !== blob) await blobs.discard(blob);
		return reply.send({ name: free.name, subfolder: form.get('subfolder') ?? '', type: free.folder });
	};

	app.post('/upload/image', async (request, reply) => await take(request, reply, ({ blob }) => Promise.resolve(blob)));
	app.post(
		'/upload/mask',
		async (request, reply) => await take(request, reply, async (upload) => await maskedOriginal(upload, files, blobs)),
	);
}

/** Undefined for a place outside the engine's folders, or none at all. */
function placeFor({ filename, form }: EngineUpload): Place | undefined {
	const folder = form.get('type') ?? 'input';
	if (!isFolder(folder)) throw new EngineFault();
	const name = inside([form.get('subfolder') ?? '', filename].filter((part) => part !== '').join('/'));
	if (filename === '' || name === undefined || name === '') return undefined;
	return { folder, subfolder: path.posix.dirname(name).replace(/^\.$/, ''), name: path.posix.basename(name) };
}

/** `cat (1).png` where `cat.png` has other bytes, and so on. */
function freePlace(files: EngineFiles, place: Place, { hash }: Blob): Place {
	const { name, ext } = path.posix.parse(place.name);
	for (let count = 0, candidate = place; ; candidate = { ...place, name: `${name} (${++count})${ext}` }) {
		const taken = files.find(candidate);
		if (taken === undefined || taken.blob.hash === hash) return candidate;
	}
}
