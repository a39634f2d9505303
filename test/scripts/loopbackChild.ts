/** Attempts connections on and off loopback, and reports how each ended: its error code, or null. */
import '../support/loopbackOnly';

import { createServer } from 'node:http';
import { type AddressInfo, connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { request } from 'undici';

const ended = async (socket: Socket): Promise<void> =>
	await new Promise<void>((resolve, reject) => {
		socket.once('connect', () => resolve()).once('error', reject);
	}).finally(() => socket.destroy());

const answered = async (url: string): Promise<void> => await (await request(url)).body.dump();

const resolvingTo =
	(address: string): LookupFunction =>
	(_name, options, callback) =>
		options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

const server = createServer((_, response) => response.end('ok'));
server.listen(0, async () => {
	const { port } = server.address() as AddressInfo;
	const attempts: Record<string, () => Promise<void>> = {
		'net 192.0.2.1': async () => await ended(connect({ host: '192.0.2.1', port: 80 })),
		'tls 192.0.2.1': async () => await ended(connectTls({ host: '192.0.2.1', port: 443 })),
		'lookup to 192.0.2.1': async () => await ended(connect({ host: 'example.test', port: 80, lookup: resolvingTo('192.0.2.1') })),
		'undici 192.0.2.1': async () => await answered('http://192.0.2.1/'),
		'undici localhost': async () => await answered(`http://localhost:${port}/`),
		'lookup to 127.0.0.1': async () => await ended(connect({ host: 'example.test', port, lookup: resolvingTo('127.0.0.1') })),
	};
	for (const [target, attempt] of Object.entries(attempts)) {
		const code = await attempt().then(
			() => null,
			(error: NodeJS.ErrnoException) => error.code,
		);
		process.send?.([target, code]);
	}
	server.close();
	process.disconnect();
});
