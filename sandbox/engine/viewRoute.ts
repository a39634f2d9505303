/** `GET /view`: the bytes of a file. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendBlob } from '../http/sendBlob';
import type { BlobStore } from '../store/blobs';
import type { LocalEngine } from './localEngine';
import { placeAsked } from '../store/places';

export function engineViewRoute(app: FastifyInstance, { files }: LocalEngine, blobs: BlobStore): void {
	app.get<{ Querystring: { filename?: string; subfolder?: string; type?: string } }>('/view', (request, reply): FastifyReply => {
		const { filename, subfolder = '', type = 'output' } = request.query;
		if (filename === undefined) return reply.code(404).send();
		const place = placeAsked(filename, subfolder, type);
		if (typeof place === 'string') return reply.code(place === 'outside' ? 403 : 400).send();
		// Of a path in the name only the last part counts.
		const name = place.name.slice(place.name.lastIndexOf('/') + 1);
		const file = files.find({ ...place, name });
		if (file === undefined) return reply.code(404).send();
		reply.header('content-disposition', `filename="${name}"`);
		return sendBlob(request, reply, blobs, file.blob, file.contentType) ? reply : reply.code(416).send();
	});
}
