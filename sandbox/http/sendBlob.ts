import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Blob, BlobStore } from '../store/blobs';

export type ByteRange = { first: number; last: number } | 'unsatisfiable' | undefined;

/** Reads a `Range` header (inclusive at both ends); undefined when absent, malformed or of several parts: the whole is sent. */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange {
	const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
	const [, from = '', to = ''] = match ?? [];
	if (from === '' && to === '') return undefined;
	const first = from === '' ? Math.max(sizeBytes - Number(to), 0) : Number(from);
	const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
	if (from !== '' && to !== '' && Number(to) < first) return undefined;
	return first > last ? 'unsatisfiable' : { first, last };
}

/** Sends a blob's bytes, or the part asked for: 200 or 206. Returns false, with nothing sent, when the range is beyond the end. */
export function sendBlob(request: FastifyRequest, reply: FastifyReply, blobs: BlobStore, blob: Blob, contentType: string): boolean {
	const etag = `"${blob.id}"`;
	const ifRange = request.headers['if-range'];
	const range = ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, blob.sizeBytes) : undefined;
	if (range === 'unsatisfiable') {
		reply.header('content-range', `bytes */${blob.sizeBytes}`);
		return false;
	}
	reply.headers({ 'content-type': contentType, 'accept-ranges': 'bytes', etag });
	if (range === undefined) {
		reply.header('content-length', blob.sizeBytes);
	} else {
		reply.code(206).headers({
			'content-length': range.last - range.first + 1,
			'content-range': `bytes ${range.first}-${range.last}/${blob.sizeBytes}`,
		});
	}
	void reply.send(blobs.open(blob, range));
	return true;
}
