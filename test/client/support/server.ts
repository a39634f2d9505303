import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';

import { listen } from './loopback';

export interface SeenRequest {
	method: string;
	url: string;
	headers: IncomingMessage['headers'];
	body: Buffer;
}

export interface TestServer {
	origin: string;
	/** Requests whose body has come to its end, oldest first. */
	seen: SeenRequest[];
	/** Connections opened so far. */
	connections(): number;
	close(): Promise<void>;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** A real server on 127.0.0.1, on a free port unless one is named, that answers as told. */
export async function serve(answer: Answer, tls?: ServerOptions, port = 0): Promise<TestServer> {
	const seen: SeenRequest[] = [];
	const listener: RequestListener = (message, response) => void reply(message, response, seen, answer);
	const { host, opened, close } = await listen(tls ? createTlsServer(tls, listener) : createServer(listener), port);
	return { origin: `${tls ? 'https' : 'http'}://${host}`, seen, connections: opened, close };
}

async function reply(message: IncomingMessage, response: ServerResponse, seen: SeenRequest[], answer: Answer): Promise<void> {
	const chunks: Buffer[] = [];
	try {
		for await (const chunk of message) chunks.push(chunk as Buffer);
	} catch {
		return;
	}
	const request = { method: message.method ?? '', url: message.url ?? '', headers: message.headers, body: Buffer.concat(chunks) };
	seen.push(request);
	await answer(request, response);
}

/** Answers with JSON. */
export const json =
	(status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
	(_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
	};

export { deadOrigin } from './deadOrigin';
