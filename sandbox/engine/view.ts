/** `GET /view`: the bytes of a file. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendBlob } from '../http/sendBlob';
import type { BlobStore } from '../store/blobs';
import type { LocalEngine } from './localEngine';
import { annotated, inside, isFolder } from './places';

export function viewRoute(app: FastifyInstance, { files }: LocalEngine, blobs: BlobStore): void {
	app.get<{ Querystring: { filename?: string; subfolder?: string; type?: string } }>('/view', (request, reply): FastifyReply => {
		const { filename, subfolder = '', type = 'output' } = request.query;
		if (filename === undefined) return reply.code(404).send();
		const { name, folder = type } = annotated(filename);
		if (name === '' || name.startsWith('/') || name.includes('..') || !isFolder(folder)) return reply.code(400).send();
		if (inside(subfolder) === undefined) return reply.code(403).send();
		// Of a path in the name only the last part counts.
		const base = name.slice(name.lastIndexOf('/') + 1);
		const file = files.find({ folder, subfolder, name: base });
		if (file === undefined) return reply.code(404).send();
		reply.header('content-disposition', `filename="${base}"`);
		return sendBlob(request, reply, blobs, file.blob, file.contentType) ? reply : reply.code(416).send();
	});
}
