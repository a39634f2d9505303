import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

import { type Listening, listen } from './loopback';

const LOOPBACK = '127.0.0.1';

let sink: Listening | undefined;
const held: Socket[] = [];
/** By origin. */
const holders = new Map<string, Socket>();

afterAll(async () => {
	for (const socket of held.splice(0)) socket.destroy();
	holders.clear();
	await sink?.close();
	sink = undefined;
});

const portOf = ({ host }: Listening): number => Number(host.split(':')[1]);

async function freePort(): Promise<number> {
	const server = await listen(createServer());
	await server.close();
	return portOf(server);
}

/** A socket that occupies this port: no other process gets the port, and connections to it are refused. */
async function occupy(localPort: number, port: number): Promise<Socket | undefined> {
	const socket = connect({ host: LOOPBACK, port, localAddress: LOOPBACK, localPort });
	held.push(socket);
	return await new Promise((resolve) => {
		socket.on('error', () => resolve(undefined));
		socket.once('connect', () => resolve(socket));
	});
}

/** An address that refuses every connection, until it is freed or the tests of a file are over. */
export async function deadOrigin(): Promise<string> {
	sink ??= await listen(createServer());
	for (;;) {
		const port = await freePort();
		const holder = await occupy(port, portOf(sink));
		if (holder === undefined) continue;
		const origin = `http://${LOOPBACK}:${port}`;
		holders.set(origin, holder);
		return origin;
	}
}

/** Lets a server come up there. @returns the port. */
export async function freed(origin: string): Promise<number> {
	const holder = holders.get(origin);
	holders.delete(origin);
	if (holder?.destroyed === false) await once(holder.resetAndDestroy(), 'close');
	return Number(new URL(origin).port);
}
