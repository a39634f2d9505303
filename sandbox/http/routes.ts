/** What routes of all origins need: scopes with hooks of their own, and the bodies of requests. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { BusboyInstance } from '@fastify/busboy';
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

/** Pipes a multipart body into its parser. Rejects if the body is malformed or the caller disconnects. */
export async function pipeInto(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
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
