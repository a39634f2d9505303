import { createHash } from 'node:crypto';

import type { ByteReader } from '../proxy/byteReader';

const OF_EVERY_SERVER = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What a server answers to a caller's `Sec-WebSocket-Key`. */
export const acceptanceOf = (key = ''): string => createHash('sha1').update(`${key}${OF_EVERY_SERVER}`).digest('base64');

export interface FrameParts {
	payload?: string | Buffer;
	isLast?: boolean;
	/** Its three reserved bits: 4 is the first of them. */
	reserved?: number;
	/** Which only callers may. */
	isMasked?: boolean;
	/** What it says of its length, where that is not true. */
	length?: bigint;
}

export function frame(opcode: number, { payload = '', isLast = true, reserved = 0, isMasked = false, length }: FrameParts = {}): Buffer {
	const bytes = Buffer.from(payload);
	const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
	const mask = isMasked ? Buffer.alloc(4) : Buffer.alloc(0);
	const head = Buffer.concat([Buffer.from([first]), lengthBytes(length ?? BigInt(bytes.length))]);
	if (isMasked) head.writeUInt8(head.readUInt8(1) | 0x80, 1);
	return Buffer.concat([head, mask, bytes]);
}

export const text = (payload: string | Buffer): Buffer => frame(OPCODE.text, { payload });

export const json = (value: unknown): Buffer => text(JSON.stringify(value));

export const binary = (...payload: number[]): Buffer => frame(OPCODE.binary, { payload: Buffer.from(payload) });

export function close(code: number, reason: string | Buffer = ''): Buffer {
	const number = Buffer.alloc(2);
	number.writeUInt16BE(code);
	return frame(OPCODE.close, { payload: Buffer.concat([number, Buffer.from(reason)]) });
}

export const opcodeOf = (bytes: Buffer): number => bytes.readUInt8(0) & 0x0f;

/** The frames of a server, one by one, as they are. */
export async function* framesIn(bytes: ByteReader): AsyncGenerator<Buffer, void, undefined> {
	for (;;) {
		const head = await exactly(bytes, 2);
		if (head === undefined) return;
		const short = head.readUInt8(1) & 0x7f;
		const extended = short < 126 ? Buffer.alloc(0) : await exactly(bytes, short === 126 ? 2 : 8);
		if (extended === undefined) return;
		const length = short < 126 ? short : short === 126 ? extended.readUInt16BE() : Number(extended.readBigUInt64BE());
		const payload = await exactly(bytes, length);
		if (payload === undefined) return;
		yield Buffer.concat([head, extended, payload]);
	}
}

function lengthBytes(length: bigint): Buffer {
	if (length < 126n) return Buffer.from([Number(length)]);
	if (length < 65_536n) return Buffer.from([126, Number(length >> 8n), Number(length & 0xffn)]);
	const bytes = Buffer.alloc(9, 127);
	bytes.writeBigUInt64BE(length, 1);
	return bytes;
}

async function exactly(bytes: ByteReader, count: number): Promise<Buffer | undefined> {
	const parts: Buffer[] = [];
	for (let left = count; left > 0;) {
		const part = await bytes.some(left);
		if (part === undefined) return undefined;
		parts.push(part);
		left -= part.length;
	}
	return Buffer.concat(parts, count);
}
