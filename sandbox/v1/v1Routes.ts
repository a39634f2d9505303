/** The deprecated v1 interface, on the same jobs, files and accounts as v2. */
import type { FastifyInstance } from 'fastify';
import { readBodies } from '../http/bodies';
import type { OpenSockets } from '../socket/connections';
import { unauthorized } from '../service/traits';
import type { Service } from '../service/service';
import { invalid, sendError } from './refusals';
import { v1AssetRoutes } from './assetRoutes';
import { maskLayerRoute, publicCatalogRoutes, publicInfoRoutes, v1InfoRoutes } from './infoRoutes';
import { jobsRoutes, statusRoute } from './jobRoutes';
import { liveRoute } from './liveRoute';
import { promptRoutes, v1QueueRoutes } from './promptRoutes';
import { v1UploadRoutes } from './uploadRoutes';
import { v1UserdataRoutes } from './userdataRoutes';
import { v1ViewRoute } from './files';

/** To be called after v2 has opened its own routes, which brings `request.account`. */
export function v1Routes(app: FastifyInstance, service: Service, sockets: OpenSockets): void {
	const { mountPrefix, traits, behaviour } = service;

	void app.register(
		(routes, _options, done) => {
			routes.setErrorHandler((error, _request, reply) => sendError(reply, error, behaviour));
			readBodies(routes, () => invalid('The body is not JSON'));
			routes.addHook('onRequest', (request, _reply, next) => {
				const key = request.headers['x-api-key'];
				const account = typeof key === 'string' ? traits.tokens?.get(key) : undefined;
				if (account !== undefined) request.account = account;
				next(account === undefined ? unauthorized() : undefined);
			});
			for (const open of [
				promptRoutes,
				statusRoute,
				jobsRoutes,
				v1QueueRoutes,
				v1UploadRoutes,
				v1ViewRoute,
				v1InfoRoutes,
				v1UserdataRoutes,
				v1AssetRoutes,
				maskLayerRoute,
			])
				open(routes, service);
			done();
		},
		{ prefix: `${mountPrefix}/api` },
	);
	void app.register(
		(routes, _options, done) => {
			routes.setErrorHandler((error, _request, reply) => sendError(reply, error, behaviour));
			publicCatalogRoutes(routes);
			publicInfoRoutes(routes);
			done();
		},
		{ prefix: `${mountPrefix}/api` },
	);
	void app.register(
		(routes, _options, done) => {
			routes.setErrorHandler((error, _request, reply) => sendError(reply, error, behaviour));
			liveRoute(routes, service, sockets);
			done();
		},
		{ prefix: mountPrefix },
	);
}
