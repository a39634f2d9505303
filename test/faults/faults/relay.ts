/** WebSockets and event streams of the service's own, changed on their way. */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { headOf } from '../proxy/strangers';
import type { Exchange, Seen } from '../shapes';

/** What becomes of a service's frames, or events, on their way: a `Reset` that is thrown ends them. */
export type Change<Piece> = (pieces: AsyncIterable<Piece>, exchange: Exchange) => AsyncIterable<Buffer | string>;

class Reset extends Error {}

/** No more pieces: at once, or after something has happened. */
const nothing = (when: () => Promise<void> = async () => undefined): AsyncIterable<never> => ({
	[Symbol.asyncIterator]: () => ({
		next: async () => {
			await when();
			return { done: true, value: undefined };
		},
	}),
});

type End<Piece> = (next: Piece, exchange: Exchange) => AsyncIterable<Piece>;

export const silence = (_: unknown, { over }: Exchange): AsyncIterable<never> => nothing(async () => await over);
export const closed = (): AsyncIterable<never> => nothing();
export const reset = (): AsyncIterable<never> =>
	nothing(() => {
		throw new Reset();
	});

/** How a connection ends: the word for it, and what its caller sees. */
export const ENDS: ReadonlyArray<readonly [string, Seen, typeof silence]> = [
	['silence', 'silent', silence],
	['closed', 'lost', closed],
	['reset', 'lost', reset],
];

/** Half of the next piece, then the end. */
export const halfThen = <Piece extends Buffer | string>(end: End<Piece>): End<Piece> =>
	async function* (piece, exchange) {
		yield piece.slice(0, Math.ceil(piece.length / 2)) as Piece;
		yield* end(piece, exchange);
	};

/** So many pieces pass; what happens then is the end. */
export const after = <Piece extends Buffer | string>(count: number, end: End<Piece>): Change<Piece> =>
	async function* (pieces, exchange) {
		let passed = 0;
		for await (const one of pieces) {
			if (passed >= count) return yield* end(one, exchange);
			yield one;
			passed += 1;
		}
	};

/** Each piece becomes these. */
export const each = <Piece extends Buffer | string>(become: (one: Piece) => Piece[]): Change<Piece> =>
	async function* (pieces) {
		for await (const one of pieces) yield* become(one);
	};

/** Each two neighbors are swapped. */
export const inPairs = <Piece extends Buffer | string>(isMeant: (one: Piece) => boolean = () => true): Change<Piece> =>
	async function* (pieces) {
		const held: Piece[] = [];
		for await (const one of pieces) {
			if (!isMeant(one)) yield one;
			else if (held.length === 0) held.push(one);
			else yield* [one, ...held.splice(0)];
		}
		yield* held;
	};

export const byteByByte: Change<Buffer | string> = async function* (pieces) {
	for await (const one of pieces) {
		for (const byte of Buffer.from(one)) {
			yield Buffer.from([byte]);
			await new Promise((resolve) => setImmediate(resolve));
		}
	}
};

/** The same again and again. */
export async function* again<Piece>(piece: Piece): AsyncGenerator<Piece> {
	for (;;) {
		yield piece;
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** A WebSocket whose frames are changed. Frames of the caller pass unchanged. */
export async function relaySocket(exchange: Exchange, change: Change<Buffer>): Promise<void> {
	const { socket } = exchange;
	const { answer, socket: service } = await exchange.open();
	if (service === undefined) return void socket.end();
	socket.once('close', () => service.destroy());
	socket.on('data', (chunk) => service.write(chunk));
	socket.write(headOf(101, answer.headers as Record<string, string>));
	await pour(change(framesIn(service), exchange), socket);
}

/** An event stream whose events are changed. Each ends with an empty line. */
export async function relayEvents(exchange: Exchange, change: Change<string>, head: string = EVENTS_HEAD): Promise<void> {
	const { socket } = exchange;
	const { answer } = await exchange.open();
	if (answer.statusCode !== 200) return void socket.end();
	socket.once('close', () => answer.destroy());
	socket.write(head);
	await pour(change(eventsIn(answer), exchange), socket);
}

/** Until its connection ends. */
export const EVENTS_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n';

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

async function* eventsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
	let rest = '';
	for await (const chunk of chunks) {
		const events = (rest + chunk.toString('utf8')).split('\n\n');
		rest = events.pop() ?? '';
		for (const event of events) yield `${event}\n\n`;
	}
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What a server answers to a caller's `Sec-WebSocket-Key`. */
export const acceptanceOf = (key = ''): string => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

interface FrameParts {
	payload?: string | Buffer;
	isLast?: boolean;
	/** Its three reserved bits: 4 is the first of them. */
	reserved?: number;
	/** What it says of its length, if that is not true. */
	length?: bigint;
}

export function frame(opcode: number, { payload = '', isLast = true, reserved = 0, length }: FrameParts = {}): Buffer {
	const bytes = Buffer.from(payload);
	const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
	return Buffer.concat([Buffer.from([first]), lengthBytes(length ?? BigInt(bytes.length)), bytes]);
}

export const text = (payload: string | Buffer): Buffer => frame(OPCODE.text, { payload });
export const json = (value: unknown): Buffer => text(JSON.stringify(value));
export const binary = (...payload: number[]): Buffer => frame(OPCODE.binary, { payload: Buffer.from(payload) });
export const opcodeOf = (bytes: Buffer): number => bytes.readUInt8(0) & 0x0f;

export function close(code: number, reason: string | Buffer = ''): Buffer {
	const number = Buffer.alloc(2);
	number.writeUInt16BE(code);
	return frame(OPCODE.close, { payload: Buffer.concat([number, Buffer.from(reason)]) });
}

function lengthBytes(length: bigint): Buffer {
	if (length < 126n) return Buffer.from([Number(length)]);
	if (length < 65_536n) return Buffer.from([126, Number(length >> 8n), Number(length & 0xffn)]);
	const bytes = Buffer.alloc(9, 127);
	bytes.writeBigUInt64BE(length, 1);
	return bytes;
}

/** The frames of a server, one by one, as they are. */
async function* framesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
	let bytes = Buffer.alloc(0);
	for await (const chunk of chunks) {
		bytes = Buffer.concat([bytes, chunk]);
		for (let size = sizeOf(bytes); bytes.length >= size; size = sizeOf(bytes)) {
			yield bytes.subarray(0, size);
			bytes = bytes.subarray(size);
		}
	}
}

/** Infinity until enough bytes have arrived. */
function sizeOf(bytes: Buffer): number {
	const short = bytes.length < 2 ? 0 : bytes.readUInt8(1) & 0x7f;
	const head = { 126: 4, 127: 10 }[short] ?? 2;
	if (bytes.length < head) return Infinity;
	if (short < 126) return head + short;
	return head + (short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
}
