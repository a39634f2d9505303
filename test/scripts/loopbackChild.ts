/** Attempts connections on and off loopback, and reports how each ended. */
import '../support/loopbackOnly';

import { createServer } from 'node:http';
import { type AddressInfo, connect, type LookupFunction, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { request } from 'undici';

const codeOf = (error: unknown): string | undefined => (error instanceof Error && 'code' in error ? String(error.code) : String(error));

async function ended(socket: Socket): Promise<string | undefined> {
	return (await new Promise((resolve) => {
		socket.once('connect', () => resolve(undefined)).once('error', (error) => resolve(codeOf(error)));
	}).finally(() => socket.destroy())) as string | undefined;
}

const answered = async (url: string): Promise<string | undefined> =>
	await request(url).then(async ({ body }) => void (await body.dump()), codeOf);

const resolvingTo =
	(address: string): LookupFunction =>
	(_name, options, callback) =>
		options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

async function main(): Promise<void> {
	const server = createServer((_, response) => response.end('ok'));
	await new Promise<void>((resolve) => server.listen(0, resolve));
	const { port } = server.address() as AddressInfo;
	const open = async (options: NetConnectOpts) => await ended(connect(options));
	const attempts: Record<string, () => Promise<string | undefined>> = {
		'net 192.0.2.1': async () => await open({ host: '192.0.2.1', port: 80 }),
		'tls 192.0.2.1': async () => await ended(connectTls({ host: '192.0.2.1', port: 443 })),
		'lookup to 192.0.2.1': async () => await open({ host: 'example.test', port: 80, lookup: resolvingTo('192.0.2.1') }),
		'undici 192.0.2.1': async () => await answered('http://192.0.2.1/'),
		'net 127.0.0.1': async () => await open({ host: '127.0.0.1', port }),
		'undici localhost': async () => await answered(`http://localhost:${port}/`),
		'lookup to 127.0.0.1': async () => await open({ host: 'example.test', port, lookup: resolvingTo('127.0.0.1') }),
	};
	for (const [target, attempt] of Object.entries(attempts)) {
		process.send?.([target, await attempt()]);
	}
	server.close();
}

void main().then(() => process.disconnect());
