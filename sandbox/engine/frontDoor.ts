/** A reverse proxy before the engine that asks for a password. */
import type { FastifyInstance } from 'fastify';
import type { Behaviour } from '../behaviour';

const LOGIN_PAGE =
	'<!DOCTYPE html><html><head><title>401 Authorization Required</title></head><body><h1>401 Authorization Required</h1><p>nginx</p></body></html>';

/** For every request and every upgrade, whether or not there is such a route. */
export function frontDoor(app: FastifyInstance, behaviour: Behaviour): void {
	app.addHook('onRequest', async ({ headers }, reply) => {
		const { engineAuthorization } = behaviour;
		if (engineAuthorization === null || headers.authorization === engineAuthorization) return undefined;
		return await reply.code(401).header('www-authenticate', 'Basic realm="ComfyUI"').type('text/html; charset=utf-8').send(LOGIN_PAGE);
	});
}
