import { createConnection, type Socket } from 'node:net';

import { clock } from '../../../client';
import { setSpeed } from '../../support/fastClock';
import { failureOf } from '../support/bytes';
import { selfSignedCertificate } from '../support/certificate';
import { useHeldSockets } from '../support/heldSockets';
import { json } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();
const { servedTcp } = useHeldSockets();
const originOf = async (protocol: 'http' | 'https', onConnection: (socket: Socket) => void): Promise<string> =>
	`${protocol}://${(await servedTcp(onConnection)).host}`;

it('W3: a server whose first words are of another kind has no TLS', async () => {
	const origin = await originOf('https', (socket) => socket.resume().end('SSH-2.0-OpenSSH_9.6\r\n'));
	expect(await failureOf(client({ origin }).request(get(origin)))).toMatchObject({ trouble: 'no_tls', origin, mayHaveArrived: false });
});

it.each<[what: string, answerPlain: (socket: Socket) => unknown]>([
	[
		'answers plain http with 400',
		(socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>'),
	],
	['hangs up on plain http', (socket) => socket.destroy()],
])('W3: a gateway that %s speaks TLS only', async (_what, answerPlain) => {
	const secure = await server(json(404, {}), selfSignedCertificate());
	// One port for both, as nginx has it: plain words get a 400.
	const origin = await originOf('http', (socket) => {
		socket.once('data', (first: Buffer) => {
			if (first[0] !== 0x16) return void answerPlain(socket);
			const upstream = createConnection(Number(new URL(secure.origin).port), '127.0.0.1', () => upstream.write(first));
			upstream
				.on('error', () => socket.destroy())
				.pipe(socket)
				.pipe(upstream);
		});
	});
	// Another origin has answered in plain http.
	const other = await server(json(200, {}));
	const http = client({ origin: other.origin });
	await (await http.request(get(other.origin))).discard();
	expect(await failureOf(http.request(get(origin)))).toMatchObject({ trouble: 'only_tls', origin, mayHaveArrived: false });
});

it('a server that only hangs up, or has answered before, is under no suspicion', async () => {
	let answers = 0;
	const service = await server((request, response) => (answers++ === 1 ? json(200, {})(request, response) : void response.destroy()));
	const client1 = client({ origin: service.origin });
	for (const expected of ['lost', undefined, 'lost']) {
		const outcome = client1.request(get(service.origin));
		if (expected === undefined) await (await outcome).json();
		else expect(await failureOf(outcome)).toMatchObject({ trouble: expected, mayHaveArrived: true });
	}
});

it('a server that hangs up, and has no word for what is no HTTP, is not asked by TLS for long', async () => {
	let askedByTls = false;
	const origin = await originOf('http', (socket) => {
		socket.once('data', (first: Buffer) => {
			if (first[0] === 0x16) askedByTls = true;
			else socket.resetAndDestroy();
		});
	});
	// The connection itself would be given up after 10 seconds of real time: 1,000 of these.
	setSpeed(100);
	const startedAt = clock.now();
	try {
		expect(await failureOf(client({ origin }).request(get(origin)))).toMatchObject({ trouble: 'lost', mayHaveArrived: true });
		expect(clock.now() - startedAt).toBeLessThan(900_000);
	} finally {
		setSpeed(1);
	}
	expect(askedByTls).toBe(true);
});
