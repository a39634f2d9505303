import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

import { until } from '../../support/until';
import { StoppedError } from '../../../client';
import { SocketRejectedError, type SocketSettings } from '../../../client/transport/webSocket';
import { selfSignedCertificate } from '../support/certificate';
import { type Held, useHeldSockets } from '../support/heldSockets';
import { shown } from '../support/shown';
import { MARKER } from '../support/socketServer';

const { served, servedTcp, hold } = useHeldSockets();

/** One message of 100 bytes, ten at a time. */
async function acceptSlowly(tcp: Socket): Promise<void> {
	const request = await new Promise<string>((resolve) => tcp.once('data', (head) => resolve(String(head))));
	const key = /sec-websocket-key: (\S+)/i.exec(request)?.[1] ?? '';
	const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
	tcp.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
	tcp.write(Buffer.from([0x81, 100]));
	for (let part = 0; part < 10; part++) {
		await new Promise((resolve) => setTimeout(resolve, 60));
		tcp.write('x'.repeat(10));
	}
}

test('text and bytes arrive unchanged, and our own headers are sent', async () => {
	const server = await served();
	const { opened, messages } = hold(server.url, {}, { headers: { 'x-extra': '1' } });
	await until(() => opened.mock.calls.length === 1 && server.sockets.length === 1);
	expect(server.requests[0]).toMatchObject({
		url: `/ws?clientId=c&token=${MARKER}`,
		headers: { 'user-agent': expect.stringMatching(/^n8n-nodes-comfy\/\d/) as string, 'x-extra': '1' },
	});
	expect(server.requests[0]?.headers['sec-websocket-extensions']).toBeUndefined();
	server.sockets[0]?.send('{"type":"status"}');
	server.sockets[0]?.send(Buffer.from([0, 0, 0, 1]));
	await until(() => messages.length === 2);
	expect(messages).toEqual(['{"type":"status"}', Buffer.from([0, 0, 0, 1])]);
});

test('a self-signed certificate is refused unless it is allowed', async () => {
	const server = await served({ tls: selfSignedCertificate() });
	const failure = await hold(server.url).failure;
	expect(failure).toMatchObject({ trouble: 'tls', origin: server.url.origin.replace('wss', 'https') });
	expect(shown(failure)).not.toContain(MARKER);
	const { opened } = hold(server.url, {}, { rejectUnauthorized: false });
	await until(() => opened.mock.calls.length === 1);
});

describe('failures are reported as for plain requests, and without the key', () => {
	const lookupFailing =
		(code?: string): SocketSettings['lookup'] =>
		(_name, _options, callback) =>
			callback(Object.assign(new Error('no'), { code }), '', 4);
	const named = (protocol = 'ws'): URL => new URL(`${protocol}://service.test/ws?token=${MARKER}`);

	test.each<[string, string, () => Promise<Held>]>([
		['dns', 'an unknown name', async () => hold(named(), {}, { lookup: lookupFailing('ENOTFOUND') })],
		['blocked', 'a look-up that refuses', async () => hold(named(), {}, { lookup: lookupFailing() })],
		[
			'blocked',
			'an address that must not be called',
			async () => hold(named(), {}, { validateUrl: async (url) => Promise.reject(new Error(`No: ${url.href}`)) }),
		],
		['not_web', 'an address of another kind', async () => hold(named('ftp'))],
		['timeout', 'a look-up that takes too long', async () => hold(named(), { handshakeMs: 100 }, { lookup: () => undefined })],
		[
			'timeout',
			'a check that takes too long',
			async () => hold(named(), { handshakeMs: 100 }, { validateUrl: async () => await new Promise(() => undefined) }),
		],
		['no_tls', 'wss to a plain port', async () => hold(new URL((await served()).url.href.replace('ws:', 'wss:')))],
	])('the error is %s after %s', async (trouble, _what, held) => {
		const { failure, opened } = await held();
		const error = await failure;
		expect(error).toMatchObject({ name: 'ConnectionError', trouble });
		expect(shown(error)).not.toContain(MARKER);
		expect(opened).not.toHaveBeenCalled();
	});
});

