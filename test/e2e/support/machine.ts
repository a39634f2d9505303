/** A machine that a provider starts and stops over HTTP. While it is stopped, its address refuses every connection. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Machine {
	/** The address of the ComfyUI on it. */
	url: string;
	/** The addresses that start and stop it. */
	startUrl: string;
	stopUrl: string;
	/** Its starts and stops, in order. */
	calls: string[];
	close(): Promise<void>;
}

const listen = async (server: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }, port = 0) =>
	await new Promise<number>((resolve) => {
		server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
	});

/** Starts the provider. The machine is stopped at first. @param comfyui the address behind it. */
export async function openMachine(comfyui: string): Promise<Machine> {
	const { hostname, port, pathname } = new URL(comfyui);
	const sockets = new Set<Socket>();
	let running: Server | undefined;
	// A port that nothing listens on refuses connections.
	const reserved = createServer();
	const ownPort = await listen(reserved);
	await new Promise((resolve) => reserved.close(resolve));

	const start = async (): Promise<void> => {
		running ??= createServer((socket) => {
			const behind = connect(Number(port), hostname);
			for (const one of [socket, behind]) {
				sockets.add(one);
				one
					.on('error', () => undefined)
					.on('close', () => {
						socket.destroy();
						behind.destroy();
					});
			}
			socket.pipe(behind).pipe(socket);
		});
		if (!running.listening) await listen(running, ownPort);
	};
	const stop = async (): Promise<void> => {
		for (const socket of sockets) socket.destroy();
		const server = running;
		running = undefined;
		if (server !== undefined) await new Promise((resolve) => server.close(resolve));
	};

	const calls: string[] = [];
	const provider = createHttpServer((request, response) => {
		const call = `${request.method} ${request.url}`;
		calls.push(call);
		const done = (status: number) => void response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
		if (call === 'POST /start') void start().then(() => done(200));
		else if (call === 'POST /stop') void stop().then(() => done(200));
		else done(404);
	});
	const api = `http://127.0.0.1:${await listen(provider)}`;
	return {
		url: `http://127.0.0.1:${ownPort}${pathname}`,
		startUrl: `${api}/start`,
		stopUrl: `${api}/stop`,
		calls,
		close: async () => {
			await stop();
			await new Promise((resolve) => provider.close(resolve));
		},
	};
}
