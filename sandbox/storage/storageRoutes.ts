/** The storage origin. It knows signed links only, and refuses whoever brings a credential along. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { faultOf } from '../faults/applyFault';
import { sendBlob } from '../http/sendBlob';
import type { BlobStore } from '../store/blobs';
import type { Behaviour } from '../behaviour';
import type { LinkSigner } from './linkSigner';

const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization'];

export function storageRoutes(app: FastifyInstance, storage: { blobs: BlobStore; signer: LinkSigner; behaviour: Behaviour }): void {
	const { blobs, signer, behaviour } = storage;

	app.get<{ Params: { id: string }; Querystring: Record<string, string> }>('/blobs/:id', (request, reply) => {
		if (CREDENTIAL_HEADERS.some((name) => request.headers[name] !== undefined)) {
			return refuse(reply, 400, 'InvalidArgument', 'Only one auth mechanism is allowed.');
		}
		const verdict = faultOf(request, 'expired_link') === undefined ? signer.verify(request.url) : 'expired';
		if (verdict === 'expired') return refuse(reply, behaviour.expiredLinkStatus, 'ExpiredToken', 'The provided token has expired.');
		if (verdict === 'forged') return refuse(reply, 403, 'SignatureDoesNotMatch', 'Access denied.');
		const blob = blobs.get(request.params.id);
		if (blob === undefined) return refuse(reply, 404, 'NoSuchKey', 'The specified key does not exist.');
		const contentType = request.query['response-content-type'] ?? 'application/octet-stream';
		if (!sendBlob(request, reply, blobs, blob, contentType))
			return refuse(reply, 416, 'InvalidRange', 'The requested range cannot be satisfied.');
		return reply;
	});

	app.setNotFoundHandler((_request, reply) => refuse(reply, 403, 'AccessDenied', 'Access denied.'));
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
	const body = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
	return reply.code(status).type('application/xml; charset=UTF-8').send(body);
}
