import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

import { listen } from './loopback';

export interface SocketServer {
	/** With `ws` or `wss`, and a key in the query. */
	url: URL;
	/** WebSockets accepted so far, oldest first. */
	sockets: WebSocket[];
	/** The requests they came with. */
	requests: IncomingMessage[];
	/** TCP connections open now. */
	connections(): number;
	close(): Promise<void>;
}

export interface SocketServerOptions {
	tls?: ServerOptions;
	/** Answers in place of an upgrade. */
	refuse?: (request: IncomingMessage, response: ServerResponse) => void;
	/** 0: any that is free. */
	port?: number;
}

/** What must never be seen in an error. */
export const MARKER = 'marker-key-1234';

/** A WebSocket server on 127.0.0.1. */
export async function serveSockets({ tls, refuse, port = 0 }: SocketServerOptions = {}): Promise<SocketServer> {
	const server = tls ? createTlsServer(tls) : createServer();
	const sockets: WebSocket[] = [];
	const requests: IncomingMessage[] = [];
	if (refuse) {
		// Without a listener for upgrades these are plain requests.
		server.on('request', refuse);
	} else {
		new WebSocketServer({ server, autoPong: true }).on('connection', (socket, request) => {
			socket.on('error', () => undefined);
			sockets.push(socket);
			requests.push(request);
		});
	}
	const { host, open, close } = await listen(server, port);
	return { url: new URL(`${tls ? 'wss' : 'ws'}://${host}/ws?clientId=c&token=${MARKER}`), sockets, requests, connections: open, close };
}

/** A proxy that tunnels, or answers `status` in place of a tunnel; 0 for no answer. */
export async function serveProxy({ status = 200 }: { status?: number } = {}) {
	const tunnels: string[] = [];
	const proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
		const target = String(request.url);
		tunnels.push(target);
		if (status === 0) return void socket.on('end', () => socket.destroy()).resume();
		if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
		const [host, port] = target.split(':');
		const upstream = connect(Number(port), host, () => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			socket.pipe(upstream).pipe(socket);
		});
		upstream.on('error', () => socket.destroy());
		upstream.on('close', () => socket.destroy());
		socket.on('close', () => upstream.destroy());
	});
	const { host, open, close } = await listen(proxy);
	/** `tunnels`: where tunnels were asked for, oldest first. `connections`: those that are open now. */
	return { address: `http://${host}`, tunnels, connections: open, close };
}
