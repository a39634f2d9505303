import type { AddressInfo, Server, Socket } from 'node:net';

export interface Listening {
	/** `127.0.0.1:<port>` */
	host: string;
	/** How many connections were opened so far, and how many are open now. */
	opened(): number;
	open(): number;
	/** Ends every connection, too. */
	close(): Promise<void>;
}

/** Lets a server listen on 127.0.0.1. @param port 0 for one that is free. */
export async function listen(server: Server, port = 0): Promise<Listening> {
	const sockets = new Set<Socket>();
	let opened = 0;
	server.on('connection', (socket: Socket) => {
		opened += 1;
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
	});
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	return {
		host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
		opened: () => opened,
		open: () => sockets.size,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
