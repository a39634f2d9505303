import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * Keeps a port on which nothing listens: connections to it are refused, and no other process can listen on it. A connection
 * from the port keeps it.
 * @returns frees the port.
 */
export async function reservePort(port: number): Promise<() => Promise<void>> {
	const anchor = createServer((socket) => socket.on('error', () => undefined)).listen(0, LOOPBACK);
	await once(anchor, 'listening');
	const keeper = connect({ host: LOOPBACK, port: (anchor.address() as AddressInfo).port, localAddress: LOOPBACK, localPort: port });
	keeper.on('error', () => undefined);
	await once(keeper, 'connect');
	keeper.unref();
	anchor.unref();
	return async () => {
		const closed = once(keeper, 'close');
		// A normal end would keep the port busy for a minute.
		keeper.resetAndDestroy();
		await closed;
		anchor.close();
	};
}
