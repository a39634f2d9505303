/** Node's request and response. They count bytes, and a fault can interrupt an answer. */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

type WriteCallback = (error: Error | null | undefined) => void;

type Interruption =
	{ kind: 'discard' } | { kind: 'truncate'; afterBytes: number } | { kind: 'stall'; afterBytes: number; ms: number | undefined };

const KEPT_BODY_BYTES = 64 * 1024;

export class MeteredRequest extends IncomingMessage {
	/** Bytes of the body that have arrived, read or unread. */
	bodyBytes = 0;
	/** What an upgrade sent after its header; undefined for all other requests. */
	upgradeHead: Buffer | undefined;
	readonly #start: Buffer[] = [];

	/** The first 64 KiB of the body that has arrived. */
	get bodyText(): string {
		return Buffer.concat(this.#start).toString('utf8');
	}

	override push(chunk: unknown, encoding?: BufferEncoding): boolean {
		if (chunk instanceof Uint8Array) {
			if (this.bodyBytes < KEPT_BODY_BYTES) this.#start.push(Buffer.from(chunk.subarray(0, KEPT_BODY_BYTES - this.bodyBytes)));
			this.bodyBytes += chunk.byteLength;
		}
		return super.push(chunk, encoding);
	}
}

export class MeteredResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
	#interruption: Interruption | undefined;
	#bodyBytes = 0;
	#over = false;
	#held: Array<() => void> | undefined;

	/** Interrupts the answer. The bytes before the interruption are sent unchanged. */
	interrupt(interruption: Interruption): void {
		this.#interruption = interruption;
	}

	override write(chunk: unknown, encoding?: BufferEncoding | WriteCallback, callback?: WriteCallback): boolean {
		if (this.#interruption === undefined) {
			return typeof encoding === 'string' ? super.write(chunk, encoding, callback) : super.write(chunk, encoding);
		}
		return this.#writeInterrupted(toBuffer(chunk, encoding), typeof encoding === 'function' ? encoding : callback);
	}

	override end(chunk?: unknown, encoding?: BufferEncoding | (() => void), callback?: () => void): this {
		const done = typeof chunk === 'function' ? undefined : typeof encoding === 'function' ? encoding : callback;
		if (this.#interruption === undefined) {
			return typeof encoding === 'string' ? super.end(chunk, encoding, done) : super.end(chunk, done);
		}
		if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
		if (this.#interruption.kind === 'discard') this.#breakOff();
		else if (this.#held !== undefined) this.#held.push(() => super.end(done));
		else if (!this.#over) super.end(done);
		return this;
	}

	#writeInterrupted(bytes: Buffer, callback: WriteCallback | undefined): boolean {
		const interruption = this.#interruption;
		if (interruption === undefined || this.#over || interruption.kind === 'discard') return true;
		if (this.#held !== undefined) {
			this.#held.push(() => super.write(bytes, callback));
			return false;
		}
		const passing = bytes.subarray(0, interruption.afterBytes - this.#bodyBytes);
		this.#bodyBytes += passing.byteLength;
		if (passing.byteLength === bytes.byteLength) return super.write(passing, callback);
		if (passing.byteLength > 0) super.write(passing);
		if (interruption.kind === 'truncate') {
			this.flushHeaders();
			this.#breakOff();
			return true;
		}
		this.#hold(interruption.ms, () => super.write(bytes.subarray(passing.byteLength), callback));
		return false;
	}

	#breakOff(): void {
		this.#over = true;
		this.socket?.destroySoon();
	}

	#hold(ms: number | undefined, first: () => void): void {
		this.#held = [first];
		if (ms === undefined) return;
		const timer = setTimeout(() => {
			const held = this.#held ?? [];
			this.#held = undefined;
			this.#interruption = undefined;
			for (const write of held) write();
			this.emit('drain');
		}, ms);
		this.once('close', () => clearTimeout(timer));
	}
}

export function metered(reply: FastifyReply): MeteredResponse {
	if (reply.raw instanceof MeteredResponse) return reply.raw;
	throw new TypeError('The server was not created with the metered response');
}

function toBuffer(chunk: unknown, encoding: BufferEncoding | WriteCallback | undefined): Buffer {
	if (typeof chunk === 'string') return Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8');
	if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
	throw new TypeError('A response body is text or bytes');
}
