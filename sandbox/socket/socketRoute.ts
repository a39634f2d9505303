/** WebSockets on an origin. An upgrade passes the same hooks as every request, so that it is recorded and faults apply to it. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { MeteredRequest } from '../http/metered';
import type { AccountName, Surface } from '../vocabulary';
import { type OpenSockets, SocketConnection, socketFaultOf } from './connections';

const SWITCHING_PROTOCOLS = 101;

interface SocketRouteOptions {
	surface: Surface;
	sockets: OpenSockets;
	/** The account that connects. If it throws, the error handler answers instead of the upgrade. */
	authorize(request: FastifyRequest): AccountName;
	/** A plain GET, without an upgrade. */
	refusePlain(reply: FastifyReply): FastifyReply;
	onOpen(connection: SocketConnection): void;
}

/** Accepts WebSockets at these paths. The query contains `clientId`. Call it once for each origin. */
export function socketRoute(app: FastifyInstance, paths: string | readonly string[], options: SocketRouteOptions): void {
	const { surface, sockets } = options;
	const acceptor = new WebSocketServer({ noServer: true });
	const extraHeaders = new WeakMap<IncomingMessage, string[]>();
	acceptor.on('headers', (headers, request) => headers.push(...(extraHeaders.get(request) ?? [])));
	app.addHook('preClose', (done) => {
		sockets.drop(surface);
		done();
	});

	for (const path of [paths].flat()) {
		app.get<{ Querystring: Record<string, string> }>(path, (request, reply) => {
			const { raw } = request;
			const head = raw instanceof MeteredRequest ? raw.upgradeHead : undefined;
			if (head === undefined) return options.refusePlain(reply);
			const account = options.authorize(request);
			extraHeaders.set(
				raw,
				Object.entries(reply.getHeaders()).map(([name, value]) => `${name}: ${String(value)}`),
			);
			reply.hijack();
			reply.raw.statusCode = SWITCHING_PROTOCOLS;
			acceptor.handleUpgrade(raw, raw.socket, head, (socket) => {
				const connection = new SocketConnection(socket, raw.socket, {
					surface,
					account,
					clientId: request.query.clientId ?? null,
					fault: socketFaultOf(request),
				});
				sockets.add(connection);
				options.onOpen(connection);
			});
			return undefined;
		});
	}
}
