/** Plain HTTP and WebSockets for v1. */
import { WebSocket } from 'ws';
import type { Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';

type Fields = Record<string, unknown>;

export class V1 {
	constructor(
		readonly sandbox: Sandbox,
		private readonly key = sandbox.keys.apiKey,
	) {}

	/** The answer as it comes: redirects are not followed. */
	async call(
		method: string,
		path: string,
		{ json, headers, body }: { json?: unknown; headers?: Record<string, string>; body?: FormData } = {},
	) {
		const response = await fetch(`${this.sandbox.urls.hosted}${path}`, {
			method,
			redirect: 'manual',
			headers: { 'x-api-key': this.key, ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
			body: body ?? (json === undefined ? null : JSON.stringify(json)),
		});
		const text = await response.text();
		const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
		return { status: response.status, headers: response.headers, text, json: (isJson ? JSON.parse(text) : {}) as Fields };
	}

	async prompt(prompt: ApiGraph, rest: Fields = {}) {
		return await this.call('POST', '/api/prompt', { json: { prompt, ...rest } });
	}

	/** Submits and returns the job's id. */
	async started(prompt: ApiGraph, rest: Fields = {}): Promise<string> {
		const { status, json, text } = await this.prompt(prompt, rest);
		if (status !== 200) throw new Error(`Not submitted: ${status} ${text}`);
		return String(json.prompt_id);
	}

	/** Submits, waits for the end, and reads the job. */
	async finished(prompt: ApiGraph): Promise<Fields> {
		const jobId = await this.started(prompt);
		for (;;) {
			const { json } = await this.call('GET', `/api/jobs/${jobId}`);
			if (['completed', 'failed', 'cancelled'].includes(String(json.status))) return json;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}
}

/** What one WebSocket received, as it came. */
export interface Heard {
	socket: WebSocket;
	text: string[];
	binary: Buffer[];
	/** The close code; null while it is open. */
	closed: number | null;
	/** `code` of its last error. */
	errorCode: unknown;
	pings: number;
	pongs: number;
}

/** Opens a socket on hosted. @throws Error with the status, when the upgrade is refused. */
export async function listen({ urls, keys }: Sandbox, { token = keys.apiKey, maxPayload = 100 * 1024 * 1024 } = {}): Promise<Heard> {
	const socket = new WebSocket(
		`${urls.hosted.replace('http', 'ws')}/ws?${new URLSearchParams({ clientId: 'someone', token }).toString()}`,
		{
			maxPayload,
		},
	);
	const heard: Heard = { socket, text: [], binary: [], closed: null, errorCode: undefined, pings: 0, pongs: 0 };
	socket.on('message', (data: Buffer, isBinary) => (isBinary ? heard.binary.push(data) : heard.text.push(data.toString('utf8'))));
	socket.on('ping', () => (heard.pings += 1));
	socket.on('pong', () => (heard.pongs += 1));
	socket.on('error', (error) => (heard.errorCode = 'code' in error ? error.code : undefined));
	socket.on('close', (code) => (heard.closed = code));
	await new Promise<void>((resolve, reject) => {
		socket.once('open', resolve);
		socket.once('error', reject);
	});
	return heard;
}

/** Whether a run has sent the frame that every run ends with. */
export const hasEnded = ({ text }: Heard, jobId: string): boolean =>
	text.some((frame) => frame.includes('"executing"') && frame.includes(jobId) && frame.includes('"node":null'));
