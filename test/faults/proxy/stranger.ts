import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import type { Sandbox } from '../../../sandbox';
import { secretsIn } from '../secretsIn';
import { headOf } from './answers';

/** As the service itself would say it. */
const BODY = JSON.stringify({ error: { code: 'unauthorized', message: 'Who are you?' } });
const ANSWER = `${headOf(401, {
	'content-type': 'application/json',
	'x-service-error-type': 'unauthorized',
	'content-length': String(BODY.length),
	connection: 'close',
})}${BODY}`;

/** A server that is not the service, and keeps all that it receives. */
export async function openStranger() {
	let received = '';
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
		socket.on('data', (chunk) => {
			received += chunk.toString('latin1');
			socket.end(ANSWER);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		sawSecret: ({ keys }: Sandbox): boolean => secretsIn(received, Object.values(keys)).length > 0,
		close: async (): Promise<void> => {
			for (const socket of sockets) socket.destroy();
			await once(server.close(), 'close');
		},
	};
}

export type Stranger = Awaited<ReturnType<typeof openStranger>>;
