/** One HTTP origin on loopback. It records and meters its requests, and applies faults to them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { writeJson } from './json';
import { applyFault, faultOf, type FaultRules, renderAnswer, sendAnswer } from './faults';
import type { Behaviour } from './behaviour';
import type { Surface } from './vocabulary';
import { metered, MeteredRequest, MeteredResponse } from './http/metered';
import { reservePort } from './http/reservePort';
import type { Recorder } from './http/recorder';

/** Large enough for a graph. Files never pass through the JSON parser. */
const JSON_LIMIT_BYTES = 64 * 1024 * 1024;

/** Each sender of a request sets these itself. */
const HOP_HEADERS = ['connection', 'content-length', 'transfer-encoding', 'host'];

/** Marks a request that is delivered once more: the next fault does not apply to it. */
const DELIVERED_AGAIN = 'x-delivered-again';
const deliveryToken = randomUUID();

/** Object storage and engines send no request id of the service. */
const WITHOUT_REQUEST_IDS: readonly Surface[] = ['storage', 'engine'];

/** Fastify's own default. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

interface OriginOptions {
	surface: Surface;
	port: number;
	mountPrefix: string;
	recorder: Recorder;
	faults: FaultRules;
	behaviour: Behaviour;
}

export interface Origin {
	/** Scheme, host and port. */
	address: string;
	/** False: the port refuses connections, and open connections are cut, except WebSockets. True: it listens again. */
	setListening(on: boolean): Promise<void>;
	close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Routes are added at the first request: most sandboxes serve requests at one or two of their origins.
 * @throws the socket's own error, for example EADDRINUSE.
 */
export async function openOrigin(options: OriginOptions, addRoutes: (app: FastifyInstance) => void): Promise<Origin> {
	const server = createServer({
		IncomingMessage: MeteredRequest,
		ServerResponse: MeteredResponse,
		keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
		// Tests stall requests for longer than Node's limit.
		requestTimeout: 0,
	});
	await setListening(server, options.port, true);
	const port = portOf(server);
	const address = `http://127.0.0.1:${port}`;
	let app: Promise<FastifyInstance> | undefined;
	const openApp = async (): Promise<FastifyInstance> => await (app ??= createApp(server, address, options, addRoutes));

	server.on('request', (request, response) => void openApp().then(({ routing }) => routing(request, response)));
	server.on('upgrade', (request, socket, head) => {
		socket.on('error', () => undefined);
		void openApp().then(({ routing }) => routeUpgrade(request, head, routing));
	});
	let freePort = async (): Promise<void> => await Promise.resolve();
	return {
		address,
		setListening: async (on) => {
			if (server.listening === on) return;
			if (on) await freePort();
			await setListening(server, port, on);
			if (!on) freePort = await reservePort(port);
		},
		close: async () => {
			await (await app)?.close();
			if (!server.listening) await freePort();
			await setListening(server, port, false);
		},
	};
}

async function createApp(
	server: Server,
	address: string,
	options: OriginOptions,
	addRoutes: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
	const { surface, mountPrefix, recorder, faults, behaviour } = options;
	const app = Fastify({
		serverFactory: () => server,
		bodyLimit: JSON_LIMIT_BYTES,
		exposeHeadRoutes: false,
		// Output ids of self-hosted surfaces are signed texts of about 160 characters. The default limit is 100.
		routerOptions: { maxParamLength: 1024 },
	});
	app.setReplySerializer(writeJson);
	app.decorateRequest('faultRule', undefined);
	app.addHook('onRequest', async (request, reply) => {
		const requestId = surface === 'router' ? randomUUID() : `req_${randomUUID()}`;
		if (!WITHOUT_REQUEST_IDS.includes(surface)) reply.header(behaviour.requestIdHeader, requestId);
		const response = metered(reply);
		response.sendDate = behaviour.dateHeader === 'sent';
		const path = withoutPrefix(request.url, mountPrefix);
		recorder.open(meteredRequest(request.raw), response, { surface, origin: address, path, requestId });
		if (request.headers[DELIVERED_AGAIN] === deliveryToken) return undefined;
		const rule = faults.take({ surface, method: request.method, path });
		if (rule === undefined) return undefined;
		request.faultRule = rule;
		return (await applyFault(rule, reply, response)) ? reply : undefined;
	});
	app.addHook('preHandler', async (request, reply) => {
		if (faultOf(request, 'duplicate') !== undefined) await deliver(address, request);
		const lateDelivery = faultOf(request, 'late_delivery');
		if (lateDelivery === undefined) return undefined;
		void deliverLate(address, request, lateDelivery.ms);
		return loseAnswer(request, reply);
	});
	app.addHook('onSend', async (request, reply, payload) => {
		const { late = false, answer } = request.faultRule ?? {};
		if (!late || answer === undefined) return payload;
		const { status, headers, body } = renderAnswer(answer);
		reply.removeHeader('content-length').removeHeader('content-type').code(status).headers(headers);
		return body;
	});
	addRoutes(app);
	await app.ready();
	return app;
}

/** Routes an upgrade like any other request. On a path without WebSockets, the connection ends with the answer. */
function routeUpgrade(upgrade: IncomingMessage, head: Buffer, routing: FastifyInstance['routing']): void {
	const request = meteredRequest(upgrade);
	request.upgradeHead = head;
	const response = new MeteredResponse(request);
	response.shouldKeepAlive = false;
	response.assignSocket(request.socket);
	response.once('finish', () => request.socket.destroySoon());
	routing(request, response);
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new TypeError('The server does not listen on a port');
	return address.port;
}

/** Opens the port, or closes it together with all connections. WebSockets stay open. */
async function setListening(server: Server, port: number, on: boolean): Promise<void> {
	if (server.listening === on) return;
	const done = once(server, on ? 'listening' : 'close');
	if (on) server.listen({ host: '127.0.0.1', port });
	else server.close().closeAllConnections();
	await done;
}

/** By then the caller has disconnected, and the origin may be closed. */
async function deliverLate(address: string, request: FastifyRequest, ms: number): Promise<void> {
	await delay(ms, undefined, { ref: false });
	await deliver(address, request).catch(() => undefined);
}

function loseAnswer({ faultRule }: FastifyRequest, reply: FastifyReply): FastifyReply {
	if (faultRule?.answer !== undefined) {
		sendAnswer(faultRule.answer, reply);
		return reply;
	}
	metered(reply).destroy();
	return reply.hijack();
}

/** Sends the same request to this origin once more. */
async function deliver(address: string, request: FastifyRequest): Promise<void> {
	const headers = Object.entries(request.headers)
		.filter(([name]) => !HOP_HEADERS.includes(name))
		.flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
	const answer = await fetch(address + request.url, {
		method: request.method,
		headers: [...headers, [DELIVERED_AGAIN, deliveryToken]],
		body: writeJson(request.body),
	});
	await answer.arrayBuffer();
}

function withoutPrefix(url: string, prefix: string): string {
	const [path = ''] = url.split('?');
	return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

function meteredRequest(request: IncomingMessage): MeteredRequest {
	if (request instanceof MeteredRequest) return request;
	throw new TypeError('The server was not created with the metered request');
}
