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
	connecting('accepted, then silent', 'silent', () => undefined),
	connecting('greeting of SSH', 'lost', (socket) => void socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.6p1 Debian-5\r\n'))),
];
