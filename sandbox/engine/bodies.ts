import type { FastifyInstance } from 'fastify';
import { readJson } from '../exactJson';
import { isRecord } from '../records';
import { EngineFault } from './engineFault';

/** Engines read JSON whatever its Content-Type says. What is none comes to the routes as undefined; multipart is left unread. */
export function readEngineBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		try {
			done(null, readJson(body.toString()));
		} catch {
			done(null, undefined);
		}
	});
	app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
}

/** @throws EngineFault where there is no JSON object. */
export function requireRecord(body: unknown): Record<string, unknown> {
	if (!isRecord(body)) throw new EngineFault();
	return body;
}
