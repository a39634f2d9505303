import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { WebSocket } from 'ws';

import { clock, type Timer } from '../async/clock';
import { ComfyError, StoppedError } from '../errors/errors';
import { reportExchange } from '../log/observer';
import { onAbort } from '../async/abort';
import { ExchangeLimits, TimeLimitError } from './limits';
import { checkAddress, createLookup, type OutboundNetwork } from './outboundNetwork';
import { HttpResponse } from './response';
import { proxyAgentFor } from './systemProxy';
import { connectionError, toComfyError } from './trouble';
import { USER_AGENT } from './userAgent';

const MIB = 1024 * 1024;
const MAX_REJECTION_BYTES = 64 * 1024;
const NORMAL_CLOSURE = 1000;
const SWITCHING_PROTOCOLS = 101;

export interface SocketLimits {
	/** Until the socket is open, in milliseconds. */
	handshakeMs: number;
	pingEveryMs: number;
	/** If no byte arrives for this long, the connection is lost. */
	idleMs: number;
	/** How long a stop waits until the other side closes too. */
	closeMs: number;
	maxPayloadBytes: number;
}

const SOCKET_LIMITS: Readonly<SocketLimits> = {
	handshakeMs: 10_000,
	pingEveryMs: 15_000,
	idleMs: 45_000,
	closeMs: 1_000,
	maxPayloadBytes: 32 * MIB,
};

export interface SocketSettings extends OutboundNetwork {
	/** `http(s)` or `ws(s)`. Its query may contain a key, so no error contains it. */
	url: URL;
	/** Names in lower case. */
	headers?: Record<string, string>;
	/** False accepts any certificate. */
	rejectUnauthorized?: boolean;
	limits?: Partial<SocketLimits>;
}

export interface SocketListener {
	onOpen(): void;
	onMessage(data: string | Uint8Array): void;
}

/** Returns the address without its query. */
export const socketAddress = ({ origin, pathname }: URL): string => origin.replace(/^http/, 'ws') + pathname;

/** The server answered with HTTP instead of opening a WebSocket. */
export class SocketRejectedError extends ComfyError {
	constructor(readonly response: HttpResponse) {
		super(`HTTP ${response.status} in place of a WebSocket`);
	}
}

/**
 * Opens one WebSocket and keeps it until it is lost. Redirects are not followed.
 * @throws ConnectionError if it cannot be opened, is lost; SocketRejectedError; StoppedError when the signal
 *   fires, after the socket is closed.
 */
export async function holdSocket(settings: SocketSettings, listener: SocketListener, signal: AbortSignal): Promise<never> {
	return await new Promise<never>((_, reject) => void new OpenSocket(settings, listener, signal, reject).start());
}

class OpenSocket {
	private readonly url: URL;
	private readonly limits: SocketLimits;
	private readonly closing = new AbortController();
	private readonly stopListening: () => void;
	private socket?: WebSocket;
	private end?: { error: unknown };
	private isOpen = false;
	private readonly startedAt = clock.realNow();
	/**
	 * One timer for three phases: until the handshake is done, until the next byte, and finally until the other side
	 * closes.
	 */
	private timer: Timer;
	private pings?: Timer;

	constructor(
		private readonly settings: SocketSettings,
		private readonly listener: SocketListener,
		signal: AbortSignal,
		private readonly reject: (error: unknown) => void,
	) {
		this.url = new URL(settings.url);
		this.url.protocol = this.url.protocol.replace(/^ws/, 'http');
		this.url.hash = '';
		this.limits = { ...SOCKET_LIMITS, ...settings.limits };
		this.timer = clock.after(this.limits.handshakeMs, this.expire);
		this.stopListening = onAbort(signal, () => this.finish(new StoppedError()));
		if (signal.aborted) this.finish(new StoppedError());
	}

	async start(): Promise<void> {
		try {
			if (!this.end) await checkAddress(this.url, this.settings, this.url.hostname);
			if (!this.end) this.connect();
		} catch (error) {
			this.finish(error);
		}
	}

