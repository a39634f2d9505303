/** The storage origin and its signed links: a link allows anyone who has it to read one blob until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { faultOf } from '../faults';
import type { Behaviour } from '../behaviour';
import { toIsoTime } from '../json';
import { type BlobStore, sendBlob } from './blobs';

/** How long a link is valid, unless a fault expires it. */
export const LINK_LIFETIME_SECONDS = 60 * 60;

interface SignedLink {
	url: string;
	/** ISO 8601. */
	expiresAt: string;
}

type LinkVerdict = 'good' | 'expired' | 'forged';

export class LinkSigner {
	/** Scheme, host and port of the storage. */
	origin = '';

	constructor(private readonly secret: string) {}

	/** @param lifetimeSeconds with zero or less, the link has already expired. */
	sign(blobId: string, contentType: string, lifetimeSeconds: number): SignedLink {
		const expires = Date.now() + (lifetimeSeconds > 0 ? lifetimeSeconds : -60) * 1000;
		const url = new URL(`/blobs/${blobId}`, this.origin);
		url.searchParams.set('X-Goog-Expires', String(expires));
		url.searchParams.set('response-content-type', contentType);
		url.searchParams.set('X-Goog-Signature', this.#signature(url));
		return { url: url.href, expiresAt: toIsoTime(expires) };
	}

	/** @param address path and query of the request. */
	verify(address: string): LinkVerdict {
		const url = new URL(address, this.origin);
		const given = Buffer.from(url.searchParams.get('X-Goog-Signature') ?? '', 'hex');
		url.searchParams.delete('X-Goog-Signature');
		const expected = Buffer.from(this.#signature(url), 'hex');
		if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected)) return 'forged';
		return Date.now() < Number(url.searchParams.get('X-Goog-Expires')) ? 'good' : 'expired';
	}

	#signature(url: URL): string {
		return createHmac('sha256', this.secret)
			.update(url.pathname + url.search)
			.digest('hex');
	}
}

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
