/** What an engine serves, each under `/` and under `/api`. It asks nobody for a key. */
import type { FastifyInstance } from 'fastify';
import type { OpenSockets } from '../socket/openSockets';
import { socketRoute } from '../socket/socketRoute';
import type { Service } from '../service/service';
import { readEngineBodies } from './bodies';
import { plainAnswers } from './engineFault';
import { frontDoor } from './frontDoor';
import { historyRoutes } from './historyRoutes';
import { engineInfoRoutes } from './infoRoutes';
import { engineJobRoutes } from './jobRoutes';
import type { LocalEngine } from './localEngine';
import { modelRoutes } from './modelRoutes';
import { promptRoute } from './promptRoute';
import { engineQueueRoutes } from './queueRoutes';
import { packTemplateRoutes, templateRoutes } from './templates';
import { engineUploadRoutes } from './uploadRoutes';
import { engineUserdataRoutes } from './userdataRoutes';
import { type EngineUsers, usersRoute } from './users';
import { engineViewRoute } from './viewRoute';

const PREFIXES = ['', '/api'];

export interface EngineParts {
	engine: LocalEngine;
	service: Service;
	sockets: OpenSockets;
	users: EngineUsers;
	/** The path under which all of it lies; empty for none. */
	mount: string;
}

export function engineRoutes(app: FastifyInstance, { engine, service, sockets, users, mount }: EngineParts): void {
	const { behaviour, blobs } = service;
	const prefixes = PREFIXES.map((prefix) => mount + prefix);
	frontDoor(app, behaviour);
	readEngineBodies(app);
	plainAnswers(app);
	for (const prefix of prefixes) {
		void app.register(
			(routes, _options, done) => {
				promptRoute(routes, engine, service);
				engineQueueRoutes(routes, engine);
				historyRoutes(routes, engine);
				engineViewRoute(routes, engine, blobs);
				engineUploadRoutes(routes, engine, service);
				engineInfoRoutes(routes, engine, behaviour);
				engineJobRoutes(routes, engine, behaviour);
				modelRoutes(routes);
				packTemplateRoutes(routes, behaviour);
				usersRoute(routes, behaviour);
				void routes.register((files, _none, ready) => {
					engineUserdataRoutes(files, { filesOf: (request) => users.asking(request), behaviour });
					ready();
				});
				done();
			},
			{ prefix },
		);
	}
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
			keepAliveMs: () => behaviour.keepAliveMs,
			admit: () => 'local',
			refusePlain: (reply) => reply.code(400).type('text/plain').send('No WebSocket UPGRADE hdr'),
			onOpen: (connection) => engine.connect(connection),
		},
	);
}
