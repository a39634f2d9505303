/** WebSockets on an origin: an upgrade passes through the same hooks as every request, so it is recorded and open to faults. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { MeteredRequest, MeteredResponse } from '../http/metered';
import type { AccountName, Surface } from '../vocabulary';
import { type OpenSockets, SocketConnection, socketFaultOf } from './connections';

const SWITCHING_PROTOCOLS = 101;

interface SocketRouteOptions {
	surface: Surface;
	sockets: OpenSockets;
	/** Between two pings; read anew for each connection. */
	keepAliveMs(): number;
	/** Who connects. What it throws is answered by the error handler, in place of the upgrade. */
	admit(request: FastifyRequest): AccountName;
	/** A plain GET, without an upgrade. */
	refusePlain(reply: FastifyReply): FastifyReply;
	onOpen(connection: SocketConnection): void;
}

/** Accepts WebSockets at one path or several. `clientId` is read from the query. To be called once an origin. */
export function socketRoute(app: FastifyInstance, paths: string | readonly string[], options: SocketRouteOptions): void {
	const { surface, sockets } = options;
	const acceptor = new WebSocketServer({ noServer: true });
	const heads = routeUpgrades(app);
	const extraHeaders = new WeakMap<IncomingMessage, string[]>();
	acceptor.on('headers', (headers, request) => headers.push(...(extraHeaders.get(request) ?? [])));
	app.addHook('preClose', (done) => {
		sockets.drop(surface);
		done();
	});

	for (const path of [paths].flat()) {
		app.get<{ Querystring: Record<string, string> }>(path, (request, reply) => {
			const { raw } = request;
			const head = heads.get(raw);
			if (head === undefined) return options.refusePlain(reply);
			const account = options.admit(request);
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
					keepAliveMs: options.keepAliveMs(),
					fault: socketFaultOf(request),
				});
				sockets.add(connection);
				options.onOpen(connection);
			});
			return undefined;
		});
	}
}

/** Hands upgrades to the router like any request. Returns what each sent beyond its header. */
function routeUpgrades(app: FastifyInstance): WeakMap<IncomingMessage, Buffer> {
	const heads = new WeakMap<IncomingMessage, Buffer>();
	app.server.on('upgrade', (request, socket, head) => {
		socket.on('error', () => undefined);
		if (!(request instanceof MeteredRequest)) throw new TypeError('The server was not opened with the metered request');
		heads.set(request, head);
		const response = new MeteredResponse(request);
		response.shouldKeepAlive = false;
		response.assignSocket(request.socket);
		response.once('finish', () => request.socket.destroySoon());
		app.routing(request, response);
	});
	return heads;
}