describe('an open connection ends', () => {
	test('a socket ends with the code with which the other side closes it', async () => {
		const server = await served();
		const { failure } = hold(server.url);
		await until(() => server.sockets.length === 1);
		server.sockets[0]?.close(1008, `bad ${MARKER}`);
		const error = await failure;
		expect(error).toMatchObject({ trouble: 'lost', message: expect.stringContaining('CLOSE_1008') as string });
		expect(shown(error)).not.toContain(MARKER);
	});

	test('a socket ends when a message is larger than the limit', async () => {
		const server = await served();
		const { failure, messages } = hold(server.url, { maxPayloadBytes: 1_000 });
		await until(() => server.sockets.length === 1);
		server.sockets[0]?.send('x'.repeat(1_000));
		server.sockets[0]?.send('x'.repeat(1_001));
		expect(await failure).toMatchObject({
			trouble: 'lost',
			message: expect.stringContaining('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') as string,
		});
		expect(messages).toHaveLength(1);
		await until(() => server.connections() === 0);
	});
});

test('pings of either side keep a quiet connection alive', async () => {
	const server = await served();
	const quiet = hold(server.url, { pingEveryMs: 40, idleMs: 400 });
	const pinged = hold(server.url, { pingEveryMs: 60_000, idleMs: 400 });
	await until(() => server.sockets.length === 2);
	const pings = setInterval(() => server.sockets.forEach((socket) => socket.ping()), 40);
	await new Promise((resolve) => setTimeout(resolve, 600));
	clearInterval(pings);
	expect(server.sockets.map(({ readyState }) => readyState)).toEqual([1, 1]);
	expect([quiet, pinged].map(({ opened }) => opened.mock.calls.length)).toEqual([1, 1]);
});

test('a large message that comes slowly does not count as silence', async () => {
	const url = await servedTcp((tcp) => void acceptSlowly(tcp));
	const { messages } = hold(url, { pingEveryMs: 60_000, idleMs: 400 });
	await until(() => messages.length === 1);
	expect(messages[0]).toHaveLength(100);
});

describe('an answer in place of a WebSocket', () => {
	const refusing = async (status: number, headers: Record<string, string>, body: string) =>
		await served({ refuse: (_request, response) => void response.writeHead(status, headers).end(body) });

	test.each([
		[401, '{"code":"unauthorized"}'],
		[200, '<html>'],
		[302, ''],
		[503, 'x'.repeat(200_000)],
	])('a rejection with %d keeps its headers and the beginning of its body', async (status, body) => {
		const server = await refusing(status, { 'content-type': 'text/x', location: `/other?token=${MARKER}`, 'x-request-id': 'r1' }, body);
		const failure = await hold(server.url).failure;
		expect(failure).toBeInstanceOf(SocketRejectedError);
		const { response } = failure as SocketRejectedError;
		expect(response).toMatchObject({ status, contentType: 'text/x', requestId: 'r1' });
		expect(await response.text()).toBe(body.slice(0, 64 * 1024));
		expect(shown(failure) + shown(response.unreadable('unexpected'))).not.toContain(MARKER);
		await until(() => server.connections() === 0);
	});
});

describe('a stop', () => {
	test('a stop closes the socket with the code 1000', async () => {
		const server = await served();
		const { opened, failure, stop } = hold(server.url);
		await until(() => opened.mock.calls.length === 1 && server.sockets.length === 1);
		const closed = new Promise((resolve) => server.sockets[0]?.on('close', resolve));
		stop.abort();
		expect(await failure).toBeInstanceOf(StoppedError);
		expect(await closed).toBe(1000);
		await until(() => server.connections() === 0);
	});

	test.each<[string, Partial<SocketSettings>]>([
		['while connecting', {}],
		['while looking up', { lookup: () => undefined }],
		['while the address is checked', { validateUrl: async () => await new Promise(() => undefined) }],
	])('a stop ends the socket at once %s', async (_when, settings) => {
		const url = await servedTcp(() => undefined);
		if (settings.lookup) url.hostname = 'service.test';
		const { failure, stop } = hold(url, {}, settings);
		setTimeout(() => stop.abort(), 50);
		expect(await failure).toBeInstanceOf(StoppedError);
	});
});
