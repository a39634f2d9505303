/** The model router: one partner model per request, under `/v1`, `/v2` or both. */
import type { FastifyInstance } from 'fastify';
import { parseJsonBodies, registerScope } from '../http/routes';
import { catalogRoutes } from './catalogRoutes';
import { estimateRoute } from './estimateRoute';
import { toRouterAnswer, invalidInput, sendRefusal } from './refusals';
import { routerQueueRoutes } from './queueRoutes';
import { runRoute } from './runRoute';
import type { RouterService } from './routerService';

const PREFIXES = ['v1', 'v2'] as const;

export function routerRoutes(app: FastifyInstance, router: RouterService): void {
	const { behaviour } = router;
	app.addHook('onSend', async (request, reply, payload) => toRouterAnswer(request, reply, payload, behaviour));
	app.setErrorHandler((error, _request, reply) => sendRefusal(reply, error, behaviour));
	app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain; charset=utf-8').send('404 page not found\n'));
	parseJsonBodies(app, () => invalidInput('The body is not JSON'));
	for (const prefix of PREFIXES) {
		registerScope(app, `/${prefix}`, (routes) => {
			routes.addHook('onRequest', async (_request, reply) => {
				if (behaviour.routerPrefixes === 'both' || behaviour.routerPrefixes === prefix) return undefined;
				reply.callNotFound();
				return reply;
			});
			catalogRoutes(routes, router);
			estimateRoute(routes, router);
			runRoute(routes, router);
			routerQueueRoutes(routes, router);
		});
	}
}
