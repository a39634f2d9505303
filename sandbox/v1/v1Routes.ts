/** The deprecated v1 interface, with the same jobs, files and accounts as v2. */
import type { FastifyInstance } from 'fastify';
import { parseJsonBodies, registerScope } from '../http/routes';
import type { OpenSockets } from '../socket/connections';
import { unauthorized } from '../service/traits';
import type { Service } from '../service/service';
import { invalid, sendError } from './refusals';
import { v1InfoRoutes } from './infoRoutes';
import { jobsRoutes, statusRoute } from './jobRoutes';
import { liveRoute } from './liveRoute';
import { promptRoutes, v1QueueRoutes } from './promptRoutes';
import { v1UploadRoutes } from './uploadRoutes';
import { v1UserdataRoutes } from './userdataRoutes';
import { v1ViewRoute } from './files';

/** Call it after `v2Routes`, which declares `request.account`. */
export function v1Routes(app: FastifyInstance, service: Service, sockets: OpenSockets): void {
	const { mountPrefix, traits, behaviour } = service;

	registerScope(app, `${mountPrefix}/api`, (routes) => {
		routes.setErrorHandler((error, _request, reply) => sendError(reply, error, behaviour));
		parseJsonBodies(routes, () => invalid('The body is not JSON'));
		routes.addHook('onRequest', (request, _reply, next) => {
			const key = request.headers['x-api-key'];
			const account = typeof key === 'string' ? traits.tokens?.get(key) : undefined;
			if (account !== undefined) request.account = account;
			next(account === undefined ? unauthorized() : undefined);
		});
		promptRoutes(routes, service);
		statusRoute(routes, service);
		jobsRoutes(routes, service);
		v1QueueRoutes(routes, service);
		v1UploadRoutes(routes, service);
		v1ViewRoute(routes, service);
		v1InfoRoutes(routes, service);
		v1UserdataRoutes(routes, service);
	});
	registerScope(app, mountPrefix, (routes) => {
		routes.setErrorHandler((error, _request, reply) => sendError(reply, error, behaviour));
		liveRoute(routes, service, sockets);
	});
}
