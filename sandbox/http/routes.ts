/** What routes of all origins need: scopes with hooks of their own, JSON bodies, and idempotency keys. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJson } from '../json';

/** Fastify reads the name of a plugin here. If there is none, it searches all modules that Node has loaded. */
const PLUGIN_NAME = Symbol.for('fastify.display-name');

/** Registers routes whose hooks, parsers and error handlers do not apply to other routes. */
export function registerScope(app: FastifyInstance, prefix: string, addRoutes: (scope: FastifyInstance) => void): void {
	const plugin = (scope: FastifyInstance, _options: object, done: () => void): void => {
		addRoutes(scope);
		done();
	};
	void app.register(Object.assign(plugin, { [PLUGIN_NAME]: `routes under ${prefix}/` }), { prefix });
}

/** Parses JSON bodies, an empty one as undefined. Multipart bodies stay unread, because their routes read them as a stream. */
export function parseJsonBodies(app: FastifyInstance, notJson: () => Error): void {
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

const KEY_LENGTH_LIMIT = 255;

/** The request's Idempotency-Key. @param invalid makes the error for a key that does not have 1 to 255 characters. */
export function readKey({ headers }: FastifyRequest, invalid: (message: string) => Error): string | undefined {
	const key = headers['idempotency-key'];
	if (key === undefined) return undefined;
	if (typeof key === 'string' && key.length >= 1 && key.length <= KEY_LENGTH_LIMIT) return key;
	throw invalid(`Idempotency-Key must have 1 to ${KEY_LENGTH_LIMIT} characters`);
}
