/** `GET /view`: a file as it is, or an image in another format. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import sharp from 'sharp';
import { requestedLocation } from '../storage/fileLocations';
import { type BlobStore, sendBlob } from '../storage/blobs';
import type { LocalEngine } from './localEngine';
import { sendText } from './answers';

interface Query {
	filename?: string;
	subfolder?: string;
	type?: string;
	preview?: string;
}

export function engineViewRoute(app: FastifyInstance, { files }: LocalEngine, blobs: BlobStore): void {
	app.get<{ Querystring: Query }>('/view', async (request, reply): Promise<FastifyReply> => {
		const { filename, subfolder = '', type = 'output', preview } = request.query;
		if (filename === undefined) return await reply.code(404).send();
		const place = requestedLocation(filename, subfolder, type);
		if (typeof place === 'string') return await reply.code(place === 'outside' ? 403 : 400).send();
		// The engine uses only the last part of a path in the name.
		const name = place.name.slice(place.name.lastIndexOf('/') + 1);
		const file = files.find({ ...place, name });
		if (file === undefined) return await reply.code(404).send();
		reply.header('content-disposition', `filename="${name}"`);
		if (preview !== undefined) return await sendConverted(reply, await blobs.bytes(file.blob), preview);
		return sendBlob(request, reply, blobs, file.blob, file.contentType) ? reply : await reply.code(416).send();
	});
}

/** Keeps the first frame only, and loses all metadata. A JPEG loses its alpha channel, without a background behind it. */
async function sendConverted(reply: FastifyReply, bytes: Buffer, preview: string): Promise<FastifyReply> {
	const parts = preview.split(';');
	const isJpeg = parts[0] === 'jpeg';
	const quality = /^\d+$/.test(parts.at(-1) ?? '') ? Number(parts.at(-1)) : 90;
	try {
		const image = sharp(bytes);
		const converted = isJpeg ? image.removeAlpha().jpeg({ quality }) : image.webp({ quality });
		return await reply.type(isJpeg ? 'image/jpeg' : 'image/webp').send(await converted.toBuffer());
	} catch {
		return sendText(reply, 500);
	}
}
