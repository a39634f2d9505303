/** The deprecated v1 interface, on the same jobs, files and accounts as v2. */
import type { FastifyInstance } from 'fastify';
import { readBodies } from '../http/bodies';
import type { OpenSockets } from '../socket/openSockets';
import { unauthorized } from '../v2/refusal';
import type { Service } from '../v2/service';
import { invalid, sendError } from './errors';
import { infoRoutes } from './info';
import { jobsRoutes } from './jobs/routes';
import { statusRoute } from './jobs/status';
import { liveRoute } from './live';
import { promptRoutes } from './prompt';
import { queueRoutes } from './queue';
import { uploadRoutes } from './uploads/routes';
import { viewRoute } from './view';

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
			for (const open of [promptRoutes, statusRoute, jobsRoutes, queueRoutes, uploadRoutes, viewRoute, infoRoutes]) open(routes, service);
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
