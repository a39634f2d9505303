import type { Socket } from 'node:net';

import { ByteReader } from '../proxy/byteReader';
import type { Exchange } from '../shapes';
import { framesIn } from './webSocketFrames';

/** What becomes of a service's frames, or events, on their way: a `Reset` that is thrown ends them. */
export type Change<Piece> = (pieces: AsyncIterable<Piece>, exchange: Exchange) => AsyncIterable<Buffer | string>;

export class Reset extends Error {}

/** None any more: at once, or when something has happened. */
export const noMore = (when: () => Promise<void> = async () => undefined): AsyncIterable<never> => ({
	[Symbol.asyncIterator]: () => ({
		next: async () => {
			await when();
			return { done: true, value: undefined };
		},
	}),
});

export const reset = (): AsyncIterable<never> =>
	noMore(() => {
		throw new Reset();
	});

/** A WebSocket of the service's own, whose frames are changed; what the caller sends goes on as it is. */
export async function relaySocket(exchange: Exchange, change: Change<Buffer>): Promise<void> {
	const { socket } = exchange;
	const service = await openFor(exchange);
	const bytes = new ByteReader(service);
	const head = await bytes.until('\r\n\r\n');
	if (head === undefined) return void socket.end();
	// Whoever read it before has left it paused.
	socket.on('data', (chunk) => service.write(chunk)).resume();
	socket.write(head);
	await pour(change(framesIn(bytes), exchange), socket);
}

/** An event stream of the service's own, whose events are changed. They end with an empty line each. */
export async function relayEvents(exchange: Exchange, change: Change<string>, head: string = EVENTS_HEAD): Promise<void> {
	await exchange.received();
	const { socket } = exchange;
	const bytes = new ByteReader(await openFor(exchange));
	const answered = (await bytes.until('\r\n\r\n'))?.toString('latin1') ?? '';
	if (!answered.startsWith('HTTP/1.1 200 ')) return void socket.end();
	const isChunked = /^transfer-encoding: chunked/im.test(answered);
	socket.write(head);
	await pour(change(eventsIn(isChunked ? chunksIn(bytes) : restOf(bytes)), exchange), socket);
}

/** Until its connection ends. */
export const EVENTS_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n';

async function openFor(exchange: Exchange): Promise<Socket> {
	const service = await exchange.open();
	service.on('error', () => undefined);
	exchange.socket.once('close', () => service.destroy());
	return service;
}

/** Writes all of it, and ends the connection. */
async function pour(pieces: AsyncIterable<Buffer | string>, socket: Socket): Promise<void> {
	try {
		for await (const piece of pieces) {
			if (socket.destroyed) return;
			socket.write(piece);
		}
		socket.end();
	} catch (error) {
		if (!(error instanceof Reset)) throw error;
		socket.resetAndDestroy();
	}
}

async function* chunksIn(bytes: ByteReader): AsyncGenerator<Buffer, void, undefined> {
	for (;;) {
		const line = await bytes.until('\r\n');
		let left = parseInt(line?.toString('latin1') ?? '', 16);
		if (!(left > 0)) return;
		while (left > 0) {
			const part = await bytes.some(left);
			if (part === undefined) return;
			left -= part.length;
			yield part;
		}
		await bytes.until('\r\n');
	}
}

async function* restOf(bytes: ByteReader): AsyncGenerator<Buffer, void, undefined> {
	for (let part = await bytes.some(Infinity); part !== undefined; part = await bytes.some(Infinity)) yield part;
}

async function* eventsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
	let rest = '';
	for await (const chunk of chunks) {
		const events = (rest + chunk.toString('utf8')).split('\n\n');
		rest = events.pop() ?? '';
		for (const event of events) yield `${event}\n\n`;
	}
}
