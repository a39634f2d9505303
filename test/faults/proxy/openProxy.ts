import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '../../../sandbox';
import type { Attempts, Exchange, Fault, RawAnswer, Upstream } from '../shapes';
import { answer, headOf } from './strangers';

type SurfaceName = keyof Sandbox['urls'];

/** What the proxy does to whom. Without it everything passes. */
export interface Aim {
	fault: Fault;
	attempts: Attempts;
	/** `GET /api/v2/jobs/*`: a star is one part of a path. */
	on: string;
	at?: SurfaceName;
	/** Of the call's context. */
	stranger: string;
}

/** Headers that each hop writes itself. */
const OF_ONE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'expect'];

const ownHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
	Object.fromEntries(
		Object.entries(headers)
			.filter(([name]) => !OF_ONE_HOP.includes(name))
			.map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
	);

/** `on` as a pattern of method and path without its query. */
const patternOf = (on: string): RegExp => new RegExp(`^${on.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]+')}$`);

const isStream = (type = ''): boolean => type.startsWith('text/event-stream');
/** Texts that may hold links of the service. */
const isMovable = (type = ''): boolean => isStream(type) || type.includes('json');

/** An incoming request, and what has arrived of its body. If the sender disconnects, the body is rejected. */
interface Incoming {
	message: IncomingMessage;
	body: Promise<Buffer>;
	surface: SurfaceName;
}

/** A TCP proxy in front of all surfaces of a sandbox, with ports of its own. */
export class Proxy {
	private readonly servers = new Map<SurfaceName, Server>();
	private readonly ports = new Map<SurfaceName, number>();
	private readonly sockets = new Set<Socket>();
	private readonly upstreams = new Set<{ destroy(): void }>();
	private readonly deliveries = new Set<Promise<unknown>>();
	private readonly pattern: RegExp;
	private readonly waitingForNotice = new Set<() => void>();
	private failures = 0;
	private isOver = false;
	private keeper?: Socket;
	private end: () => void = () => undefined;
	private readonly over = new Promise<void>((resolve) => (this.end = resolve));
	/** How many requests, or connections, the fault was meant for. */
	private met = 0;

	constructor(
		private readonly sandbox: Sandbox,
		private readonly aim: Aim,
	) {
		this.pattern = patternOf(aim.on);
	}

	async open(): Promise<void> {
		for (const surface of Object.keys(this.sandbox.urls) as SurfaceName[]) {
			// Parses requests only: answers are written to the socket, byte by byte.
			const http = createHttpServer({ requestTimeout: 0, headersTimeout: 0 });
			http.on('request', (message: IncomingMessage) => this.serve(message, buffer(message), surface));
			http.on('upgrade', (message: IncomingMessage, socket: Socket) => {
				socket.resume();
				this.serve(message, Promise.resolve(Buffer.alloc(0)), surface);
			});
			const server = createServer({ noDelay: true }, (socket) => this.accept(socket, surface) && void http.emit('connection', socket));
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			this.servers.set(surface, server);
			this.ports.set(surface, (server.address() as AddressInfo).port);
		}
		if (this.closesPort) await this.closePort();
	}

	/** The addresses of the sandbox, each through this proxy. */
	get urls(): Sandbox['urls'] {
		const moved = Object.entries(this.sandbox.urls).map(([name, url]) => [name, this.moved(url)]);
		return Object.fromEntries(moved) as unknown as Sandbox['urls'];
	}

	/** Sockets of callers that are open at this moment. */
	get openSockets(): number {
		return this.sockets.size;
	}

	/** For `first`: the port listens again. */
	reopenPort(): void {
		const { keeper, aimedServer: server } = this;
		this.keeper = undefined;
		keeper?.on('close', () => !this.isOver && server?.listen(this.aimedPort, '127.0.0.1')).resetAndDestroy();
	}

	/** The caller has reported an exchange: an answer, or why there is none. */
	hasTold(error: unknown): void {
		if (error !== undefined) {
			this.failures += 1;
			return;
		}
		for (const resolve of this.waitingForNotice) resolve();
		this.waitingForNotice.clear();
	}

	/** Whether the fault has been done to anything. */
	get hasMet(): boolean {
		return this.closesPort ? this.failures > 0 : this.met > 0;
	}

	/** Every request that was still to be delivered has been. */
	async delivered(): Promise<void> {
		while (this.deliveries.size > 0) await Promise.allSettled(this.deliveries);
	}

	async close(): Promise<void> {
		this.isOver = true;
		this.end();
		for (const one of [...this.sockets, ...this.upstreams]) one.destroy();
		this.keeper?.destroy();
		const listening = [...this.servers.values()].filter((server) => server.listening);
		await Promise.all(listening.map(async (server) => await once(server.close(), 'close')));
	}

	private get closesPort(): boolean {
		return this.aim.fault.connecting === 'closed port';
	}

	private get aimedServer(): Server | undefined {
		return this.aim.at && this.servers.get(this.aim.at);
	}

	private get aimedPort(): number | undefined {
		return this.aim.at && this.ports.get(this.aim.at);
	}

	/** A socket that occupies the port: no other process gets the port, and connections to it are refused. */
	private async closePort(): Promise<void> {
		const server = this.aimedServer;
		if (server === undefined) throw new Error('The call does not say where its requests go');
		await once(server.close(), 'close');
		const port = Number(new URL(this.sandbox.urls.storage).port);
		this.keeper = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1', localPort: this.aimedPort });
		this.keeper.on('error', () => undefined);
		await once(this.keeper, 'connect');
	}

