import type { FastifyInstance } from 'fastify';
import { readJson } from '../exactJson';

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
