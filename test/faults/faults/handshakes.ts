import { headOf } from '../proxy/strangers';
import type { Exchange, Fault, Seen } from '../shapes';
import { acceptanceOf, closed, relaySocket, reset } from './relay';

const PAGE = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

const handshake = (name: string, seen: Seen, strike: Fault['strike']): Fault => ({
	name,
	family: 'handshake',
	on: ['socket'],
	delivery: 'nothing',
	seen,
	strike: async (exchange) => {
		await exchange.received();
		await strike(exchange);
	},
});

const answered = (name: string, status: number, type: string, body: string, more: Record<string, string> = {}): Fault =>
	handshake(name, { status }, async ({ socket }) => {
		socket.end(headOf(status, { 'content-type': type, 'content-length': String(body.length), ...more }) + body);
	});

const refused = (status: number, more: Record<string, string> = {}): Fault =>
	answered(
		`upgrade refused with ${[status, ...Object.values(more)].join(' ')}`,
		status,
		'application/json',
		'{"error":{"code":"refused","message":"No"}}',
		more,
	);

/** A valid handshake with these headers replaced. */
const switching = ({ headers }: Exchange, others: Record<string, string> = {}): string =>
	headOf(101, {
		Upgrade: 'websocket',
		Connection: 'Upgrade',
		'Sec-WebSocket-Accept': acceptanceOf(headers['sec-websocket-key']),
		...others,
	});

/** Then it stays, and says no more. */
const saying = (name: string, words: (exchange: Exchange) => string): Fault =>
	handshake(name, 'lost', async (exchange) => {
		exchange.socket.write(words(exchange));
		await exchange.over;
	});

const wrong = (name: string, others: Record<string, string>): Fault => saying(name, (exchange) => switching(exchange, others));

/** An upgrade that is refused, wrong, late, or never answered. */
export const handshakes: readonly Fault[] = [
	...[400, 401, 403, 404, 426, 500, 501].map((status) => refused(status)),
	refused(429, { 'retry-after': '1' }),
	refused(429, { 'retry-after': 'soon' }),
	refused(503, { 'retry-after': '1' }),
	answered('upgrade refused with a 502 page', 502, 'text/html', PAGE),
	answered('upgrade answered by a page', 200, 'text/html', PAGE),
	answered('upgrade answered by a redirect to itself', 302, 'text/plain', '', { location: '/ws' }),
	answered('upgrade answered by a redirect to nowhere', 301, 'text/plain', '', { location: 'http://127.0.0.1:9/ws' }),
	handshake('refusal of an upgrade without an end', { status: 403 }, async ({ socket, over }) => {
		socket.write(`${headOf(403, { 'content-type': 'text/plain' })}No`);
		await over;
	}),
	handshake('upgrade never answered', 'silent', async ({ over }) => await over),
	handshake('reset in place of an upgrade', 'lost', async ({ socket }) => void socket.resetAndDestroy()),
	handshake('closed in place of an upgrade', 'lost', async ({ socket }) => void socket.end()),
	handshake('upgrade cut in its answer', 'lost', async (exchange) => {
		exchange.socket.end(switching(exchange).slice(0, 60));
	}),
	handshake('silence in the answer to an upgrade', 'silent', async (exchange) => {
		exchange.socket.write(switching(exchange).slice(0, 60));
		await exchange.over;
	}),
	handshake('reset right after the upgrade', 'lost', async (exchange) => await relaySocket(exchange, reset)),
	handshake('closed right after the upgrade', 'lost', async (exchange) => await relaySocket(exchange, closed)),
	handshake('upgrade, then silence without a service', 'silent', async (exchange) => {
		exchange.socket.write(switching(exchange));
		await exchange.over;
	}),
	wrong('upgrade with the acceptance of another key', { 'Sec-WebSocket-Accept': acceptanceOf('another') }),
	wrong('upgrade to something else', { Upgrade: 'h2c' }),
	wrong('upgrade with an extension that nobody asked for', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }),
	wrong('upgrade with a header of 1 MB', { 'X-Long': 'x'.repeat(1024 * 1024) }),
	saying('upgrade answered twice', (exchange) => switching(exchange) + switching(exchange)),
	saying('upgrade in HTTP/1.0', (exchange) => switching(exchange).replace('HTTP/1.1', 'HTTP/1.0')),
	saying('greeting of SSH in place of an upgrade', () => 'SSH-2.0-OpenSSH_9.6p1 Debian-5\r\n'),
	saying('endless interim answers in place of an upgrade', () => 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(2_000)),
];
