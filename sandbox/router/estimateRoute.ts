/** POST of an estimate: prices a run, and runs nothing. */
import type { FastifyInstance } from 'fastify';
import { writeJson } from '../json';
import { authorize, validateCall } from './call';
import { estimateOf } from './catalog';
import type { ModelParams } from './model';
import type { RouterService } from './routerService';
import { MODEL_PATH } from './runRoute';

export function estimateRoute(app: FastifyInstance, router: RouterService): void {
	app.post<{ Params: ModelParams; Querystring: Record<string, string> }>(`${MODEL_PATH}/estimate`, (request, reply) => {
		const account = authorize(request, router);
		const { model, input } = validateCall(request, account, router);
		return reply.type('application/json; charset=utf-8').send(writeJson(estimateOf(model, input) ?? null));
	});
}