	/** @returns whether its requests are read: not if the fault is done to the connection. */
	private accept(socket: Socket, surface: SurfaceName): boolean {
		this.sockets.add(socket);
		socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
		const { connecting } = this.aim.fault;
		if (typeof connecting !== 'function' || this.aim.at !== surface || !this.isStruck()) return true;
		socket.resume();
		connecting(socket);
		return false;
	}

	/** Counts one more. @returns whether the fault is done to it. */
	private isStruck(): boolean {
		this.met += 1;
		return this.aim.attempts === 'every' || this.met === 1;
	}

	private serve(message: IncomingMessage, body: Promise<Buffer>, surface: SurfaceName): void {
		body.catch(() => undefined);
		const { aim } = this;
		const exchange = this.exchange({ message, body, surface });
		const isMeant = aim.fault.connecting === undefined && this.pattern.test(`${message.method} ${exchange.path.split('?')[0]}`);
		const work = isMeant && this.isStruck() ? aim.fault.strike(exchange) : exchange.passOn();
		void work.catch(() => message.socket.destroy());
	}

	private exchange(incoming: Incoming): Exchange {
		const { message, body } = incoming;
		const begun = new Promise<void>((resolve) => message.once('data', resolve).once('close', resolve));
		const deliver = async (): Promise<RawAnswer> =>
			await this.tracked(this.send(incoming).then(async (one) => await this.whole(one.answer)));
		const exchange: Exchange = {
			method: message.method ?? '',
			path: message.url ?? '',
			headers: ownHeaders(message.headers),
			socket: message.socket,
			over: this.over,
			stranger: this.aim.stranger,
			begun: async () => await begun,
			received: async () => void (await body),
			deliver,
			open: async () => await this.send(incoming),
			deliverLater: (after) => void this.tracked(after.then(deliver)).catch(() => undefined),
			noticed: async () => await new Promise<void>((resolve) => this.waitingForNotice.add(resolve)),
			passOn: async () => await this.passOn(exchange, incoming),
		};
		return exchange;
	}

	private async tracked<T>(delivery: Promise<T>): Promise<T> {
		this.deliveries.add(delivery);
		try {
			return await delivery;
		} finally {
			this.deliveries.delete(delivery);
		}
	}

	/** Puts our own origins where the service names its own, so its links lead through the proxy as well. */
	private moved(text: string): string {
		const origins = Object.entries(this.sandbox.urls) as Array<[SurfaceName, string]>;
		return origins.reduce((all, [name, url]) => all.replaceAll(new URL(url).origin, `http://127.0.0.1:${this.ports.get(name)}`), text);
	}

	/** To the service, on a connection of its own. @throws the socket's error. */
	private async send({ message, body, surface }: Incoming): Promise<Upstream> {
		const { method, url, headers } = message;
		const whole = await body;
		const kept = headers.upgrade === undefined ? ownHeaders(headers) : headers;
		const length = whole.length > 0 || !['GET', 'HEAD'].includes(method ?? '') ? { 'content-length': whole.length } : {};
		const sent = request(new URL(this.sandbox.urls[surface]).origin + url, { method, agent: false, headers: { ...kept, ...length } });
		this.upstreams.add(sent);
		sent.on('close', () => this.upstreams.delete(sent));
		return await new Promise((resolve, reject) => {
			sent.on('response', (got) => resolve({ answer: got })).on('error', reject);
			sent.on('upgrade', (got, socket: Socket, head) => {
				socket.on('error', () => undefined).unshift(head);
				this.upstreams.add(socket);
				socket.on('close', () => this.upstreams.delete(socket));
				resolve({ answer: got, socket });
			});
			sent.end(whole);
		});
	}

	private headersOf(got: IncomingMessage): RawAnswer['headers'] {
		return Object.fromEntries(Object.entries(ownHeaders(got.headers)).map(([name, value]) => [name, this.moved(value)]));
	}

	private async whole(got: IncomingMessage): Promise<RawAnswer> {
		const headers = this.headersOf(got);
		const bytes = await buffer(got);
		const body = isMovable(headers['content-type']) ? Buffer.from(this.moved(bytes.toString('utf8'))) : bytes;
		return { status: got.statusCode ?? 0, headers, body };
	}

	private async passOn(exchange: Exchange, incoming: Incoming): Promise<void> {
		const { socket } = exchange;
		const { answer: got, socket: upgraded } = await this.send(incoming);
		const isOpen = upgraded !== undefined || isStream(got.headers['content-type']);
		if (!isOpen) return answer(exchange, await this.whole(got));
		socket.once('close', () => (upgraded ?? got).destroy());
		if (upgraded !== undefined) {
			upgraded.once('close', () => socket.destroy());
			socket.write(headOf(101, got.headers as Record<string, string>));
			socket.pipe(upgraded).pipe(socket);
			return;
		}
		socket.write(headOf(got.statusCode ?? 0, { ...this.headersOf(got), 'transfer-encoding': 'chunked' }));
		for await (const line of this.lines(got)) socket.write(`${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`);
		socket.write('0\r\n\r\n');
	}

	/** Line by line, since an origin may stand across two chunks. */
	private async *lines(got: IncomingMessage): AsyncGenerator<string> {
		let rest = '';
		for await (const chunk of got.setEncoding('utf8')) {
			const text = rest + String(chunk);
			const end = text.lastIndexOf('\n') + 1;
			rest = text.slice(end);
			if (end > 0) yield this.moved(text.slice(0, end));
		}
		if (rest !== '') yield rest;
	}
}
