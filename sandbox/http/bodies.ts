/** Reading the bodies of requests. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { BusboyInstance } from '@fastify/busboy';
import { readJson } from '../json';

/** Reads JSON bodies, the empty one as undefined, and leaves multipart bodies unread for their routes. */
export function readBodies(app: FastifyInstance, notJson: () => Error): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
		try {
			done(null, body === '' ? undefined : readJson(body.toString()));
		} catch {
			done(notJson());
		}
	});
	app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
}

/** Hands a whole multipart body to its parser. Rejects when it is malformed or the caller goes away. */
export async function passThrough(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		parser.once('finish', resolve);
		parser.once('error', reject);
		request.once('error', reject);
		request.once('close', () => {
			if (!request.complete) reject(new Error('the caller went away'));
		});
		request.pipe(parser);
	});
}
