/** A WebSocket that remembers what came. */
import { WebSocket } from 'ws';
import { until } from '../../../support/until';
import type { Sandbox } from '../../../../sandbox';

export interface Frame {
	type: string;
	data: Record<string, unknown>;
}

export interface ListenOptions {
	token?: string;
	clientId?: string;
	maxPayload?: number;
	path?: string;
}

export class Listener {
	readonly text: string[] = [];
	readonly binary: Buffer[] = [];
	/** How it ended; null while it is open. */
	closed: { code: number } | null = null;
	/** `code` of the socket's last error. */
	errorCode: unknown;
	pings = 0;
	pongs = 0;

	constructor(readonly socket: WebSocket) {
		socket.on('message', (data: Buffer, isBinary) => {
			if (isBinary) this.binary.push(data);
			else this.text.push(data.toString('utf8'));
		});
		socket.on('ping', () => (this.pings += 1));
		socket.on('pong', () => (this.pongs += 1));
		socket.on('error', (error) => (this.errorCode = 'code' in error ? error.code : undefined));
		socket.on('close', (code) => (this.closed = { code }));
	}

	get frames(): Frame[] {
		return this.text.map((text) => JSON.parse(text) as Frame);
	}

	/** The data of all frames of a type, about one job when one is named. */
	of(type: string, jobId?: string): Array<Record<string, unknown>> {
		return this.frames
			.filter((frame) => frame.type === type && (jobId === undefined || frame.data.prompt_id === jobId))
			.map(({ data }) => data);
	}

	/** Waits for the frame that every run ends with. */
	async runEnded(jobId: string): Promise<void> {
		await until(() => this.of('executing', jobId).some(({ node }) => node === null));
	}

	close(): void {
		this.socket.terminate();
	}
}

export function addressOf(
	{ urls, keys }: Sandbox,
	{ token = keys.apiKey, clientId = 'someone', path = '/ws' }: ListenOptions = {},
): string {
	return `${urls.hosted.replace('http', 'ws')}${path}?${new URLSearchParams({ clientId, token }).toString()}`;
}

/** Opens a socket on hosted. Rejects when the upgrade is refused. */
export async function listen(sandbox: Sandbox, options: ListenOptions = {}): Promise<Listener> {
	const socket = new WebSocket(addressOf(sandbox, options), options.maxPayload === undefined ? {} : { maxPayload: options.maxPayload });
	const listener = new Listener(socket);
	await new Promise<void>((resolve, reject) => {
		socket.once('open', resolve);
		socket.once('error', reject);
	});
	return listener;
}

/** Sockets opened by one test after another. */
export class Listeners {
	readonly #open: Listener[] = [];

	async connect(sandbox: Sandbox, options: ListenOptions = {}): Promise<Listener> {
		const listener = await listen(sandbox, options);
		this.#open.push(listener);
		return listener;
	}

	/** Closes all, and waits until the sandbox has noticed. */
	async close(sandbox: Sandbox): Promise<void> {
		for (const listener of this.#open.splice(0)) listener.close();
		await until(() => sandbox.sockets().length === 0);
	}
}

/** The HTTP answer in place of an upgrade. */
export async function refusal(
	sandbox: Sandbox,
	options: ListenOptions = {},
): Promise<{ status: number; contentType: string | undefined; body: string }> {
	const socket = new WebSocket(addressOf(sandbox, options));
	return await new Promise((resolve, reject) => {
		socket.once('open', () => reject(new Error('It was accepted')));
		socket.once('error', reject);
		socket.once('unexpected-response', (_request, response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('end', () =>
				resolve({
					status: response.statusCode ?? 0,
					contentType: response.headers['content-type'],
					body: Buffer.concat(chunks).toString('utf8'),
				}),
			);
		});
	});
}
