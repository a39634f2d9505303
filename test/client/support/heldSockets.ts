import { createServer, type AddressInfo, type Socket } from 'node:net';

import { holdSocket, type SocketLimits, type SocketSettings } from '../../../client/transport/webSocket';
import { failureOf } from './bytes';
import { MARKER, serveProxy, serveSockets, type SocketServer, type SocketServerOptions } from './socketServer';

export interface Held {
	/** How it ended. */
	failure: Promise<unknown>;
	opened: jest.Mock;
	messages: Array<string | Uint8Array>;
	stop: AbortController;
}

/** Servers and sockets that are closed after each test. */
export function useHeldSockets() {
	const closing: Array<{ close(): Promise<void> }> = [];
	const stops: AbortController[] = [];
	afterEach(async () => {
		for (const stop of stops.splice(0)) stop.abort();
		await Promise.all(closing.splice(0).map(async (one) => await one.close()));
	});
	const kept = <Server extends { close(): Promise<void> }>(server: Server): Server => {
		closing.push(server);
		return server;
	};
	return {
		served: async (options?: SocketServerOptions): Promise<SocketServer> => kept(await serveSockets(options)),
		/** Any TCP server; the address is a WebSocket's. */
		servedTcp: async (onConnection: (socket: Socket) => void): Promise<URL> => kept(await serveTcp(onConnection)).url,
		proxied: async (options?: Parameters<typeof serveProxy>[0]) => kept(await serveProxy(options)),
		hold: (url: URL, limits: Partial<SocketLimits> = {}, settings: Partial<SocketSettings> = {}): Held => {
			const stop = new AbortController();
			stops.push(stop);
			const [opened, messages] = [jest.fn(), [] as Array<string | Uint8Array>];
			const held = holdSocket({ url, limits, ...settings }, { onOpen: opened, onMessage: (data) => messages.push(data) }, stop.signal);
			return { failure: failureOf(held), opened, messages, stop };
		},
	};
}

async function serveTcp(onConnection: (socket: Socket) => void): Promise<{ url: URL; close(): Promise<void> }> {
	const open: Socket[] = [];
	const server = createServer((socket) => {
		open.push(socket.on('error', () => undefined));
		onConnection(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws?token=${MARKER}`),
		close: async () => {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
