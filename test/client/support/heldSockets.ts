import { createServer, type Socket } from 'node:net';

import { holdSocket, type SocketLimits, type SocketSettings } from '../../../client/transport/webSocket';
import { failureOf } from './bytes';
import { listen } from './loopback';
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
	const { host, close } = await listen(createServer(onConnection));
	return { url: new URL(`ws://${host}/ws?token=${MARKER}`), close };
}
