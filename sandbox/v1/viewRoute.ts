/** `GET /api/view`: a redirect to a signed storage link; the bytes themselves for one channel of a picture. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import sharp from 'sharp';
import { faultOf } from '../faults/applyFault';
import { sendBlob } from '../http/sendBlob';
import { Refusal } from '../service/refusal';
import type { Service } from '../service/service';
import { invalid, unknown } from './refusals';
import { findFile, type StoredFile } from './files';

const CHANNELS = ['rgb', 'rgba', 'a'];

export function v1ViewRoute(app: FastifyInstance, service: Service): void {
	const { behaviour, blobs, signer } = service;

	// `subfolder` and `type` have no effect.
	app.get<{ Querystring: Record<string, string> }>('/view', async (request, reply) => {
		const { filename = '', channel } = request.query;
		if (filename === '') throw invalid('filename is required');
		const file = findFile(service, request.account, filename);
		if (file === undefined) throw unknown('file');
		if (channel !== undefined) return await sendChannel(reply, file, channel, service);
		if (behaviour.v1View === 'redirect') {
			const lifetimeSeconds = faultOf(request, 'expired_link') === undefined ? behaviour.linkLifetimeSeconds : 0;
			return reply.redirect(signer.sign(file.blob.id, file.contentType, lifetimeSeconds).url, 302);
		}
		if (!sendBlob(request, reply, blobs, file.blob, file.contentType)) {
			throw new Refusal({ status: 416, code: 'range_not_satisfiable', message: 'The requested range is beyond the end' });
		}
		return reply;
	});
}

async function sendChannel(reply: FastifyReply, file: StoredFile, channel: string, { blobs }: Service): Promise<FastifyReply> {
	if (!CHANNELS.includes(channel)) throw invalid(`channel must be one of ${CHANNELS.join(', ')}`);
	if (!file.contentType.startsWith('image/')) throw invalid('channel is for images');
	const image = sharp(await blobs.bytes(file.blob));
	const chosen =
		channel === 'rgb' ? image.removeAlpha() : channel === 'rgba' ? image.ensureAlpha() : image.ensureAlpha().extractChannel('alpha');
	return reply.type('image/png').send(await chosen.png().toBuffer());
}