	private connect(): void {
		const { headers, rejectUnauthorized } = this.settings;
		const agent = proxyAgentFor(this.url, { signal: this.closing.signal, onRejection: (error) => this.finish(error) });
		let tcp: Socket | undefined;
		this.socket = new WebSocket(this.url, {
			lookup: createLookup(this.settings, this.url.hostname),
			headers: { 'user-agent': USER_AGENT, ...headers },
			rejectUnauthorized: rejectUnauthorized ?? true,
			agent: agent ?? false,
			perMessageDeflate: false,
			maxPayload: this.limits.maxPayloadBytes,
			// Invalid UTF-8 spoils one frame. It is no reason to close the connection.
			skipUTF8Validation: true,
		})
			.on('upgrade', ({ socket }) => (tcp = socket))
			.on('open', () => this.onOpen(tcp))
			.on('message', (data, isBinary) => {
				if (!this.end && Buffer.isBuffer(data)) this.listener.onMessage(isBinary ? data : data.toString('utf8'));
			})
			.on('unexpected-response', (_request, answer) => void this.onRejection(answer))
			.on('error', (error) => this.finish(error))
			.on('close', (code) => this.onClose(code));
	}

	private onOpen(tcp: Socket | undefined): void {
		this.isOpen = true;
		clearTimeout(this.timer);
		this.timer = clock.after(this.limits.idleMs, this.expire);
		tcp?.on('data', () => this.end ?? this.timer.refresh());
		this.pings = clock.every(this.limits.pingEveryMs, () => this.socket?.ping());
		this.report({ status: SWITCHING_PROTOCOLS });
		this.listener.onOpen();
	}

	private async onRejection(answer: IncomingMessage): Promise<void> {
		this.finish(new SocketRejectedError(await readAnswer(this.url, answer)));
	}

	private readonly expire = (): void => this.finish(new TimeLimitError());

	/** Only the first reason counts. Later ones are a result of our own closing. */
	private finish(error: unknown): void {
		if (this.end) return;
		this.end = { error };
		clearTimeout(this.timer);
		clearInterval(this.pings);
		this.stopListening();
		const { socket } = this;
		if (!socket || socket.readyState === WebSocket.CLOSED) return this.onClose();
		if (!this.isOpen || !(error instanceof StoppedError)) return socket.terminate();
		this.timer = clock.after(this.limits.closeMs, () => socket.terminate());
		socket.close(NORMAL_CLOSURE);
	}

	private onClose(code?: number): void {
		const { origin } = this.url;
		if (!this.end) return this.finish(connectionError('lost', { origin, mayHaveArrived: true, code: `CLOSE_${code}` }));
		clearTimeout(this.timer);
		this.closing.abort();
		const error = toComfyError(this.end.error, { origin, sent: this.isOpen });
		if (!this.isOpen) this.report(error instanceof SocketRejectedError ? { status: error.response.status } : { error });
		this.reject(error);
	}

	private report(outcome: { status: number } | { error: unknown }): void {
		const milliseconds = clock.realNow() - this.startedAt;
		reportExchange(() => ({ method: 'GET', address: socketAddress(this.url), milliseconds, ...outcome }));
	}
}

/** Reads the response up to a limit. Headers that may repeat the address, and with it a key, are left out. */
async function readAnswer(url: URL, answer: IncomingMessage): Promise<HttpResponse> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		for await (const chunk of answer as AsyncIterable<Uint8Array>) {
			chunks.push(chunk);
			length += chunk.byteLength;
			if (length >= MAX_REJECTION_BYTES) break;
		}
	} catch {
		// An incomplete body is enough, because the status matters.
	}
	const limits = new ExchangeLimits({});
	// The body has been read, so no limit may fire any more.
	limits.release();
	return new HttpResponse({
		url: new URL(url.origin + url.pathname),
		status: answer.statusCode ?? 0,
		headers: { ...answer.headers, location: undefined, 'set-cookie': undefined },
		body: bytesOf(chunks),
		discard: async () => undefined,
		limits,
	});
}

async function* bytesOf(chunks: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.concat(chunks).subarray(0, MAX_REJECTION_BYTES);
}
