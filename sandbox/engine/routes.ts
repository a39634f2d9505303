/** What an engine serves, each under `/` and under `/api`. It asks nobody for a key. */
import type { FastifyInstance } from 'fastify';
import type { OpenSockets } from '../socket/openSockets';
import { socketRoute } from '../socket/socketRoute';
import type { Service } from '../v2/service';
import { readEngineBodies } from './bodies';
import { plainAnswers } from './faults';
import { frontDoor } from './frontDoor';
import { historyRoutes } from './historyRoutes';
import { infoRoutes } from './infoRoutes';
import { jobRoutes } from './jobs';
import type { LocalEngine } from './localEngine';
import { promptRoute } from './promptRoute';
import { queueRoutes } from './queueRoutes';
import { uploadRoutes } from './uploads';
import { viewRoute } from './view';

const PREFIXES = ['', '/api'];

export interface EngineParts {
	engine: LocalEngine;
	service: Service;
	sockets: OpenSockets;
	/** The path under which all of it lies; empty for none. */
	mount: string;
}

export function engineRoutes(app: FastifyInstance, { engine, service, sockets, mount }: EngineParts): void {
	const { behaviour, blobs } = service;
	const prefixes = PREFIXES.map((prefix) => mount + prefix);
	frontDoor(app, behaviour);
	readEngineBodies(app);
	plainAnswers(app);
	for (const prefix of prefixes) {
		void app.register(
			(routes, _options, done) => {
				promptRoute(routes, engine, service);
				queueRoutes(routes, engine);
				historyRoutes(routes, engine);
				viewRoute(routes, engine, blobs);
				uploadRoutes(routes, engine, service);
				infoRoutes(routes, engine, behaviour);
				jobRoutes(routes, engine, behaviour);
				done();
			},
			{ prefix },
		);
	}
	app.get(`${mount}/`, (_request, reply) => reply.type('text/html').send('<!DOCTYPE html><html><head><title>ComfyUI</title></head><body></body></html>'));
	socketRoute(app, prefixes.map((prefix) => `${prefix}/ws`), {
		surface: 'engine',
		sockets,
		keepAliveMs: () => behaviour.keepAliveMs,
		admit: () => 'local',
		refusePlain: (reply) => reply.code(400).type('text/plain').send('No WebSocket UPGRADE hdr'),
		onOpen: (connection) => engine.connect(connection),
	});
}
