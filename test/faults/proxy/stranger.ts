import { type AddressInfo, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

import { canariesIn } from '../canaries';
import type { Sandbox } from '../../../sandbox';

/** A server of somebody else's, which keeps all that it is told. */
export interface Stranger {
	url: string;
	sawSecret(sandbox: Sandbox): boolean;
	close(): Promise<void>;
}

/** As the service itself would say it. */
const BODY = JSON.stringify({ error: { code: 'unauthorized', message: 'Who are you?' } });
const ANSWER = [
	'HTTP/1.1 401 Unauthorized',
	'content-type: application/json',
	'x-service-error-type: unauthorized',
	`content-length: ${BODY.length}`,
	'connection: close',
	'',
	BODY,
].join('\r\n');

export async function openStranger(): Promise<Stranger> {
	let told = '';
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
		socket.on('data', (chunk) => {
			told += chunk.toString('latin1');
			socket.end(ANSWER);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		sawSecret: ({ keys }) => canariesIn(told, Object.values(keys)).length > 0,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await once(server.close(), 'close');
		},
	};
}
