/** How the web server of an engine reads bodies and answers errors. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isRecord, readJson } from '../json';

const TEXTS = {
	405: '405: Method Not Allowed',
	413: '413: Request Entity Too Large',
	500: '500 Internal Server Error\n\nServer got itself in trouble',
} as const;

/** An error of the engine's web server, without details. */
export class EngineFault extends Error {
	constructor(readonly status: 413 | 500 = 500) {
		super(TEXTS[status]);
	}
}

export function setErrorAnswers(app: FastifyInstance): void {
	// The web interface has a GET route for every path.
	app.setNotFoundHandler(({ method }, reply) => {
		if (method === 'GET' || method === 'HEAD') return sendNoFile(reply);
		return sendText(reply.header('allow', 'GET,HEAD'), 405);
	});
	app.setErrorHandler((error, _request, reply) => {
		if (error instanceof EngineFault) return sendText(reply, error.status);
		if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) return sendText(reply, 413);
		process.emitWarning(error instanceof Error ? error : String(error));
		return sendText(reply, 500);
	});
}

/** Neither a route nor a file of the web interface exists at this path. */
export const sendNoFile = (reply: FastifyReply): FastifyReply => reply.code(404).type('application/octet-stream').send();

export const sendText = (reply: FastifyReply, status: keyof typeof TEXTS): FastifyReply =>
	reply.code(status).type('text/plain; charset=utf-8').send(TEXTS[status]);

/** The engine's answer to a workflow that it refuses. */
export interface EngineErrorBody {
	error: { type: string; message: string; details: string; extra_info: Record<string, unknown> };
	node_errors: Record<string, unknown>;
}

/** Engines parse every body as JSON, with any Content-Type. Invalid JSON becomes undefined. Multipart bodies stay unread. */
export function parseEngineBodies(app: FastifyInstance): void {
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

/** @throws EngineFault if the body is not a JSON object. */
export function requireRecord(body: unknown): Record<string, unknown> {
	if (!isRecord(body)) throw new EngineFault();
	return body;
}
