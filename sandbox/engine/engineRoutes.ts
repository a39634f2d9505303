/** What an engine serves, under the roots that contract/engine.yaml names. It needs no key. */
import type { FastifyInstance } from 'fastify';
import type { OpenSockets } from '../socket/connections';
import { registerScope } from '../http/routes';
import { socketRoute } from '../socket/socketRoute';
import type { Service } from '../service/service';
import type { Behaviour } from '../behaviour';
import { setErrorAnswers, parseEngineBodies } from './answers';
import { engineQueueRoutes, historyRoutes, promptRoute } from './promptRoutes';
import { engineJobRoutes } from './jobRoutes';
import type { LocalEngine } from './localEngine';
import { blueprintRoutes } from './blueprints';
import { logRoute, serverRoutes } from './serverRoutes';
import { packListRoute, packTemplateRoute, templateRoutes } from './templates';
import { engineUploadRoutes } from './fileRoutes';
import { engineUserdataRoutes, type EngineUsers, usersRoute } from './userdataRoutes';
import { engineViewRoute } from './viewRoute';

const PREFIXES = ['', '/api'];

interface EngineParts {
	engine: LocalEngine;
	service: Service;
	sockets: OpenSockets;
	users: EngineUsers;
	/** The path prefix of all routes; may be empty. */
	mount: string;
}

export function engineRoutes(app: FastifyInstance, { engine, service, sockets, users, mount }: EngineParts): void {
	const { behaviour, blobs } = service;
	const prefixes = PREFIXES.map((prefix) => mount + prefix);
	requireAuthorization(app, behaviour);
	parseEngineBodies(app);
	setErrorAnswers(app);
	for (const prefix of prefixes) {
		registerScope(app, prefix, (routes) => {
			promptRoute(routes, engine, service);
			engineQueueRoutes(routes, engine);
			historyRoutes(routes, engine);
			engineViewRoute(routes, engine, blobs);
			engineUploadRoutes(routes, engine, service);
			serverRoutes(routes, engine, service);
			packListRoute(routes, behaviour);
			blueprintRoutes(routes, behaviour);
			usersRoute(routes, behaviour);
			engineUserdataRoutes(routes, users, behaviour);
		});
	}
	registerScope(app, `${mount}/api`, (routes) => {
		engineJobRoutes(routes, engine, behaviour);
		packTemplateRoute(routes, behaviour);
	});
	registerScope(app, `${mount}/internal`, (routes) => logRoute(routes, engine, behaviour));
	templateRoutes(app, behaviour, mount);
	app.get(`${mount}/`, (_request, reply) =>
		reply.type('text/html').send('<!DOCTYPE html><html><head><title>ComfyUI</title></head><body></body></html>'),
	);
	socketRoute(
		app,
		prefixes.map((prefix) => `${prefix}/ws`),
		{
			surface: 'engine',
			sockets,
			authorize: () => 'local',
			refusePlain: (reply) => reply.code(400).type('text/plain').send('No WebSocket UPGRADE hdr'),
			onOpen: (connection) => engine.connect(connection),
		},
	);
}

const LOGIN_PAGE =
	'<!DOCTYPE html><html><head><title>401 Authorization Required</title></head><body><h1>401 Authorization Required</h1><p>nginx</p></body></html>';

/** A reverse proxy in front of the engine that requires a password, for all requests and upgrades. */
function requireAuthorization(app: FastifyInstance, behaviour: Behaviour): void {
	app.addHook('onRequest', async ({ headers }, reply) => {
		const { engineAuthorization } = behaviour;
		if (engineAuthorization === null || headers.authorization === engineAuthorization) return undefined;
		return await reply.code(401).header('www-authenticate', 'Basic realm="ComfyUI"').type('text/html; charset=utf-8').send(LOGIN_PAGE);
	});
}
