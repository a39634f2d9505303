import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { WebSocket } from 'ws';

import { clock, type Timer } from '../clock';
import { ComfyError, StoppedError } from '../errors';
import { exchanged } from '../observer';
import { onAbort } from './abort';
import { checkAddress, type Egress, guardedLookup } from './egress';
import { ExchangeLimits, TimeLimitError } from './limits';
import { proxyAgentFor } from './proxyAgent';
import { HttpResponse } from './response';
import { connectionError, toComfyError } from './trouble';
import { USER_AGENT } from './userAgent';

const MIB = 1024 * 1024;
const LONGEST_REFUSAL_BYTES = 64 * 1024;
const NORMAL_CLOSURE = 1000;
const SWITCHING_PROTOCOLS = 101;

export interface SocketLimits {
	/** Until the socket is open, in milliseconds. */
	handshakeMs: number;
	pingEveryMs: number;
	/** Not one byte for this long: the connection is dead. */
	idleMs: number;
	/** How long a stop waits for the other side to close too. */
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

export interface SocketSettings extends Egress {
	/** `http(s)` or `ws(s)`. Its query may hold a key: it is in no error. */
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

/** Without its query. */
export const socketAddress = ({ origin, pathname }: URL): string => origin.replace(/^http/, 'ws') + pathname;

/** An answer came in place of a WebSocket. */
export class SocketRefusedError extends ComfyError {
	constructor(readonly response: HttpResponse) {
		super(`HTTP ${response.status} in place of a WebSocket`);
	}
}

/**
 * Opens one WebSocket and holds it until it is lost. Redirects are not followed.
 * @throws ConnectionError when it cannot be opened, is lost or dead; SocketRefusedError; StoppedError when the signal
 * fires, once nothing of it is left open.
 */
export async function holdSocket(settings: SocketSettings, listener: SocketListener, signal: AbortSignal): Promise<never> {
	return await new Promise<never>((_, reject) => void new HeldSocket(settings, listener, signal, reject).start());
}

class HeldSocket {
	private readonly url: URL;
	private readonly limits: SocketLimits;
	private readonly over = new AbortController();
	private readonly stopListening: () => void;
	private socket?: WebSocket;
	private end?: { error: unknown };
	private isOpen = false;
	private readonly startedAt = clock.realNow();
	/** Until the handshake is done; then until the next byte comes; in the end, until the other side closes. */
	private timer: Timer;
	private pings?: Timer;

	constructor(
		private readonly settings: SocketSettings,
		private readonly listener: SocketListener,
		signal: AbortSignal,
		private readonly settle: (error: unknown) => void,
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
		const agent = proxyAgentFor(this.url, { signal: this.over.signal, onRefusal: (error) => this.finish(error) });
		let tcp: Socket | undefined;
		this.socket = new WebSocket(this.url, {
			lookup: guardedLookup(this.settings, this.url.hostname),
			headers: { 'user-agent': USER_AGENT, ...headers },
			rejectUnauthorized: rejectUnauthorized ?? true,
			agent: agent ?? false,
			perMessageDeflate: false,
			maxPayload: this.limits.maxPayloadBytes,
			// Broken text is one broken frame, and no reason to lose the connection.
			skipUTF8Validation: true,
		})
			.on('upgrade', ({ socket }) => (tcp = socket))
			.on('open', () => this.opened(tcp))
			.on('message', (data, isBinary) => {
				if (!this.end && Buffer.isBuffer(data)) this.listener.onMessage(isBinary ? data : data.toString('utf8'));
			})
			.on('unexpected-response', (_request, answer) => void this.refused(answer))
			.on('error', (error) => this.finish(error))
			.on('close', (code) => this.closed(code));
	}

	private opened(tcp: Socket | undefined): void {
		this.isOpen = true;
		clearTimeout(this.timer);
		this.timer = clock.after(this.limits.idleMs, this.expire);
		tcp?.on('data', () => this.end ?? this.timer.refresh());
		this.pings = clock.every(this.limits.pingEveryMs, () => this.socket?.ping());
		this.tell({ status: SWITCHING_PROTOCOLS });
		this.listener.onOpen();
	}

	private async refused(answer: IncomingMessage): Promise<void> {
		this.finish(new SocketRefusedError(await readAnswer(this.url, answer)));
	}

	private readonly expire = (): void => this.finish(new TimeLimitError());

	/** The first reason counts; what comes after it is our own doing. */
	private finish(error: unknown): void {
		if (this.end) return;
		this.end = { error };
		clearTimeout(this.timer);
		clearInterval(this.pings);
		this.stopListening();
		const { socket } = this;
		if (!socket || socket.readyState === WebSocket.CLOSED) return this.closed();
		if (!this.isOpen || !(error instanceof StoppedError)) return socket.terminate();
		this.timer = clock.after(this.limits.closeMs, () => socket.terminate());
		socket.close(NORMAL_CLOSURE);
	}

	private closed(code?: number): void {
		const { origin } = this.url;
		if (!this.end) return this.finish(connectionError('lost', { origin, mayHaveArrived: true, code: `CLOSE_${code}` }));
		clearTimeout(this.timer);
		this.over.abort();
		const error = toComfyError(this.end.error, { origin, sent: this.isOpen });
		if (!this.isOpen) this.tell(error instanceof SocketRefusedError ? { status: error.response.status } : { error });
		this.settle(error);
	}

	private tell(outcome: { status: number } | { error: unknown }): void {
		const milliseconds = clock.realNow() - this.startedAt;
		exchanged(() => ({ method: 'GET', address: socketAddress(this.url), milliseconds, ...outcome }));
	}
}

/** What was answered, up to a limit. Left out: headers that may repeat the address, and so a key in it. */
async function readAnswer(url: URL, answer: IncomingMessage): Promise<HttpResponse> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		for await (const chunk of answer as AsyncIterable<Uint8Array>) {
			chunks.push(chunk);
			length += chunk.byteLength;
			if (length >= LONGEST_REFUSAL_BYTES) break;
		}
	} catch {
		// Half an answer will do: its status is what counts.
	}
	const limits = new ExchangeLimits({});
	// It has been read.
	limits.release();
	return new HttpResponse({
		url: new URL(url.origin + url.pathname),
		status: answer.statusCode ?? 0,
		headers: { ...answer.headers, location: undefined, 'set-cookie': undefined },
		body: bytesOf(chunks),
		drop: async () => undefined,
		limits,
	});
}

async function* bytesOf(chunks: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.concat(chunks).subarray(0, LONGEST_REFUSAL_BYTES);
}
