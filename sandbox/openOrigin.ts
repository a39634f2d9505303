/** One HTTP origin on loopback: recorded, metered, and open to faults. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { writeJson } from './json';
import { applyFault, faultOf, type FaultRules, renderAnswer, sendAnswer } from './faults';
import type { Behaviour } from './behaviour';
import type { Surface } from './vocabulary';
import { metered, MeteredRequest, MeteredResponse } from './http/metered';
import type { Recorder } from './http/recorder';

/** Big enough for a graph; files never pass through the JSON parser. */
const JSON_LIMIT_BYTES = 64 * 1024 * 1024;

/** Said anew by whoever sends a request on. */
const HOP_HEADERS = ['connection', 'content-length', 'transfer-encoding', 'host'];

/** On what is delivered once more: it has met its fault, and the next one is another request's. */
const DELIVERED_AGAIN = 'x-delivered-again';
const deliveryToken = randomUUID();

/** Neither object storage nor an engine says the service's request id. */
const WITHOUT_REQUEST_IDS: readonly Surface[] = ['storage', 'engine'];

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
	/** False: the port refuses connections, and open ones are cut. True: it listens again. WebSockets are the caller's to drop. */
	setListening(on: boolean): Promise<void>;
	close(): Promise<void>;
}

/** Listens on 127.0.0.1. @throws the socket's own error, e.g. EADDRINUSE. */
export async function openOrigin(options: OriginOptions, routes: (app: FastifyInstance, address: () => string) => void): Promise<Origin> {
	const app = Fastify({
		bodyLimit: JSON_LIMIT_BYTES,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		// Output ids of self-hosted surfaces are signed texts of some 160 characters; the default ends at 100.
		routerOptions: { maxParamLength: 1024 },
		http: { IncomingMessage: MeteredRequest, ServerResponse: MeteredResponse },
	});
	app.setReplySerializer(writeJson);
	let address = '';
	app.decorateRequest('faultRule', undefined);
	app.addHook('onRequest', async (request, reply) => {
		const requestId = options.surface === 'router' ? randomUUID() : `req_${randomUUID()}`;
		if (!WITHOUT_REQUEST_IDS.includes(options.surface)) reply.header(options.behaviour.requestIdHeader, requestId);
		const response = metered(reply);
		const path = withoutPrefix(request.url, options.mountPrefix);
		options.recorder.open(incoming(request), response, { surface: options.surface, origin: address, path, requestId });
		if (request.headers[DELIVERED_AGAIN] === deliveryToken) return undefined;
		const rule = options.faults.take({ surface: options.surface, method: request.method, path });
		if (rule === undefined) return undefined;
		request.faultRule = rule;
		return (await applyFault(rule, reply, response)) ? reply : undefined;
	});
	app.addHook('preHandler', async (request, reply) => {
		if (faultOf(request, 'duplicate') !== undefined) await deliver(address, request);
		const lateness = faultOf(request, 'late_delivery');
		if (lateness === undefined) return undefined;
		void deliverLate(address, request, lateness.ms);
		return loseAnswer(request, reply);
	});
	app.addHook('onSend', async (request, reply, payload) => {
		const { late = false, answer } = request.faultRule ?? {};
		if (!late || answer === undefined) return payload;
		const { status, headers, body } = renderAnswer(answer);
		reply.removeHeader('content-length').removeHeader('content-type').code(status).headers(headers);
		return body;
	});
	routes(app, () => address);
	address = await app.listen({ host: '127.0.0.1', port: options.port });
	const setListening = async (on: boolean): Promise<void> => await switchListening(app.server, Number(new URL(address).port), on);
	return { address, setListening, close: async () => await app.close() };
}

async function switchListening(server: Server, port: number, on: boolean): Promise<void> {
	if (server.listening === on) return;
	const done = once(server, on ? 'listening' : 'close');
	if (on) server.listen({ host: '127.0.0.1', port });
	else server.close().closeAllConnections();
	await done;
}

/** The caller has gone by then, and perhaps the origin too. */
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

/** One more delivery of the same request. */
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

function incoming(request: FastifyRequest): MeteredRequest {
	if (request.raw instanceof MeteredRequest) return request.raw;
	throw new TypeError('The server was not opened with the metered request');
}
