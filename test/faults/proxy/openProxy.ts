import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

import type { IncomingMessage } from 'node:http';

import type { Sandbox } from '../../../sandbox';
import type { Attempts, Exchange, Fault, RawAnswer } from '../shapes';
import { ByteReader } from './byteReader';
import { Origins, type SurfaceName } from './origins';
import { answer, headOf } from './rawAnswers';
import { RequestBody } from './requestBody';
import { readRequestHead, type RequestHead } from './requestHead';
import { headersOf, sendOn, wholeBody } from './upstream';

/** What the proxy does to whom. Without it everything passes. */
export interface Aim {
	fault: Fault;
	attempts: Attempts;
	/** `GET /api/v2/jobs/*`: a star stands for one part of a path, `**` for any. */
	on: string;
	at?: SurfaceName;
	/** Of the door. */
	stranger?: string;
}

const passesAll: Fault['strike'] = async (exchange) => await exchange.passOn();

/** `on` as a pattern of method and path without its query. */
function patternOf(on: string): RegExp {
	const escaped = on.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*|\*/g, (star) => (star === '**' ? '.*' : '[^/]+'));
	return new RegExp(`^(?:${escaped})$`);
}

/** A proxy of raw TCP before all surfaces of a sandbox, with ports of its own. */
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
	readonly over = new Promise<void>((resolve) => (this.end = resolve));
	origins!: Origins;
	/** How many requests, or connections, the fault was meant for. */
	met = 0;
	/** How many connections have been accepted. */
	accepted = 0;

	constructor(
		private readonly sandbox: Sandbox,
		private readonly aim?: Aim,
	) {
		this.pattern = patternOf(aim?.on ?? '');
	}

	async open(): Promise<void> {
		const names = Object.keys(this.sandbox.urls) as SurfaceName[];
		for (const name of names) {
			const server = createServer({ noDelay: true }, (socket) => this.accept(socket, name));
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			this.servers.set(name, server);
			this.ports.set(name, (server.address() as AddressInfo).port);
		}
		this.origins = new Origins(this.sandbox.urls, this.ports);
		if (this.closesPort) await this.closePort();
	}

	/** Sockets of callers that are open at this moment. */
	get openSockets(): number {
		return this.sockets.size;
	}

	get closesPort(): boolean {
		return this.aim?.fault.connecting === 'closed port';
	}

	/** For `first`: the port listens again. */
	reopenPort(): void {
		const { keeper, aimedServer: server } = this;
		this.keeper = undefined;
		keeper?.on('close', () => !this.isOver && server?.listen(this.ports.get(this.aim?.at as SurfaceName), '127.0.0.1')).resetAndDestroy();
	}

	/** The caller has told of an exchange: of an answer, or why there is none. */
	hasTold(error: unknown): void {
		if (error !== undefined) this.failures += 1;
		if (error !== undefined) return;
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
		await Promise.all(
			[...this.servers.values()].filter(({ listening }) => listening).map(async (server) => await once(server.close(), 'close')),
		);
	}

	private get aimedServer(): Server | undefined {
		return this.aim?.at === undefined ? undefined : this.servers.get(this.aim.at);
	}

	/** A socket that leads elsewhere keeps the port: nobody else is given it, and whoever connects to it is refused. */
	private async closePort(): Promise<void> {
		const server = this.aimedServer;
		if (server === undefined) throw new Error('The call does not say where its requests go');
		await once(server.close(), 'close');
		const port = Number(new URL(this.sandbox.urls.storage).port);
		this.keeper = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1', localPort: this.ports.get(this.aim?.at as SurfaceName) });
		this.keeper.on('error', () => undefined);
		await once(this.keeper, 'connect');
	}

	private accept(socket: Socket, surface: SurfaceName): void {
		this.accepted += 1;
		this.sockets.add(socket);
		socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
		const { connecting } = this.aim?.fault ?? {};
		if (typeof connecting === 'function' && this.aim?.at === surface && this.isStruck()) {
			socket.resume();
			connecting(socket);
			return;
		}
		void this.serve(socket, surface).catch(() => socket.destroy());
	}

	/** Counts one more, and tells whether the fault is done to it. */
	private isStruck(): boolean {
		this.met += 1;
		return this.aim?.attempts === 'every' || this.met === 1;
	}

	private async serve(socket: Socket, surface: SurfaceName): Promise<void> {
		const bytes = new ByteReader(socket);
		for (;;) {
			// As any server: what does not begin as HTTP is refused at once.
			const isHttp = await bytes.beginsWith(/^[A-Z]/);
			const raw = isHttp ? await bytes.until('\r\n\r\n') : undefined;
			if (raw === undefined && isHttp !== false) return void socket.end();
			const head = raw && readRequestHead(raw);
			if (raw === undefined || head === undefined) return void socket.end(headOf(400, { 'content-length': '0', connection: 'close' }));
			const body = new RequestBody(bytes, head.headers);
			const strike = this.strikeFor(head);
			const exchange = this.exchange({ socket, surface, head, bytes, body, raw });
			await strike(exchange);
			if (head.headers.upgrade !== undefined || socket.writableEnded || socket.destroyed) return;
			if ((await body.whole()) === undefined) return void socket.end();
		}
	}

	private strikeFor({ method, path }: RequestHead): Fault['strike'] {
		if (this.aim === undefined || this.aim.fault.connecting !== undefined) return passesAll;
		const isMeant = this.pattern.test(`${method} ${path.split('?')[0]}`);
		return isMeant && this.isStruck() ? this.aim.fault.strike : passesAll;
	}

	private exchange({ socket, surface, head, bytes, body, raw }: Parts): Exchange {
		const deliver = async (): Promise<RawAnswer> => await this.tracked(this.deliver(surface, head, body));
		const exchange: Exchange = {
			...head,
			socket,
			attempt: this.met - 1,
			over: this.over,
			stranger: this.aim?.stranger ?? '',
			begun: async () => await body.begun(),
			received: async () => void (await body.whole()),
			deliver,
			open: async () => await this.opened(surface, raw, head.headers.upgrade === undefined ? await body.whole() : bytes.leave()),
			deliverLater: (after) => void this.tracked(after.then(async () => await this.deliver(surface, head, body))).catch(() => undefined),
			noticed: async () => await new Promise<void>((resolve) => this.waitingForNotice.add(resolve)),
			passOn: async () =>
				head.headers.upgrade === undefined ? await this.passOn(exchange, surface, head, body) : join(socket, await exchange.open()),
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

	private originOf(surface: SurfaceName): string {
		return new URL(this.sandbox.urls[surface]).origin;
	}

	private async deliver(surface: SurfaceName, head: RequestHead, body: RequestBody): Promise<RawAnswer> {
		const whole = await body.whole();
		if (whole === undefined) throw new Error('The caller left before its request was whole');
		const got = await sendOn(this.originOf(surface), head, whole);
		const headers = this.moved(headersOf(got));
		const bytes = await wholeBody(got);
		const isText = isMovable(headers['content-type']);
		return { status: got.statusCode ?? 0, headers, body: isText ? Buffer.from(this.origins.moved(bytes.toString('utf8'))) : bytes };
	}

	private moved(headers: RawAnswer['headers']): RawAnswer['headers'] {
		return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.origins.moved(value)]));
	}

	private async passOn(exchange: Exchange, surface: SurfaceName, head: RequestHead, body: RequestBody): Promise<void> {
		const whole = await body.whole();
		const { socket } = exchange;
		if (whole === undefined) return;
		const got = await sendOn(this.originOf(surface), head, whole);
		this.upstreams.add(got);
		const leave = (): void => void got.destroy();
		socket.once('close', leave);
		got.once('close', () => {
			this.upstreams.delete(got);
			socket.off('close', leave);
		});
		const status = got.statusCode ?? 0;
		const headers = this.moved(headersOf(got));
		const type = headers['content-type'] ?? '';
		if (isMovable(type) && !isStream(type)) {
			answer(exchange, { status, headers, body: Buffer.from(this.origins.moved((await wholeBody(got)).toString('utf8'))) });
			return;
		}
		if (head.method === 'HEAD' || headers['content-length'] !== undefined) {
			socket.write(headOf(status, headers));
			for await (const chunk of got) socket.write(chunk as Buffer);
			return;
		}
		if (status === 204 || status === 304) return void socket.write(headOf(status, headers));
		socket.write(headOf(status, { ...headers, 'transfer-encoding': 'chunked' }));
		for await (const piece of isStream(type) ? this.lines(got) : (got as AsyncIterable<Buffer>)) {
			socket.write(`${piece.length.toString(16)}\r\n`);
			socket.write(piece);
			socket.write('\r\n');
		}
		socket.write('0\r\n\r\n');
	}

	/** Line by line, since an origin may stand across two chunks. */
	private async *lines(chunks: IncomingMessage): AsyncGenerator<Buffer> {
		let rest = '';
		chunks.setEncoding('utf8');
		for await (const chunk of chunks) {
			const text = rest + String(chunk);
			const end = text.lastIndexOf('\n') + 1;
			rest = text.slice(end);
			if (end > 0) yield Buffer.from(this.origins.moved(text.slice(0, end)));
		}
		if (rest !== '') yield Buffer.from(rest);
	}

	/** A connection of its own to the service, which has been told this much. */
	private async opened(surface: SurfaceName, head: Buffer, rest: Buffer = Buffer.alloc(0)): Promise<Socket> {
		const upstream = connect({ host: '127.0.0.1', port: Number(new URL(this.sandbox.urls[surface]).port), noDelay: true });
		this.upstreams.add(upstream);
		upstream.on('error', () => undefined).on('close', () => this.upstreams.delete(upstream));
		upstream.write(asSized(head, rest.length), 'latin1');
		upstream.write(rest);
		return upstream;
	}
}

/** A body that came in chunks goes on in one piece. */
const asSized = (head: Buffer, length: number): string =>
	head.toString('latin1').replace(/^transfer-encoding: chunked\r\n/im, `content-length: ${length}\r\n`);

function join(socket: Socket, upstream: Socket): void {
	upstream.on('close', () => socket.destroy());
	socket.once('close', () => upstream.destroy());
	socket.pipe(upstream);
	upstream.pipe(socket);
}

interface Parts {
	socket: Socket;
	surface: SurfaceName;
	head: RequestHead;
	bytes: ByteReader;
	body: RequestBody;
	raw: Buffer;
}

const isStream = (type: string): boolean => type.startsWith('text/event-stream');

/** Texts that may hold links of the service. */
const isMovable = (type = ''): boolean => /json|event-stream/.test(type);

export async function openProxy(sandbox: Sandbox, aim?: Aim): Promise<Proxy> {
	const proxy = new Proxy(sandbox, aim);
	await proxy.open();
	return proxy;
}
