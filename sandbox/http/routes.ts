/** What routes of all origins need: scopes with hooks of their own, and JSON bodies. */
import type { FastifyInstance } from 'fastify';
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
