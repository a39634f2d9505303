/** The model router: one partner model per request, under `/v1`, `/v2` or both. */
import type { FastifyInstance } from 'fastify';
import { readBodies } from '../http/bodies';
import { catalogRoutes } from './catalogRoutes';
import { asRouterAnswer, invalidInput, sendRefusal } from './refusals';
import { routerQueueRoutes } from './queueRoutes';
import { runRoute } from './runRoute';
import type { RouterService } from './routerService';

const PREFIXES = ['v1', 'v2'] as const;

export function routerRoutes(app: FastifyInstance, router: RouterService): void {
	const { behaviour } = router;
	app.addHook('onSend', async (request, reply, payload) => asRouterAnswer(request, reply, payload, behaviour));
	app.setErrorHandler((error, _request, reply) => sendRefusal(reply, error, behaviour));
	app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain; charset=utf-8').send('404 page not found\n'));
	readBodies(app, () => invalidInput('The body is not JSON'));
	for (const prefix of PREFIXES) {
		void app.register(
			(routes, _options, done) => {
				routes.addHook('onRequest', async (_request, reply) => {
					if (behaviour.routerPrefixes === 'both' || behaviour.routerPrefixes === prefix) return undefined;
					reply.callNotFound();
					return reply;
				});
				for (const open of [catalogRoutes, runRoute, routerQueueRoutes]) open(routes, router);
				done();
			},
			{ prefix: `/${prefix}` },
		);
	}
}
