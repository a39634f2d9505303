import type { Socket } from 'node:net';

import type { Fault, Seen } from '../shapes';

const ON = ['json', 'bare', 'upload', 'file', 'web'] as const;

const connecting = (name: string, seen: Seen, does: Fault['connecting']): Fault => ({
	name,
	family: 'connection',
	on: ON,
	delivery: 'nothing',
	seen,
	connecting: does,
	strike: async (exchange) => await exchange.passOn(),
});

/** The caller has noticed by then that it is connected: else it is chance whether a byte has left. */
const onceConnected =
	(does: (socket: Socket) => void) =>
	(socket: Socket): void =>
		void setImmediate(() => setImmediate(() => does(socket)));

/** Done to connections before anything is known of their requests. */
export const connections: readonly Fault[] = [
	connecting('connection refused', 'refused', 'closed port'),
	connecting(
		'reset on accept',
		'lost',
		onceConnected((socket) => socket.resetAndDestroy()),
	),
	connecting(
		'closed on accept',
		'lost',
		onceConnected((socket) => socket.end()),
	),
	connecting('reset after the first bytes', 'lost', (socket) => void socket.once('data', () => socket.resetAndDestroy())),
	connecting('closed after the first bytes', 'lost', (socket) => void socket.once('data', () => socket.end())),
	connecting('accepted, then silent', 'silent', () => undefined),
	connecting('greeting of SSH', 'lost', (socket) => void socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.6p1 Debian-5\r\n'))),
	connecting(
		'greeting of SMTP',
		'lost',
		(socket) => void socket.once('data', () => socket.write('220 mail.example ESMTP\r\n500 unrecognized\r\n')),
	),
	connecting(
		'alert of TLS',
		'lost',
		(socket) => void socket.once('data', () => socket.end(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]))),
	),
	connecting('zeros', 'lost', (socket) => void socket.once('data', () => socket.write(Buffer.alloc(512)))),
	connecting(
		'frames of HTTP/2',
		'lost',
		(socket) => void socket.once('data', () => socket.write(Buffer.from('00000c040000000000000300000064000400100000', 'hex'))),
	),
];
