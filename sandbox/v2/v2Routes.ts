/** The v2 interface of one surface. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBodies, registerScope } from '../http/routes';
import { assetRoutes } from './assetRoutes';
import { eventsRoute } from './eventsRoute';
import { listRoute } from './listRoute';
import { v2JobRoutes } from './jobRoutes';
import { submitRoute } from './submitRoute';
import { Refusal, type RefusalFacts, type Traits, unauthorized, unreadable } from '../service/traits';
import type { Service } from '../service/service';

export function v2Routes(app: FastifyInstance, service: Service): void {
	const { traits, mountPrefix } = service;
	app.decorateRequest('account', 'local');
	parseJsonBodies(app, () => unreadable(traits, 'The body is not JSON'));
	app.setErrorHandler((error, _request, reply) => sendRefusal(reply, refusalFor(error, traits)));
	// The proxy answers an unknown path without the error envelope.
	app.setNotFoundHandler((_request, reply) =>
		traits.selfHosted
			? reply.code(404).type('text/plain; charset=utf-8').send('404: Not Found')
			: sendRefusal(reply, { status: 404, code: 'not_found', message: 'No such route' }),
	);
	if (traits.selfHosted) app.get(`${mountPrefix}/health`, () => ({ status: 'ok' }));
	registerScope(app, `${mountPrefix}/api/v2`, (routes) => {
		routes.addHook('onRequest', (request, _reply, next) => next(authorize(request, traits)));
		submitRoute(routes, service);
		listRoute(routes, service);
		v2JobRoutes(routes, service);
		eventsRoute(routes, service);
		assetRoutes(routes, service);
	});
}

/** Sets the account of the caller. @returns the refusal of a caller without access. */
function authorize(request: FastifyRequest, { tokens }: Traits): Refusal | undefined {
	if (tokens === undefined) return undefined;
	const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
	const account = tokens.get(token ?? '');
	if (account === undefined) return unauthorized();
	request.account = account;
	return undefined;
}

function refusalFor(error: unknown, traits: Traits): RefusalFacts {
	if (error instanceof Refusal) return error.facts;
	const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
	if (status === 413) return { status, code: 'payload_too_large', message: 'The body is too large' };
	if (status >= 400 && status < 500 && error instanceof Error) return { ...traits.unreadable, message: error.message };
	// The service hides such causes from callers. The developer should see them.
	process.emitWarning(error instanceof Error ? error : String(error));
	return { status: 500, code: 'upstream_error', message: 'Something went wrong' };
}

function sendRefusal(reply: FastifyReply, { status, code, message, details = null, retryAfter }: RefusalFacts): FastifyReply {
	if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
	return reply.code(status).send({ error: { code, message, details } });
}
