import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

import { reservePort } from '../../../sandbox/http/reservePort';

/**
 * How the server behind the front seems to be. `refused`: nothing listens. `halfOpen`: connections are accepted, and no byte
 * comes back. `badGateway`: a proxy answers 502. `page`: a proxy answers its own page with 200.
 */
export type Trouble = 'refused' | 'halfOpen' | 'badGateway' | 'page';

const httpAnswer = (status: string, type: string, body: string): string =>
	`HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

const ANSWERS: Partial<Record<Trouble, string>> = {
	badGateway: httpAnswer('502 Bad Gateway', 'text/html', '<html><h1>502 Bad Gateway</h1></html>'),
	page: httpAnswer('200 OK', 'text/html', '<html><h1>502 Bad Gateway</h1></html>'),
};

/** A TCP front of a server that the test can break and repair, at any time and for all its connections. */
export class FailingFront {
	private server?: Server;
	private freePort?: () => Promise<void>;
	private readonly sockets = new Set<Socket>();
	private trouble?: Trouble;
	private port = 0;
	/** What arrived while the server seemed to be half open. It goes on when the server is repaired. */
	private readonly held: Array<() => void> = [];

	private constructor(private readonly target: URL) {}

	/** @param target the origin of the server behind it. */
	static async open(target: string): Promise<FailingFront> {
		const front = new FailingFront(new URL(target));
		await front.listen();
		return front;
	}

	get origin(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Breaks all connections that are open, and treats new ones so. */
	async fail(trouble: Trouble): Promise<void> {
		this.trouble = trouble;
		if (trouble === 'halfOpen') return;
		for (const socket of this.sockets) socket.destroy();
		if (trouble !== 'refused') return;
		await this.stopListening();
		this.freePort = await reservePort(this.port);
	}

	async repair(): Promise<void> {
		await this.freePort?.();
		this.freePort = undefined;
		this.trouble = undefined;
		for (const pass of this.held.splice(0)) pass();
		if (this.server === undefined) await this.listen();
	}

	async close(): Promise<void> {
		await this.freePort?.();
		for (const socket of this.sockets) socket.destroy();
		await this.stopListening();
	}

	private async listen(): Promise<void> {
		const server = createServer({ noDelay: true }, (socket) => this.accept(socket));
		await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
		this.port = (server.address() as AddressInfo).port;
		this.server = server;
	}

	private async stopListening(): Promise<void> {
		const { server } = this;
		this.server = undefined;
		await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
	}

	private accept(socket: Socket): void {
		this.keep(socket);
		let upstream: Socket | undefined;
		socket.on('data', (chunk: Buffer) => {
			const pass = (): void => void (upstream ??= this.openUpstream(socket)).write(chunk);
			if (this.trouble === undefined) pass();
			else if (this.trouble === 'halfOpen') this.held.push(pass);
			else this.answer(socket, this.trouble);
		});
		socket.on('close', () => upstream?.destroy());
	}

	private answer(socket: Socket, trouble: Trouble): void {
		const answer = ANSWERS[trouble];
		if (answer !== undefined && !socket.destroyed) socket.end(answer);
	}

	private openUpstream(socket: Socket): Socket {
		const upstream = connect(Number(this.target.port), this.target.hostname);
		this.keep(upstream);
		upstream.on('data', (chunk: Buffer) => {
			if (this.trouble === undefined) socket.write(chunk);
		});
		upstream.on('close', () => socket.destroy());
		return upstream;
	}

	private keep(socket: Socket): void {
		this.sockets.add(socket);
		socket.on('error', () => undefined);
		socket.on('close', () => this.sockets.delete(socket));
	}
}
