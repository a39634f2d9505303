import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { Sandbox } from '../../../sandbox';
import { secretsIn } from '../secretsIn';
import type { Exchange, RawAnswer } from '../shapes';

type Headers = Record<string, string | string[]>;

/** The head of an answer, as it goes over the wire. */
export const headOf = (status: number, headers: Headers = {}): string =>
	[
		`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
		...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`)),
		'\r\n',
	].join('\r\n');

/** The same answer, with its length in its head. */
export const sizedHead = ({ status, headers, body }: RawAnswer, more: Headers = {}): string =>
	headOf(status, { ...headers, ...(status !== 204 && { 'content-length': String(body.length) }), ...more });

/** A good answer; the connection stays. HEAD gets no body. */
export function answer({ socket, method }: Exchange, raw: RawAnswer): void {
	socket.write(sizedHead(raw));
	if (method !== 'HEAD' && raw.status !== 204) socket.write(raw.body);
}

/** The same headers but this one. */
export const without = (headers: Record<string, string>, name: string): Record<string, string> =>
	Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));

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
